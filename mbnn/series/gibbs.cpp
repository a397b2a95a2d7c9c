#include "mbnn/series/gibbs.h"

#include <cmath>
#include <limits>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/net/dense/mlp.h"
#include "mbnn/series/coefficients.h"
#include "mbnn/series/disturbances.h"
#include "mbnn/tables/warm_start.h"

namespace mbnn {

namespace {

constexpr int kLinearSweeps = 50;  // before a network starts
constexpr double kPinned = 1e6;    // rows that a prior of the noise counts for, to hold it where it is
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
  training_.all = Batch::all(data.rows);
  training_.target_square = 1;
}

void SeriesBlock::set_targets() {
  const StateSpace space(options_, parameters_);
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double signal = space.observe(&path_[static_cast<std::size_t>(times_[i]) * space.states()]);
    training_.rows.y[i] = training_.all->y[i] = static_cast<float>(y_[i] - signal);
  }
}

double SeriesBlock::squared_errors(std::span<const double> f) const {
  double sum = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double error = training_.all->y[i] - f[i];
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
State SeriesBlock::start(std::size_t width, const WarmStartOptions& options, Rng& rng) {
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
  const Model* const own = std::exchange(model_, &linear);
  draw_regression_and_path(state, true, nullptr, rng);
  for (int sweep = 0; options_.network() && sweep < kLinearSweeps; ++sweep) {
    state.noise_variance = linear.noise_prior.draw_posterior(
        squared_errors(regression_values(linear, state, *training_.all)), static_cast<double>(y_.size()), rng);
    draw_disturbances(state, rng);
    draw_regression_and_path(state, true, nullptr, rng);
  }
  model_ = own;
  if (!options_.network()) return state;

  // The mode of a wide network fits the noise of a series, and its chain stays there: nodes that explain noise look
  // needed where the noise is small. Found at the noise that a line leaves, it has nothing to gain from them.
  Model held = *model_;
  if (options.steps > 0 && held.noise_prior.fixed == 0)
    held.noise_prior = {.shape = kPinned, .rate = kPinned * state.noise_variance};
  return warm_start(held, training_.rows, &*training_.all, width, options, rng);
}

GibbsBlock::Fit SeriesBlock::move(State& state, Rng& rng) {
  if (!leaves_weights())
    state.noise_variance = model_->noise_prior.draw_posterior(
        squared_errors(regression_values(*model_, state, *training_.all)), static_cast<double>(y_.size()), rng);
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
  const std::vector<double> f = regression_values(*model_, state, *training_.all);
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
    f = draw_last_weights(gains, columns_, 0, state, rng);
  } else {
    const auto columns = output_columns(state);
    f = draw_last_weights(gains, columns, state.weights.size() - columns.size(), state, rng);
  }
  for (std::size_t i = 0; i < y_.size(); ++i) series[static_cast<std::size_t>(times_[i])] -= f[i];
  path_ = draw_path(gains, series, rng);
  set_targets();
  if (!fit) return;
  fit->log_likelihood = gains.log_likelihood(gains.innovations(series));
  fit->training_error = std::sqrt(squared_errors(f) / static_cast<double>(y_.size()));
}

// The last hidden layer of a network on the time axis, and the constant.
std::vector<std::vector<double>> SeriesBlock::output_columns(const State& state) const {
  Shape below = state.shape(*model_);
  below.widths.pop_back();
  std::vector<std::vector<double>> columns(below.outputs(), std::vector<double>(steps_, 0.0));
  Mlp mlp;
  mlp.set(below, state.weights.data(), false);
  const Tiles& x = training_.all->x;
  for (std::size_t t = 0; t < x.count(); ++t) {
    const float* out = mlp.forward(x.tile(t), x.padded_rows(t));
    for (std::size_t k = 0; k < columns.size(); ++k)
      for (std::size_t r = 0; r < x.valid_rows(t); ++r)
        columns[k][static_cast<std::size_t>(times_[x.first_row(t) + r])] = std::max(0.0f, out[k * kTileRows + r]);
  }
  columns.emplace_back(steps_, 1.0);
  return columns;
}

// The weights from `first` on multiply the columns, and nothing else of f depends on them.
std::vector<double> SeriesBlock::draw_last_weights(const Gains& gains, const std::vector<std::vector<double>>& columns,
                                                   std::size_t first, State& state, Rng& rng) {
  std::vector<double> target(steps_, 0.0), precisions;
  for (std::size_t i = 0; i < y_.size(); ++i) target[static_cast<std::size_t>(times_[i])] = y_[i];
  for (std::size_t k = 0; k < columns.size(); ++k)
    precisions.push_back(model_->weight_prior.draw_precision_of(state.weights[first + k], state.weight_scale, rng));
  const std::vector<double> drawn = draw_coefficients(gains, target, columns, precisions, rng);
  for (std::size_t k = 0; k < drawn.size(); ++k) state.weights[first + k] = static_cast<float>(drawn[k]);
  std::vector<double> f(y_.size(), 0.0);
  for (std::size_t i = 0; i < y_.size(); ++i)
    for (std::size_t k = 0; k < columns.size(); ++k)
      f[i] += static_cast<double>(state.weights[first + k]) * columns[k][static_cast<std::size_t>(times_[i])];
  return f;
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
  for (const Season& season : options.seasons) names.push_back(fmt::format("season{}_sd", season.length()));
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
