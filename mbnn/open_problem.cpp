#include <fmt/format.h>

#include "mbnn/core/error.h"
#include "mbnn/mbnn.h"
#include "mbnn/store/content.h"

namespace mbnn {

namespace {

// Rows of chains that the configuration knows.
void verify_progress(const FitFile& file, const Problem& problem) {
  for (const ChainProgress& row : file.progress()) {
    require_content(row.chain >= 0 && static_cast<std::size_t>(row.chain) < problem.chains(),
                    "it has more chains than its configuration");
    require_content(row.iteration >= 0 && row.draws >= 0 && row.draws <= problem.draws(),
                    "the progress of a chain is none that it can make");
  }
}

std::unique_ptr<Problem> problem_in(const FitFile& file, const std::string& images) {
  const std::string kind = kind_of(file);
  if (kind == "table") return std::make_unique<TableProblem>(TableProblem::open(file));
  if (kind == "series") return std::make_unique<SeriesProblem>(SeriesProblem::open(file));
  if (kind == "image") return std::make_unique<ImageProblem>(ImageProblem::open(file, images));
  throw InputError(
      fmt::format("{} is a fit of the kind '{}', which this version does not know: upgrade", file.path(), kind));
}

}  // namespace

std::string kind_of(const FitFile& file) {
  return read_content(file.path(), [&]() -> std::string {
    const nlohmann::json json = file.configuration();
    require_content(json.is_object() && file.encoding().is_object(), "its configuration or encoding holds no values");
    if (json.contains("kind")) return json["kind"].get<std::string>();
    return json.contains("series") ? "series" : "table";
  });
}

std::unique_ptr<Problem> open_problem(const FitFile& file, const std::string& images) {
  return read_content(file.path(), [&] {
    auto problem = problem_in(file, images);
    verify_progress(file, *problem);
    return problem;
  });
}

}  // namespace mbnn
