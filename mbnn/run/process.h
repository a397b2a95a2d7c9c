// What a fit runs: something that advances from what its checkpoint holds and, now and then, gives a draw.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mbnn {

// A state as bytes, and the numbers that are stored beside it in the order of Problem::traces().
struct Draw {
  std::vector<std::byte> state;
  std::vector<double> traces;
};

// A number worth watching while a process runs.
struct Figure {
  std::string name;
  double value = 0;
  int decimals = -1;  // -1: four significant digits
};

// Where a process stands, for whoever watches. What only one kind has to say is a figure.
struct Status {
  std::size_t chain = 0;
  enum class Phase { waiting, starting, warming_up, sampling, training, finished } phase = Phase::waiting;
  std::int64_t done = 0, length = 0;
  std::string place;                // "epoch 3/10"; empty: done / length
  std::vector<std::size_t> widths;  // active nodes or channels, layer by layer or stage by stage
  std::vector<Figure> figures;
  double seconds_left = 0;  // estimated

  double figure(std::string_view name) const;  // 0 if there is none of that name
};

inline double Status::figure(std::string_view name) const {
  for (const Figure& figure : figures)
    if (figure.name == name) return figure.value;
  return 0;
}

// A chain, or a training that ends in draws. Every step starts from what a checkpoint holds and nothing else, so a
// restored process continues to the same bits.
class Process {
 public:
  virtual ~Process() = default;

  // A restored process does not need it.
  virtual void start() = 0;
  // An iteration, an epoch or a batch. Done stays as it is if the process was told to stop within it.
  virtual void advance() = 0;
  virtual std::int64_t done() const = 0;
  // The draw that the last step completed, if it completed one.
  virtual std::optional<Draw> draw() = 0;

  // Phase, widths and figures; the run fills in the rest.
  virtual Status status() const = 0;
  virtual nlohmann::json statistics() const = 0;  // totals so far: what the moves did and what it cost

  virtual std::vector<std::byte> checkpoint() const = 0;  // empty: it cannot be continued, nor need it be
  // `done` is that of the checkpoint. Throws InputError for bytes of another version.
  virtual void restore(std::int64_t done, std::span<const std::byte> checkpoint) = 0;
};

}  // namespace mbnn
