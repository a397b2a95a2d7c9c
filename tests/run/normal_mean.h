// A fourth kind of problem, as small as one can be: the mean of numbers with a known standard deviation of 1.
#pragma once

#include <cmath>
#include <numeric>

#include "mbnn/core/bytes.h"
#include "mbnn/core/rng.h"
#include "mbnn/run/inspect.h"
#include "mbnn/run/run.h"

namespace mbnn {

// Metropolis with a step of 1 under a flat prior.
class MeanChain : public Process {
 public:
  MeanChain(const std::vector<double>& data, std::int64_t warmup, std::size_t index)
      : data_(&data), warmup_(warmup), rng_(7, index) {}

  void start() override { mean_ = 10 * rng_.normal(); }
  void advance() override {
    const double there = mean_ + rng_.normal();
    if (std::log(rng_.uniform()) < log_likelihood(there) - log_likelihood(mean_)) mean_ = there, ++accepted_;
    ++done_;
  }
  std::int64_t done() const override { return done_; }
  std::optional<Draw> draw() override {
    if (done_ <= warmup_) return {};
    ByteWriter out;
    out.put(mean_);
    return Draw{out.take(), {mean_}};
  }
  Status status() const override {
    Status status;
    status.figures = {{"mean", mean_}};
    return status;
  }
  nlohmann::json statistics() const override { return {{"accepted", accepted_}}; }
  std::vector<std::byte> checkpoint() const override {
    ByteWriter out;
    out.put(mean_);
    out.put(accepted_);
    out.put(rng_.state());
    return out.take();
  }
  void restore(std::int64_t done, std::span<const std::byte> checkpoint) override {
    ByteReader in(checkpoint);
    mean_ = in.get<double>();
    accepted_ = in.get<std::int64_t>();
    rng_ = Rng::from_state(in.get<Rng::State>());
    done_ = done;
  }

 private:
  double log_likelihood(double mean) const {
    double sum = 0;
    for (double y : *data_) sum -= 0.5 * (y - mean) * (y - mean);
    return sum;
  }

  const std::vector<double>* data_;
  std::int64_t warmup_, done_ = 0, accepted_ = 0;
  Rng rng_;
  double mean_ = 0;
};

class MeanProblem : public Problem {
 public:
  MeanProblem(std::vector<double> data, std::int64_t draws) : data_(std::move(data)), draws_(draws) {}
  static MeanProblem open(const FitFile& file) {
    const auto json = file.configuration();
    return {json.at("data").get<std::vector<double>>(), json.at("draws").get<std::int64_t>()};
  }

  std::string kind() const override { return "mean"; }
  nlohmann::json configuration() const override { return {{"data", data_}, {"draws", draws_}}; }
  nlohmann::json encoding() const override { return nlohmann::json::object(); }
  void store(FitFile&) const override {}
  std::vector<std::string> traces() const override { return {"mean"}; }
  std::size_t chains() const override { return 3; }
  std::int64_t length() const override { return kWarmup + draws_; }
  std::int64_t draws() const override { return draws_; }
  std::string step_name() const override { return "steps"; }
  void add_draws(std::int64_t further) override { draws_ += further; }
  std::unique_ptr<Process> process(std::size_t chain, const Resources&) const override {
    return std::make_unique<MeanChain>(data_, kWarmup, chain);
  }
  Evidence evidence(const FitFile& file) const override {
    Evidence evidence;
    evidence.traces = stored_traces(file, traces());
    evidence.predictions = evidence.traces;
    evidence.predictions[0].variance = 1;
    return evidence;
  }
  Description describe(const FitFile&) const override {
    return {{{"fit of", fmt::format("the mean of {} numbers", data_.size())}}, {}, {}};
  }

 private:
  static constexpr std::int64_t kWarmup = 200;
  std::vector<double> data_;
  std::int64_t draws_;
};

}  // namespace mbnn
