// States of draws, and checkpoints of chains on tables: by trajectories, on mini-batches, with a ladder, and NS-VI.
#include <cmath>

#include "mbnn/core/checkpoint.h"
#include "mbnn/tables/baselines/processes.h"
#include "mbnn/tables/chain_process.h"
#include "mbnn/tables/state_bytes.h"
#include "tests/fuzz/target.h"

namespace mbnn::fuzz {

namespace {

// A process of each kind on the same few rows.
struct Setting {
  Model model;
  Configuration configuration;
  TrainingData data;

  explicit Setting(unsigned kind) {
    configuration.hidden = {4, 3};
    configuration.variational = {.epochs = 2, .batch = 8};
    ChainOptions& chain = configuration.chain;
    chain.warmup = 3;
    chain.draws = 4;
    chain.thin = 1;
    chain.start = {.widths = {3}, .steps = 5};
    chain.leapfrog_steps = 3;
    chain.max_depth = 3;
    chain.batches = 2;
    chain.batch = 8;
    chain.mask_moves = chain.refit_moves = 2;
    if (kind == 1) chain.sampler = Sampler::sghmc;
    if (kind == 2) chain.rungs = 2;
    if (kind == 3) configuration.method = Method::ns_vi;
    model.architecture = {2, configuration.hidden, 1};
    model.width_prior.rows = 20;
    model.masks = kind != 3;
    Dataset rows;
    rows.rows = 20;
    rows.inputs = 2;
    for (std::size_t i = 0; i < rows.rows; ++i) {
      const float a = 0.3f * static_cast<float>(i) - 3, b = i % 3 == 0 ? 1.0f : -0.5f;
      rows.x.insert(rows.x.end(), {a, b});
      rows.y.push_back(std::sin(a) + b);
    }
    data = TrainingData::make(std::move(rows), chain);
    if (!data.all) data.all = Batch::all(data.rows);
  }

  std::unique_ptr<Process> process() const {
    if (configuration.method == Method::ns_vi)
      return std::make_unique<VariationalProcess>(configuration, model, data, 0, 1);
    const ChainSetting setting{&model, &configuration.chain, 1, 1};
    if (configuration.chain.rungs > 1) return std::make_unique<LadderProcess>(setting, data, 0, 1);
    return std::make_unique<ChainProcess>(setting, data, 0);
  }
};

const Setting& setting(unsigned kind) {
  static const Setting settings[] = {Setting(0), Setting(1), Setting(2), Setting(3)};
  return settings[kind % 4];
}

}  // namespace

// The first byte chooses the kind, and whether it is a draw; the second the step that a checkpoint is said to be of.
void read_bytes(Bytes input) {
  if (input.size() < 2) return;
  const Setting& s = setting(input[0]);
  const auto content = as_bytes(input.subspan(2));
  if (input[0] & 128) {
    ByteReader in(content);
    const State state = read_state(in, s.model);
    ByteWriter out;
    write_state(state, out);
    if (text_of(out.take()) != text_of(content.first(content.size() - in.left()))) finding("a state written otherwise");
    return;
  }
  const auto process = s.process();
  process->restore(input[1], content);
  for (int i = 0; i < 2 && process->done() < 7; ++i) process->advance();
  process->checkpoint();
  process->statistics();
  process->status();
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  for (unsigned kind = 0; kind < 4; ++kind) {
    const auto process = setting(kind).process();
    process->start();
    for (int step = 1; step <= 5; ++step) {
      process->advance();
      const std::string lead{static_cast<char>(kind), static_cast<char>(process->done())};
      if (step % 2 == 1) all.push_back(lead + text_of(process->checkpoint()));
      if (const auto draw = process->draw())
        all.push_back(std::string{static_cast<char>(kind | 128), 0} + text_of(draw->state));
    }
  }
  return all;
}

}  // namespace mbnn::fuzz
