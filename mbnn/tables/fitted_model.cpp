#include "mbnn/tables/fitted_model.h"

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/store/content.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

FittedModel FittedModel::read(const FitFile& file) {
  return read_content(file.path(), [&] {
    FittedModel fitted;
    fitted.configuration = configuration_from_json(file.configuration());
    fitted.configuration.check();
    fitted.encoding = Encoding::from_json(file.encoding());
    fitted.model = make_model(fitted.configuration, fitted.encoding, stored_rows(file));
    fitted.draws.resize(fitted.configuration.chains);
    fitted.traces.resize(fitted.configuration.chains);
    file.for_each_draw([&](StoredDraw draw) {
      const auto chain = static_cast<std::size_t>(draw.chain);
      require_content(chain < fitted.draws.size(), "it has draws of more chains than its configuration");
      ByteReader in(draw.state);
      fitted.draws[chain].push_back(read_state(in, fitted.model));
      require_content(in.done(), "bytes follow the state of a draw");
      require_content(all_finite(draw.scalars), "a number beside a draw is not finite");
      fitted.traces[chain].push_back(std::move(draw.scalars));
    });
    return fitted;
  });
}

TableOptions FittedModel::table_options() const {
  TableOptions options = encoding.table_options();
  options.header = configuration.table.header;
  options.delimiter = configuration.table.delimiter;
  options.ignore = configuration.table.ignore;
  return options;
}

std::size_t FittedModel::draw_count() const {
  std::size_t count = 0;
  for (const auto& chain : draws) count += chain.size();
  return count;
}

void FittedModel::take(DrawLists lists) {
  draws.assign(lists.size(), {});
  traces.assign(lists.size(), {});
  for (std::size_t c = 0; c < lists.size(); ++c)
    for (Draw& draw : lists[c]) {
      ByteReader in(draw.state);
      draws[c].push_back(read_state(in, model));
      traces[c].push_back(std::move(draw.traces));
    }
}

Dataset read_rows(const std::string& table_path, const FittedModel& fitted) {
  std::vector<std::string> notes;
  return fitted.encoding.encode(read_table(table_path, fitted.table_options()), Encoding::Needs::inputs, notes);
}

}  // namespace mbnn
