// What the tests of the fit file share: draws that can be known again, all that a fit holds, and calls in child
// processes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "mbnn/store/fit_file.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed, std::uint64_t stream);

// Given by its chain and iteration alone, so that any process can tell whether it is whole.
StoredDraw draw_of(int chain, std::int64_t iteration, std::size_t size = 700);
std::vector<std::byte> checkpoint_of(int chain, std::int64_t iteration);

// Commits `draws` iterations after `before`, each with its draw.
void commit_draws(FitFile& fit, int chain, std::int64_t before, int draws, std::size_t size = 700);

// All that can be read of a fit.
struct Content {
  nlohmann::json configuration, encoding;
  std::vector<std::string> notes;
  std::vector<std::byte> table;
  std::vector<ChainProgress> progress;
  std::vector<StoredDraw> draws;
  std::map<int, std::vector<std::byte>> checkpoints;
  std::vector<StoredStatistics> statistics;
  bool operator==(const Content&) const = default;
};

Content read_everything(const FitFile& fit);
Content read_everything(const std::string& path);

// A small fit with a row in every table and draws that overflow their pages.
void write_sample(const std::string& path);

// "" if the call went through, else the kind of error and its message.
std::string failure_of(const std::function<void()>& call);

// Runs the call in a child process; what failure_of would say, or the signal that ended it.
std::string failure_in_child(const std::function<void()>& call);

// In a child: permissions do not bind root.
void give_up_root();

}  // namespace mbnn
