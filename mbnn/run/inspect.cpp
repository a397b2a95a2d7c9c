#include "mbnn/run/inspect.h"

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/run/run.h"
#include "mbnn/store/content.h"

namespace mbnn {

Diagnosis diagnose(const FitFile& file, const Problem& problem) {
  const Summary state = summarise(file, problem);
  if (state.draws == 0) throw InputError(fmt::format("{} has no draws yet: resume it first", file.path()));
  Diagnosis d = read_content(file.path(), [&] {
    Diagnosis all = judge(problem.evidence(file));
    for (std::size_t c = 0; c < problem.chains(); ++c) {
      const auto statistics = file.statistics(static_cast<int>(c));
      all.statistics.push_back(statistics ? statistics->values : nlohmann::json(nullptr));
    }
    problem.judge(file, all);
    return all;
  });
  if (!state.finished)
    d.findings.push_back({Finding::Level::warning,
                          fmt::format("the fit is unfinished: {} of {} draws", state.draws,
                                      problem.draws() * static_cast<std::int64_t>(problem.chains())),
                          "the figures are those of the draws so far", "let it run to its end"});
  return d;
}

Summary summarise(const FitFile& file, const Problem& problem) {
  Summary summary;
  summary.description = read_content(file.path(), [&] { return problem.describe(file); });
  summary.notes = file.notes();
  summary.length = problem.length();
  summary.step_name = problem.step_name();
  summary.chains.resize(problem.chains());
  for (const ChainProgress& progress : file.progress()) {
    summary.chains[static_cast<std::size_t>(progress.chain)] = {progress.iteration, progress.draws};
    summary.draws += progress.draws;
  }
  summary.finished = finished(file, problem);
  return summary;
}

nlohmann::json to_json(const Summary& summary) {
  nlohmann::json json = summary.description.json;
  json["draws"] = summary.draws;
  json["chains"] = summary.chains.size();
  json["finished"] = summary.finished;
  return json;
}

std::vector<Quantity> stored_traces(const FitFile& file, const std::vector<std::string>& names,
                                    const std::function<double(const std::string&)>& unit) {
  std::vector<Quantity> traces;
  for (const std::string& name : names) traces.push_back({name, {}, 0});
  int chain = -1;
  file.for_each_draw([&](StoredDraw draw) {
    require_content(draw.scalars.size() >= names.size() && all_finite(draw.scalars),
                    "the numbers beside a draw are too few, or not finite");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (draw.chain != chain) traces[i].chains.emplace_back();
      traces[i].chains.back().push_back((unit ? unit(names[i]) : 1) * draw.scalars[i]);
    }
    chain = draw.chain;
  });
  return traces;
}

}  // namespace mbnn
