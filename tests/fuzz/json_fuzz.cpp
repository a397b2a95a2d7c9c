// JSON of a fit: configurations of the three kinds, encodings, axes of dates.
#include "mbnn/images/image_configuration.h"
#include "mbnn/series/series_configuration.h"
#include "mbnn/store/content.h"
#include "mbnn/tables/columns/dates.h"
#include "mbnn/tables/columns/table_builder.h"
#include "mbnn/tables/configuration.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

namespace {

Encoding an_encoding() {
  TableBuilder builder("seed");
  builder.add_numbers("a", {1, 2, 3, 4, 5, 6});
  builder.add_numbers("y", {1, 2, 3, 5, 8, 13});
  std::vector<std::string> notes;
  return Encoding::learn(builder.finish(), {.target = "y"}, notes);
}

template <class Read>
void try_to(Read read) {
  try {
    read_content("the input", read);
  } catch (const Error&) {
  }
}

}  // namespace

void read_bytes(Bytes input) {
  const nlohmann::json json = parse_stored_json(text_of(input), "the input");
  try_to([&] {
    const Encoding encoding = Encoding::from_json(json);
    if (!(Encoding::from_json(encoding.to_json()) == encoding)) finding("an encoding that JSON changed");
    encoding.table_options();
  });
  try_to([&] {
    const Configuration c = configuration_from_json(json);
    c.check();
    const nlohmann::json once = to_json(c);
    if (to_json(configuration_from_json(once)) != once) finding("a configuration that JSON changed");
    make_model(c, an_encoding(), 4);
  });
  try_to([&] { to_json(series_configuration_from_json(json)); });
  try_to([&] { ImageConfiguration::from_json(json).to_json(); });
  try_to([&] {
    const TimeAxis axis = TimeAxis::from_json(json);
    if (!(TimeAxis::from_json(axis.to_json()) == axis)) finding("an axis that JSON changed");
    axis.step_name();
  });
}

std::vector<std::string> seeds() {
  return {an_encoding().to_json().dump(),
          to_json(Configuration()).dump(),
          to_json(Configuration::paper()).dump(),
          to_json(SeriesConfiguration()).dump(),
          ImageConfiguration().to_json().dump(),
          R"({"unit":1,"order":0,"first":24000,"length":3,"day":31,"last_day":true,"second":0})",
          "[[[[]]]]"};
}

}  // namespace mbnn::fuzz
