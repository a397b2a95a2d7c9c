// Where a run keeps what its processes produce: in a fit file, or in memory.
#pragma once

#include <optional>
#include <vector>

#include "mbnn/run/run.h"

namespace mbnn {

class Keeper {
 public:
  virtual ~Keeper() = default;
  virtual std::int64_t done(std::size_t chain) const = 0;  // 0 before its first commit
  virtual std::int64_t draws(std::size_t chain) const = 0;
  // Lets the process go on from the chain's checkpoint; false if there is none.
  virtual bool restore(std::size_t chain, Process& process) const = 0;
  // Whether it wants checkpoints and statistics at all.
  virtual bool lasting() const = 0;
  virtual void keep(std::size_t chain, std::int64_t done, std::vector<StoredDraw> draws,
                    const nlohmann::json& statistics, const std::vector<std::byte>& checkpoint) = 0;
};

class FileKeeper : public Keeper {
 public:
  explicit FileKeeper(FitFile& file);
  std::int64_t done(std::size_t chain) const override;
  std::int64_t draws(std::size_t chain) const override { return file_.draw_count(static_cast<int>(chain)); }
  bool restore(std::size_t chain, Process& process) const override;
  bool lasting() const override { return true; }
  void keep(std::size_t chain, std::int64_t done, std::vector<StoredDraw> draws, const nlohmann::json& statistics,
            const std::vector<std::byte>& checkpoint) override {
    file_.commit(static_cast<int>(chain), done, draws, statistics, checkpoint);
  }

 private:
  FitFile& file_;
};

class MemoryKeeper : public Keeper {
 public:
  explicit MemoryKeeper(DrawLists& draws) : lists_(draws) {}
  std::int64_t done(std::size_t) const override { return 0; }
  std::int64_t draws(std::size_t chain) const override { return static_cast<std::int64_t>(lists_[chain].size()); }
  bool restore(std::size_t, Process&) const override { return false; }
  bool lasting() const override { return false; }
  void keep(std::size_t chain, std::int64_t, std::vector<StoredDraw> draws, const nlohmann::json&,
            const std::vector<std::byte>&) override {
    for (StoredDraw& draw : draws) lists_[chain].push_back({std::move(draw.state), std::move(draw.scalars)});
  }

 private:
  DrawLists& lists_;
};

}  // namespace mbnn
