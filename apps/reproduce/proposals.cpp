// Figures 3 and 4 of the paper: how fast nine pairs of selection rules prune a dense network, and how well they mix
// then.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "apps/reproduce/data_sets.h"
#include "apps/reproduce/engine.h"
#include "apps/reproduce/methods.h"
#include "apps/reproduce/simulated.h"
#include "apps/reproduce/tables.h"
#include "mbnn/core/error.h"
#include "mbnn/core/parallel.h"
#include "mbnn/judge/convergence.h"
#include "mbnn/tables/chain.h"

namespace mbnn::studies {

namespace {

std::vector<std::string> all_sets() {
  std::vector<std::string> sets{"polynomial"};
  sets.insert(sets.end(), kRegressionSets.begin(), kRegressionSets.end());
  return sets;
}

// The moves are the paper's (up to 3 nodes, 10 moves an iteration), and so is the start from random weights. Its dense
// network of 1000 x 1000 takes hours with the rules that prune slowly; ours has 200 x 200 nodes.
Configuration proposals_configuration(const std::string& pair, const StudyOptions& options) {
  Configuration c;
  if (options.setting == "paper") {
    c = Configuration::paper();
    c.chain.birth_death.candidates = 0;  // an informed birth looks at every inactive node
  } else {
    const Configuration paper = Configuration::paper();
    c.hidden = {200, 200};
    c.chain.start.widths = {200};
    c.chain.start.steps = paper.chain.start.steps;
    c.chain.leapfrog_steps = paper.chain.leapfrog_steps;
    c.chain.mask_moves = paper.chain.mask_moves;
    c.chain.refit_moves = paper.chain.refit_moves;  // none: they would hide what the rules do
    c.chain.birth_death.max_flips = paper.chain.birth_death.max_flips;
  }
  set_rules(pair, c.chain.birth_death);
  adjust(c, options, pair,
         {{"/chain/birth_death/birth", "--birth"}, {"/chain/birth_death/death", "--death"}, {"/masks", "--masks"}});
  return c;
}

struct ChainTrace {
  std::vector<std::vector<std::size_t>> widths;  // by iteration, the start first
  PhaseStatistics warmup, sampling;
  double sampling_cpu_seconds = 0;

  double nodes(std::size_t iteration) const {
    return static_cast<double>(std::accumulate(widths[iteration].begin(), widths[iteration].end(), std::size_t{0}));
  }
};

double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<std::size_t> widths_of(const State& state) {
  std::vector<std::size_t> widths;
  for (const auto& layer : state.gates.active) widths.push_back(layer.size());
  return widths;
}

// Shorter than wanted if stopped.
ChainTrace run_chain(const Model& model, const TrainingData& data, const Configuration& c, std::size_t index,
                     const std::stop_token& stop) {
  Chain chain(model, data, c.chain, c.seed, index);
  chain.start();
  ChainTrace trace;
  trace.widths.push_back(widths_of(chain.state()));
  double sampling_began = thread_seconds();
  while (chain.iteration() < c.chain.iterations() && !stop.stop_requested()) {
    if (chain.iteration() == c.chain.warmup) sampling_began = thread_seconds();
    chain.iterate();
    trace.widths.push_back(widths_of(chain.state()));
  }
  trace.sampling_cpu_seconds = thread_seconds() - sampling_began;
  trace.warmup = chain.warmup_statistics();
  trace.sampling = chain.sampling_statistics();
  return trace;
}

std::vector<ChainTrace> run_all(const Model& model, const TrainingData& data, const Configuration& c,
                                const JobContext& context) {
  std::vector<ChainTrace> traces(c.chains);
  for_each_index(c.chains, context.threads,
                 [&](std::size_t i) { traces[i] = run_chain(model, data, c, i, context.stop); });
  return traces;
}

double share(const PhaseStatistics::Counts& accepted, const PhaseStatistics::Counts& tried) {
  const auto sum = [](const PhaseStatistics::Counts& counts) {
    return static_cast<double>(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}));
  };
  return sum(accepted) / sum(tried);
}

// The first iteration with at most half of the nodes that were there at the start; NaN if there is none in any chain.
double half_iteration(const std::vector<ChainTrace>& traces) {
  double total = 0;
  for (const ChainTrace& trace : traces) {
    std::size_t i = 0;
    while (i < trace.widths.size() && 2 * trace.nodes(i) > trace.nodes(0)) ++i;
    if (i == trace.widths.size()) return std::numeric_limits<double>::quiet_NaN();
    total += static_cast<double>(i);
  }
  return total / static_cast<double>(traces.size());
}

Row figures_of(const std::vector<ChainTrace>& traces, const Configuration& c, double caps) {
  const auto warmup = static_cast<std::size_t>(c.chain.warmup);
  PhaseStatistics burn_in, sampling;
  double cpu = 0, end = 0, width1 = 0, width2 = 0, count = 0;
  std::vector<std::vector<double>> nodes;
  for (const ChainTrace& trace : traces) {
    burn_in.add(trace.warmup);
    sampling.add(trace.sampling);
    cpu += trace.sampling_cpu_seconds;
    end += trace.nodes(warmup) / caps / static_cast<double>(traces.size());
    auto& chain = nodes.emplace_back();
    for (std::size_t i = warmup + 1; i < trace.widths.size(); ++i) {
      chain.push_back(trace.nodes(i));
      width1 += static_cast<double>(trace.widths[i].front());
      width2 += static_cast<double>(trace.widths[i].back());
      count += 1;
    }
  }
  const Convergence convergence = mbnn::convergence(nodes);
  const double gradients =
      static_cast<double>(burn_in.gradients + sampling.gradients) + static_cast<double>(c.chains * c.chain.start.steps);
  return {{"half_iteration", cell(half_iteration(traces))},
          {"ratio_after_warmup", cell(end)},
          {"width1", cell(width1 / count)},
          {"width2", cell(width2 / count)},
          {"warmup_births", cell(share(burn_in.births_accepted, burn_in.births_tried))},
          {"warmup_deaths", cell(share(burn_in.deaths_accepted, burn_in.deaths_tried))},
          {"births", cell(share(sampling.births_accepted, sampling.births_tried))},
          {"deaths", cell(share(sampling.deaths_accepted, sampling.deaths_tried))},
          {"ess", cell(convergence.ess_bulk)},
          {"rhat", cell(convergence.rhat)},
          {"ess_per_cpu_second", cell(convergence.ess_bulk / cpu)},
          {"gradients", cell(gradients)}};
}

void write_traces(const std::vector<ChainTrace>& traces, double caps, const JobContext& context) {
  std::string text = "chain,iteration,width1,width2,ratio\n";
  for (std::size_t c = 0; c < traces.size(); ++c)
    for (std::size_t i = 0; i < traces[c].widths.size(); ++i)
      text += fmt::format("{},{},{},{},{:.6g}\n", c + 1, i, traces[c].widths[i].front(), traces[c].widths[i].back(),
                          traces[c].nodes(i) / caps);
  std::filesystem::create_directories(context.directory + "/traces");
  write_whole(fmt::format("{}/traces/{}.csv", context.directory, context.name), text);
}

struct ProposalTable {
  std::shared_ptr<const Table> table;
  std::vector<std::size_t> rows;
  std::int64_t checksum;
  nlohmann::json source = {};  // as in a FitTask
};

Job proposal_job(std::vector<std::string> key, const ProposalTable& problem, const Configuration& c) {
  c.check();
  Job job;
  job.key = std::move(key);
  job.seed = c.seed;
  job.settings = {{"configuration", settings_of(to_json(c))}, {"table", problem.checksum}, {"rows", problem.rows}};
  job.common = {{"configuration", settings_of(to_json(c))}, {"source", problem.source}};
  job.common["configuration"].erase("seed");
  job.run = [=](const JobContext& context) -> std::optional<JobResult> {
    std::vector<std::string> notes;
    const Encoding encoding = Encoding::learn(*problem.table, c.encoding, notes, std::span(problem.rows));
    Dataset rows = encoding.encode(*problem.table, Encoding::Needs::inputs_and_target, notes, std::span(problem.rows));
    const Model model = make_model(c, encoding, rows.rows);
    const TrainingData data = TrainingData::make(std::move(rows), c.chain);
    double caps = 0;
    for (std::size_t cap : model.architecture.caps) caps += static_cast<double>(cap);
    const auto traces = run_all(model, data, c, context);
    if (context.stop.stop_requested()) return {};
    write_traces(traces, caps, context);
    return JobResult{figures_of(traces, c, caps), {}};
  };
  return job;
}

std::vector<Job> proposal_jobs(const StudyOptions& options) {
  std::vector<std::pair<std::string, std::optional<DataSet>>> sets;
  for (const auto& name : chosen(options.sets, all_sets(), "--sets"))
    sets.emplace_back(name, name == "polynomial" ? std::nullopt : std::optional(read_data_set(name, options)));
  std::vector<Job> jobs;
  for (std::size_t split : options.splits)
    for (const auto& [name, set] : sets) {
      ProposalTable problem;
      if (set) {
        problem = {set->table,
                   set->training_rows(split - 1),
                   set->checksum,
                   {{"table", set->checksum}, {"splits", options.splits_file}}};
      } else {
        const Polynomial data = polynomial_data(options.seed + split - 1);
        problem = {data.table, std::vector<std::size_t>(Polynomial::training_rows), data.checksum};
        std::iota(problem.rows.begin(), problem.rows.end(), std::size_t{0});
      }
      for (const auto& pair : chosen(options.methods, rule_pairs(), "--methods")) {
        Configuration c = proposals_configuration(pair, options);
        c.data = name;
        c.encoding.target = set ? set->target : "y";
        c.encoding.task = Task::regression;
        c.seed = options.seed + split - 1;
        jobs.push_back(proposal_job({name, pair, std::to_string(split)}, problem, c));
      }
    }
  return jobs;
}

std::string proposals_table(const std::vector<Row>& rows, const StudyOptions& options) {
  MarkdownTable table({"data", "birth", "death", "iterations to half the nodes", "active share after warm-up",
                       "births / deaths accepted in warm-up", "births / deaths accepted afterwards", "active nodes",
                       "effective draws of the width a CPU s", "R-hat"});
  auto percent = [](const std::vector<Row>& r, const char* births, const char* deaths) {
    return fmt::format("{:.2f}% / {:.2f}%", 100 * summarise(r, births).mean, 100 * summarise(r, deaths).mean);
  };
  for (const auto& set : all_sets())
    for (const auto& pair : rule_pairs()) {
      const auto mine = select(rows, {{"set", set}, {"rules", pair}});
      if (mine.empty()) continue;
      const auto dash = pair.find('-');
      table.add({title(set), pair.substr(0, dash), pair.substr(dash + 1),
                 mean_only(summarise(mine, "half_iteration"), 0), mean_only(summarise(mine, "ratio_after_warmup"), 3),
                 percent(mine, "warmup_births", "warmup_deaths"), percent(mine, "births", "deaths"), mean_widths(mine),
                 mean_only(summarise(mine, "ess_per_cpu_second"), 2), mean_only(summarise(mine, "rhat"), 2)});
    }
  return fmt::format("Setting `{}`. The paper's own choice is birth uniform, death reciprocal.\n\n", options.setting) +
         table.text() + "\n–: some chain never came down to half of its nodes, or its width never changed.\n";
}

}  // namespace

Study proposals_study(const StudyOptions& options) {
  Study study;
  study.name = "proposals";
  study.sets = all_sets();
  study.methods = rule_pairs();
  study.repetitions = std::string("1");
  study.keys = {"set", "rules", "split"};
  study.figures = {"half_iteration",
                   "ratio_after_warmup",
                   "width1",
                   "width2",
                   "warmup_births",
                   "warmup_deaths",
                   "births",
                   "deaths",
                   "ess",
                   "rhat",
                   "ess_per_cpu_second",
                   "gradients"};
  study.headline = {"half_iteration", "ratio_after_warmup", "width1", "width2", "ess_per_cpu_second"};
  study.jobs = [=] { return proposal_jobs(options); };
  study.table = [=](const std::vector<Row>& rows) { return proposals_table(rows, options); };
  return study;
}

}  // namespace mbnn::studies
