#include "mbnn/tables/table_fit.h"

#include <algorithm>
#include <cmath>

#include "mbnn/core/error.h"
#include "mbnn/tables/state_bytes.h"

namespace mbnn {

namespace {

constexpr std::size_t kBlobRows = 1 << 16;  // SQLite holds a blob in memory while it is written

std::string part_name(std::size_t part) { return fmt::format("data/{}", part); }

struct DataHeader {
  std::uint64_t rows, inputs;
};

DataHeader stored_header(const FitFile& file) {
  if (!file.has_blob("data/header"))
    throw InputError(
        fmt::format("{} was interrupted before its data were stored: make the fit anew in its place", file.path()));
  const auto bytes = file.get_blob("data/header");
  return ByteReader(bytes).get<DataHeader>();
}

template <class T>
void append(std::vector<T>& to, const std::vector<std::byte>& bytes) {
  if (bytes.empty()) return;  // a series without regressors has no inputs to store
  const std::size_t old = to.size();
  to.resize(old + bytes.size() / sizeof(T));
  std::memcpy(to.data() + old, bytes.data(), bytes.size() / sizeof(T) * sizeof(T));
}

std::vector<double> traces(const Model& model, const KeptDraw& draw) {
  std::vector<double> values{draw.log_posterior, draw.training_error};
  if (model.likelihood.has_noise()) values.push_back(std::sqrt(draw.state.noise_variance));
  values.push_back(draw.state.weight_scale);
  values.push_back(draw.state.lambda);
  for (const auto& layer : draw.state.gates.active) values.push_back(static_cast<double>(layer.size()));
  values.insert(values.end(), draw.block_traces.begin(), draw.block_traces.end());
  return values;
}

class Recorder : public RunObserver {
 public:
  Recorder(FitFile& file, const Model& model, const RunOptions& options)
      : file_(file), model_(model), options_(options) {}

  void keep(std::size_t index, const Chain& chain, std::vector<KeptDraw> draws) override {
    std::vector<StoredDraw> stored;
    for (const KeptDraw& draw : draws) {
      ByteWriter out;
      write_state(draw.state, out);
      stored.push_back({static_cast<int>(index), draw.iteration, out.take(), traces(model_, draw)});
    }
    const nlohmann::json statistics{{"warmup", to_json(chain.warmup_statistics())},
                                    {"sampling", to_json(chain.sampling_statistics())},
                                    {"step_size", chain.step_size()},
                                    {"start_seconds", chain.start_seconds()}};
    file_.commit(static_cast<int>(index), chain.iteration(), stored, statistics, chain.checkpoint());
  }

  void report(const ChainReport& report) override {
    if (options_.report) options_.report(report);
  }

 private:
  FitFile& file_;
  const Model& model_;
  const RunOptions& options_;
};

}  // namespace

void refuse_huge_start(const Configuration& c, const Model& model) {
  constexpr double most = 5e8;
  const bool narrow = c.method == Method::mcmc && model.masks;
  double weights = 0, below = static_cast<double>(model.architecture.inputs);
  for (std::size_t cap : model.architecture.caps) {
    const auto width = static_cast<double>(narrow ? std::min(cap, c.chain.start.width) : cap);
    weights += (below + 1) * width;
    below = width;
  }
  if (weights > most)
    throw OptionError(
        narrow ? "start-width" : "hidden",
        fmt::format(": the first network has {:.2g} weights, where at most {:.2g} can be: choose less", weights, most));
}

std::vector<std::string> trace_names(Method method, const Model& model) {
  const bool mcmc = method == Method::mcmc;
  std::vector<std::string> names;
  if (mcmc) names.push_back("log_posterior");
  names.push_back("training_error");
  if (model.likelihood.has_noise()) names.push_back("noise_sd");
  if (mcmc) names.insert(names.end(), {"weight_scale", "lambda"});
  for (std::size_t l = 1; l <= model.architecture.caps.size(); ++l) names.push_back(fmt::format("width_{}", l));
  return names;
}

FitFile create_fit(const std::string& path, const Configuration& configuration, const Encoding& encoding,
                   const Dataset& data, const std::vector<std::string>& notes, bool overwrite) {
  configuration.check();
  nlohmann::json json = to_json(configuration);
  const Model model = make_model(configuration, encoding, data.rows);
  refuse_huge_start(configuration, model);
  json["traces"] = trace_names(configuration.method, model);
  return FitFile::create(path, json, encoding.to_json(), overwrite, [&](FitFile& file) {
    for (const auto& note : notes) file.note(note);
    store_data(file, data);
  });
}

void store_data(FitFile& file, const Dataset& data) {
  for (std::size_t first = 0, part = 0; first < data.rows; first += kBlobRows, ++part) {
    const std::size_t rows = std::min(kBlobRows, data.rows - first);
    const auto x = std::span(data.x).subspan(first * data.inputs, rows * data.inputs);
    file.put_blob(part_name(part), std::as_bytes(x));
  }
  if (!data.y.empty()) file.put_blob("data/y", std::as_bytes(std::span(data.y)));
  if (!data.labels.empty()) file.put_blob("data/labels", std::as_bytes(std::span(data.labels)));
  const DataHeader header{data.rows, data.inputs};  // last: it says that the rest is there
  file.put_blob("data/header", std::as_bytes(std::span(&header, 1)));
}

Dataset stored_data(const FitFile& file) {
  const DataHeader header = stored_header(file);
  Dataset data;
  data.rows = header.rows;
  data.inputs = header.inputs;
  data.x.reserve(data.rows * data.inputs);
  for (std::size_t first = 0, part = 0; first < data.rows; first += kBlobRows, ++part)
    append(data.x, file.get_blob(part_name(part)));
  if (file.has_blob("data/y")) append(data.y, file.get_blob("data/y"));
  if (file.has_blob("data/labels")) append(data.labels, file.get_blob("data/labels"));
  if (data.x.size() != data.rows * data.inputs || std::max(data.y.size(), data.labels.size()) != data.rows)
    throw Error(fmt::format("{} is damaged: its training rows are not complete", file.path()));
  return data;
}

bool run_fit(FitFile& file, TrainingData data, const RunOptions& options) {
  const Configuration configuration = configuration_from_json(file.configuration());
  if (configuration.method != Method::mcmc)
    throw InputError(fmt::format("{} is no fit by chains: run_method runs it", file.path()));
  const Encoding encoding = Encoding::from_json(file.encoding());
  const Model model = make_model(configuration, encoding, data.rows.rows);
  std::vector<std::unique_ptr<Chain>> chains;
  for (std::size_t i = 0; i < configuration.chains; ++i) {
    chains.push_back(std::make_unique<Chain>(model, data, configuration.chain, configuration.seed, i));
    if (const auto checkpoint = file.checkpoint(static_cast<int>(i))) chains.back()->restore(*checkpoint);
  }
  return record_chains(file, model, configuration.chain, chains, options);
}

bool record_chains(FitFile& file, const Model& model, const ChainOptions& chain_options,
                   std::vector<std::unique_ptr<Chain>>& chains, const RunOptions& options) {
  Recorder recorder(file, model, options);
  return run_chains(chains, chain_options, {.threads = options.threads}, recorder, options.stop);
}

FittedModel FittedModel::read(const FitFile& file) {
  FittedModel fitted;
  fitted.configuration = configuration_from_json(file.configuration());
  fitted.encoding = Encoding::from_json(file.encoding());
  fitted.model = make_model(fitted.configuration, fitted.encoding, stored_header(file).rows);
  fitted.draws.resize(fitted.configuration.chains);
  fitted.traces.resize(fitted.configuration.chains);
  file.for_each_draw([&](StoredDraw draw) {
    ByteReader in(draw.state);
    State state = read_state(in);
    const auto chain = static_cast<std::size_t>(draw.chain);
    if (chain >= fitted.draws.size() || state.gates.active.size() != fitted.model.architecture.caps.size() ||
        state.weights.size() != state.shape(fitted.model).size())
      throw Error(fmt::format("{} is damaged: draw {} of chain {} does not fit its configuration", file.path(),
                              draw.iteration, draw.chain));
    fitted.draws[chain].push_back(std::move(state));
    fitted.traces[chain].push_back(std::move(draw.scalars));
  });
  return fitted;
}

std::size_t FittedModel::draws_wanted() const {
  return configuration.chains * static_cast<std::size_t>(configuration.chain.draws);
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

}  // namespace mbnn
