#include "mbnn/series/gibbs.h"

#include <cmath>
#include <limits>

#include "mbnn/core/cholesky.h"
#include "mbnn/core/error.h"
#include "mbnn/net/mlp.h"
#include "mbnn/sample/slice.h"
#include "mbnn/sample/warm_start.h"
#include "mbnn/series/disturbances.h"

namespace mbnn {

namespace {

constexpr int kLinearSweeps = 50;  // before a network starts
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

std::vector<double> on_time_axis(const SeriesData& data, std::span<const double> values) {
  std::vector<double> series(static_cast<std::size_t>(data.steps), kNaN);
  for (std::size_t i = 0; i < data.times.size(); ++i) series[static_cast<std::size_t>(data.times[i])] = values[i];
  return series;
}

std::vector<double> regression_values(const Model& model, const State& state, const Batch& batch) {
  std::vector<double> f(batch.rows());
  Mlp mlp;
  mlp.set(state.shape(model), state.weights.data(), false);
  for (std::size_t t = 0; t < batch.x.count(); ++t) {
    const float* out = mlp.forward(batch.x.tile(t), batch.x.padded_rows(t));
    for (std::size_t r = 0; r < batch.x.valid_rows(t); ++r) f[batch.x.first_row(t) + r] = out[r];
  }
  return f;
}

SeriesBlock::SeriesBlock(const Model& model, const SeriesOptions& options, const SeriesData& data)
    : model_(&model),
      options_(options),
      y_(data.rows.y.begin(), data.rows.y.end()),
      times_(data.times),
      steps_(static_cast<std::size_t>(data.steps)) {
  const std::size_t inputs = data.rows.inputs;
  // A network starts behind a linear regression, so both need the columns.
  for (std::size_t k = 0; k <= inputs; ++k) {
    std::vector<double>& column = columns_.emplace_back(steps_, 0.0);
    for (std::size_t i = 0; i < data.rows.rows; ++i)
      column[static_cast<std::size_t>(times_[i])] = k < inputs ? data.rows.x[i * inputs + k] : 1;
  }
  if (!options_.needs_intercept()) columns_.pop_back();
  training_.rows = data.rows;
  auto batch = std::make_unique<Batch>(Batch::all(data.rows));
  batch_ = batch.get();
  training_.all = std::move(batch);
  training_.target_variance = 1;
}

void SeriesBlock::set_targets() {
  const StateSpace space(options_, parameters_);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double signal = space.observe(&path_[static_cast<std::size_t>(times_[i]) * space.states()]);
    training_.rows.y[i] = batch_->y[i] = static_cast<float>(y_[i] - signal);
  }
}

double SeriesBlock::squared_errors(std::span<const double> f) const {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double error = batch_->y[i] - f[i];
    sum += error * error;
  }
  return sum;
}

void SeriesBlock::start_from(SeriesParameters parameters, std::vector<double> path) {
  parameters_ = std::move(parameters);
  path_ = std::move(path);
  set_targets();
}

// A network that saw the whole target first would learn the trend as far as any regressor lets it.
State SeriesBlock::start(const WarmStartOptions& options, Rng& rng) {
  Model linear = *model_;
  linear.architecture.caps.clear();
  linear.masks = false;
  if (options_.network()) linear.weight_prior = {.family = WeightPrior::Family::normal, .scale = 1};
  State state;
  state.weight_scale = linear.weight_prior.scale;
  state.lambda = linear.width_prior.lambda;
  state.noise_variance = linear.noise_prior.fixed > 0 ? linear.noise_prior.fixed : 0.1;
  state.weights.assign(linear.architecture.inputs + 1, 0.0f);
  const StateSpace space(options_, SeriesParameters::start(options_, state.noise_variance));
  start_from(SeriesParameters::start(options_, state.noise_variance),
             std::vector<double>(steps_ * space.states(), 0.0));
  draw_regression_and_path(state, true, nullptr, rng);
  if (!options_.network()) return state;

  const Model* const network = std::exchange(model_, &linear);
  for (int sweep = 0; sweep < kLinearSweeps; ++sweep) {
    state.noise_variance = linear.noise_prior.draw_posterior(squared_errors(regression_values(linear, state, *batch_)),
                                                             static_cast<double>(y_.size()), rng);
    draw_disturbances(state, rng);
    draw_regression_and_path(state, true, nullptr, rng);
  }
  model_ = network;
  return warm_start(*model_, training_.rows, training_.all.get(), options, rng);
}

GibbsBlock::Fit SeriesBlock::move(State& state, Rng& rng) {
  if (!leaves_weights())
    state.noise_variance = model_->noise_prior.draw_posterior(
        squared_errors(regression_values(*model_, state, *batch_)), static_cast<double>(y_.size()), rng);
  draw_disturbances(state, rng);
  Fit fit{};
  draw_regression_and_path(state, !leaves_weights(), &fit, rng);
  fit.log_prior = log_prior(options_, parameters_);
  return fit;
}

// Given the path, then with it integrated out; the path is drawn anew afterwards.
void SeriesBlock::draw_disturbances(State& state, Rng& rng) {
  parameters_.noise = state.noise_variance;
  draw_parameters(options_, path_, parameters_, rng);
  const std::vector<double> f = regression_values(*model_, state, *batch_);
  std::vector<double> rest(steps_, kNaN);
  for (std::size_t i = 0; i < f.size(); ++i) rest[static_cast<std::size_t>(times_[i])] = y_[i] - f[i];
  slice_parameters(
      options_, model_->noise_prior,
      [&](const SeriesParameters& p) { return log_likelihood(StateSpace(options_, p), rest); }, parameters_, rng);
  state.noise_variance = parameters_.noise;
}

void SeriesBlock::draw_regression_and_path(State& state, bool linear, Fit* fit, Rng& rng) {
  const StateSpace space(options_, parameters_);
  std::vector<double> series(steps_, kNaN);
  for (std::size_t i = 0; i < y_.size(); ++i) series[static_cast<std::size_t>(times_[i])] = y_[i];
  const Gains gains(space, series);
  std::vector<double> f;
  if (linear) {
    draw_coefficients(gains, state, f, rng);
  } else {
    f = regression_values(*model_, state, *batch_);
    draw_constant(gains, state, f, rng);
  }
  for (std::size_t i = 0; i < y_.size(); ++i) series[static_cast<std::size_t>(times_[i])] -= f[i];
  path_ = draw_path(gains, series, rng);
  set_targets();
  if (!fit) return;
  fit->log_likelihood = gains.log_likelihood(gains.innovations(series));
  fit->training_error = std::sqrt(squared_errors(f) / static_cast<double>(y_.size()));
}

// With v the innovations of y - f and w those of a series of ones, log p(y | constant moved by c) is
// -1/2 sum (v - c w)² / F: a parabola, to which the prior of the output's bias is added.
void SeriesBlock::draw_constant(const Gains& gains, State& state, std::vector<double>& f, Rng& rng) {
  std::vector<double> rest(steps_, 0.0), ones(steps_, 1.0);
  for (std::size_t i = 0; i < f.size(); ++i) rest[static_cast<std::size_t>(times_[i])] = y_[i] - f[i];
  const auto v = gains.innovations(rest), w = gains.innovations(ones);
  double cross = 0, square = 0;
  for (std::size_t t = 0; t < steps_; ++t)
    if (gains.observed(t)) {
      cross += v[t] * w[t] / gains.variance(t);
      square += w[t] * w[t] / gains.variance(t);
    }
  const double before = state.weights.back();
  auto log_density = [&](double c) {
    const float bias = static_cast<float>(before + c);
    return cross * c - 0.5 * square * c * c + model_->weight_prior.log_density(std::span(&bias, 1), state.weight_scale);
  };
  const double width = 1 / std::sqrt(square + 1 / (state.weight_scale * state.weight_scale));
  const double moved = slice_sample(0.0, 2 * width, log_density, rng);
  state.weights.back() = static_cast<float>(before + moved);
  for (double& value : f) value += static_cast<double>(state.weights.back()) - before;
}

// Generalised least squares by the filter: the innovations of y and of each column are independent over time.
void SeriesBlock::draw_coefficients(const Gains& gains, State& state, std::vector<double>& f, Rng& rng) {
  const std::size_t count = columns_.size();
  std::vector<double> target(steps_, 0.0);
  for (std::size_t i = 0; i < y_.size(); ++i) target[static_cast<std::size_t>(times_[i])] = y_[i];
  std::vector<double> v = gains.innovations(target);
  std::vector<std::vector<double>> w;
  for (const auto& column : columns_) w.push_back(gains.innovations(column));
  for (std::size_t t = 0; t < steps_; ++t) {
    if (!gains.observed(t)) continue;
    const double scale = 1 / std::sqrt(gains.variance(t));
    v[t] *= scale;
    for (auto& column : w) column[t] *= scale;
  }
  auto inner = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t t = 0; t < steps_; ++t) sum += a[t] * b[t];
    return sum;
  };
  std::vector<double> precision(count * count), b(count);
  for (std::size_t i = 0; i < count; ++i) {
    b[i] = inner(w[i], v);
    for (std::size_t j = 0; j <= i; ++j) precision[i * count + j] = inner(w[i], w[j]);
    precision[i * count + i] += 1 / (state.weight_scale * state.weight_scale);
  }
  const Cholesky factor(std::move(precision), count);
  b = factor.solve_lower(b);
  for (double& value : b) value += rng.normal();
  b = factor.solve_upper(b);
  std::fill(state.weights.begin(), state.weights.end(), 0.0f);
  for (std::size_t i = 0; i < count; ++i) state.weights[i] = static_cast<float>(b[i]);
  f.assign(y_.size(), 0.0);
  for (std::size_t i = 0; i < y_.size(); ++i)
    for (std::size_t k = 0; k < count; ++k)
      f[i] += static_cast<double>(state.weights[k]) * columns_[k][static_cast<std::size_t>(times_[i])];
}

std::vector<double> SeriesBlock::traces() const {
  std::vector<double> values{std::sqrt(parameters_.level)};
  if (options_.trend == Trend::linear) values.push_back(std::sqrt(parameters_.slope));
  for (double variance : parameters_.season) values.push_back(std::sqrt(variance));
  if (options_.trend == Trend::damped) values.push_back(parameters_.damping);
  return values;
}

std::vector<std::string> series_trace_names(const SeriesOptions& options) {
  std::vector<std::string> names{"level_sd"};
  if (options.trend == Trend::linear) names.push_back("slope_sd");
  for (std::size_t period : options.seasons) names.push_back(fmt::format("season{}_sd", period));
  if (options.trend == Trend::damped) names.push_back("damping");
  return names;
}

SeriesParameters parameters_from_traces(const SeriesOptions& options, std::span<const double> traces, double noise) {
  if (traces.size() != series_trace_names(options).size())
    throw Error("the stored draws do not fit the series' configuration");
  SeriesParameters p = SeriesParameters::start(options, noise);
  std::size_t at = 0;
  p.level = traces[at] * traces[at];
  ++at;
  if (options.trend == Trend::linear) {
    p.slope = traces[at] * traces[at];
    ++at;
  }
  for (double& variance : p.season) {
    variance = traces[at] * traces[at];
    ++at;
  }
  if (options.trend == Trend::damped) p.damping = traces[at];
  return p;
}

void SeriesBlock::save(ByteWriter& out) const {
  out.put(parameters_.noise);
  out.put(parameters_.level);
  out.put(parameters_.slope);
  out.put_all(parameters_.season);
  out.put(parameters_.damping);
  out.put_all(path_);
}

void SeriesBlock::restore(ByteReader& in) {
  parameters_.noise = in.get<double>();
  parameters_.level = in.get<double>();
  parameters_.slope = in.get<double>();
  parameters_.season = in.get_all<double>();
  parameters_.damping = in.get<double>();
  path_ = in.get_all<double>();
  const StateSpace space(options_, SeriesParameters::start(options_, 1));
  if (parameters_.season.size() != options_.seasons.size() || path_.size() != steps_ * space.states())
    throw Error("the checkpoint does not fit the series' configuration");
  set_targets();
}

}  // namespace mbnn
