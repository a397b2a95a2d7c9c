// What a fit of images has to say for itself: evidence, findings, description.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "mbnn/core/error.h"
#include "mbnn/core/json_values.h"
#include "mbnn/core/names.h"
#include "mbnn/images/image_problem.h"
#include "mbnn/images/loader.h"
#include "mbnn/images/predictor.h"
#include "mbnn/run/inspect.h"

namespace mbnn {

namespace {

std::vector<std::string> trace_names(const FitFile& file) {  // fits of older versions stored the loss alone
  return file.configuration().value("traces", std::vector<std::string>{"loss"});
}

template <class T>
std::vector<T> values_of(const std::vector<std::byte>& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

// The reference images of a fit; none in fits of older versions.
ImageSet reference_images(const FitFile& file) {
  if (!file.has_blob("reference/pixels")) return {};
  const nlohmann::json encoding = file.encoding();
  ImageSet images{0,
                  value_in<std::size_t>(encoding.at("channels")),
                  value_in<std::size_t>(encoding.at("height")),
                  value_in<std::size_t>(encoding.at("width")),
                  value_in<std::size_t>(encoding.at("classes")),
                  values_of<std::uint8_t>(file.get_blob("reference/pixels")),
                  values_of<std::uint16_t>(file.get_blob("reference/labels"))};
  images.count = images.labels.size();
  require_content(images.pixels.size() == images.count * images.image_size() &&
                      std::ranges::all_of(images.labels, [&](auto label) { return label < images.classes; }),
                  "its reference images are not whole, or have classes that there are not");
  return images;
}

}  // namespace

// What is predicted: the probability of each reference image's label.
Evidence ImageProblem::evidence(const FitFile& file) const {
  Evidence evidence;
  evidence.markov = configuration_.method == ImageMethod::mbnn;
  evidence.widths_move = evidence.markov && configuration_.chain.masks;
  evidence.fewest_draws = 4;  // R-hat can be computed; few networks already predict well together
  evidence.traces = stored_traces(file, trace_names(file));
  const ImageSet images = reference_images(file);
  for (std::size_t i = 0; i < images.count; ++i)
    evidence.predictions.push_back({fmt::format("probability[{}]", i), {}, 0});
  int chain = -1;
  double draws = 0;
  if (images.count > 0)
    file.for_each_draw([&](StoredDraw draw) {
      const CompactNetwork network = from_bytes(draw.state, fmt::format("a draw of {}", file.path()));
      ImagePredictor predictor({&network, 1}, 1);
      predictor.for_each_image(images, [&](std::size_t i, std::span<const double> p) {
        Quantity& quantity = evidence.predictions[i];
        if (draw.chain != chain) quantity.chains.emplace_back();
        const double value = p[images.labels[i]];
        quantity.chains.back().push_back(value);
        quantity.variance += value * (1 - value);
      });
      chain = draw.chain;
      ++draws;
    });
  for (Quantity& quantity : evidence.predictions) quantity.variance /= draws;
  return evidence;
}

void ImageProblem::judge(const FitFile&, Diagnosis& d) const {
  using L = Finding::Level;
  if (d.predictions.empty())
    d.add(L::note, "the fit has no reference images: it was begun by an older version",
          "R-hat and effective draws are those of the loss alone", "a new fit");
  if (configuration_.method == ImageMethod::mbnn)
    d.add(L::note, "mini-batch sampler without a correction",
          "its draws are approximate, and their spread depends on step size and temperature",
          "several chains, which predict together");
  else
    d.add(L::note, fmt::format("networks of the method {}", name_of(configuration_.method)),
          "R-hat and effective draws have no meaning for them", "scores on images that were held out");
  for (std::size_t c = 0; c < d.statistics.size(); ++c) {
    const auto& s = d.statistics[c];
    if (s.is_null()) continue;
    std::string line = fmt::format("chain {:<2} loss {:.4f}", c + 1, s.at("loss").get<double>());
    if (configuration_.method == ImageMethod::mbnn)
      line += fmt::format(", births {} of {} accepted, deaths {} of {}", s.at("accepted_births").dump(),
                          s.at("births").dump(), s.at("accepted_deaths").dump(), s.at("deaths").dump());
    d.moves.push_back(line);
  }
}

Description ImageProblem::describe(const FitFile& file) const {
  Description description;
  description.about.push_back(
      {"fit of", fmt::format("{} images from {}", encoding_.at("images").dump(), configuration_.data)});
  const std::size_t width = configuration_.base_width;
  description.about.push_back({"network", width > 0 ? fmt::format("{} {}", name_of(configuration_.network), width)
                                                    : name_of(configuration_.network)});
  if (configuration_.method != ImageMethod::mbnn)
    description.about.push_back({"method", name_of(configuration_.method)});
  const auto traces = stored_traces(file, trace_names(file));
  auto& json = description.json;
  for (const Quantity& trace : traces) {
    double sum = 0, count = 0;
    for (const auto& chain : trace.chains)
      for (double value : chain) sum += value, ++count;
    if (count == 0) continue;
    json[trace.name] = sum / count;
    if (trace.name == "loss") description.learnt.push_back({"loss", fmt::format("{:.4f}", sum / count)});
    if (trace.name == "channels") description.learnt.push_back({"channels", fmt::format("{:.1f}", sum / count)});
    if (trace.name == "capacity_percent")
      description.learnt.push_back({"capacity", fmt::format("{:.1f}% of the network at the start", sum / count)});
    if (trace.name == "flops_percent") description.learnt.push_back({"FLOPs", fmt::format("{:.1f}%", sum / count)});
  }
  for (std::size_t c = 0; c < chains(); ++c) {
    const auto statistics = file.statistics(static_cast<int>(c));
    if (!statistics || statistics->values.at("widths").empty()) continue;
    const auto& s = statistics->values;
    description.learnt.push_back(
        {"widths", fmt::format("{}", fmt::join(value_in<std::vector<std::size_t>>(s.at("widths")), " "))});
    if (configuration_.method == ImageMethod::mbnn)
      description.learnt.push_back(
          {"births", fmt::format("{} of {} accepted, deaths {} of {}", s.at("accepted_births").dump(),
                                 s.at("births").dump(), s.at("accepted_deaths").dump(), s.at("deaths").dump())});
    if (c > 0) continue;
    for (const char* name :
         {"widths", "multiply_adds", "parameters", "births", "accepted_births", "deaths", "accepted_deaths"})
      json[name] = s.at(name);
  }
  return description;
}

}  // namespace mbnn
