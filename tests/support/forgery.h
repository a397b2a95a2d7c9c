// Fits as somebody would make them who means harm: rows of any content, with the checksums that belong to them.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mbnn/store/database.h"

namespace mbnn {

class Forgery {
 public:
  // The rows of a fit that is there are replaced or added in one transaction, which keep() ends.
  explicit Forgery(const std::string& path);
  void keep();

  void meta(std::string_view key, std::string_view text);
  void configuration(const std::function<void(nlohmann::json&)>& change);
  void encoding(const std::function<void(nlohmann::json&)>& change);
  void blob(std::string_view name, std::span<const std::byte> content, std::int64_t part = 0, std::int64_t parts = 1);
  void note(std::int64_t id, std::string_view line);
  void progress(std::int64_t chain, std::int64_t iteration, std::int64_t draws, bool has_checkpoint);
  void checkpoint(std::int64_t chain, std::int64_t iteration, std::span<const std::byte> state);
  void draw(std::int64_t chain, std::int64_t iteration, std::span<const std::byte> state,
            std::span<const std::byte> scalars);
  void statistics(std::int64_t chain, std::int64_t iteration, std::string_view text);
  void sql(const std::string& statement) { database_.execute(statement); }

  struct Row {
    std::int64_t chain, iteration;
    std::vector<std::byte> state, scalars;
  };
  std::vector<Row> draws();
  std::vector<Row> checkpoints();

 private:
  void change(const char* key, const std::function<void(nlohmann::json&)>& change);

  Database database_;
  Transaction transaction_;
};

}  // namespace mbnn
