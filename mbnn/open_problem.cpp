#include <fmt/format.h>

#include "mbnn/core/error.h"
#include "mbnn/mbnn.h"

namespace mbnn {

std::string kind_of(const FitFile& file) {
  const nlohmann::json json = file.configuration();
  if (json.contains("kind")) return json["kind"].get<std::string>();
  return json.contains("series") ? "series" : "table";
}

std::unique_ptr<Problem> open_problem(const FitFile& file, const std::string& images) {
  const std::string kind = kind_of(file);
  if (kind == "table") return std::make_unique<TableProblem>(TableProblem::open(file));
  if (kind == "series") return std::make_unique<SeriesProblem>(SeriesProblem::open(file));
  if (kind == "image") return std::make_unique<ImageProblem>(ImageProblem::open(file, images));
  throw InputError(
      fmt::format("{} is a fit of the kind '{}', which this version does not know: upgrade", file.path(), kind));
}

}  // namespace mbnn
