// The fit file: configuration, encoding, draws, statistics and checkpoints in one SQLite database that is readable
// after any crash. Draws and checkpoints are bytes here; mbnn/chain gives them their meaning.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace mbnn {

struct StoredDraw {
  int chain = 0;
  std::int64_t iteration = 0;
  std::vector<std::byte> state;  // the encoded network
  std::vector<double> scalars;   // one value a trace; the configuration holds the names once
  bool operator==(const StoredDraw&) const = default;
};

struct StoredStatistics {
  int chain = 0;
  std::int64_t iteration = 0;  // the last one that the values cover
  nlohmann::json values;       // kernel counts, seconds, ...
  bool operator==(const StoredStatistics&) const = default;
};

struct ChainProgress {
  int chain = 0;
  std::int64_t iteration = 0;
  std::int64_t draws = 0;
  bool has_checkpoint = false;
  bool operator==(const ChainProgress&) const = default;
};

// Throughout: InputError for a path or file that cannot be a fit, Error for damage and failing disks, each naming the
// path. Every method may be called from several threads; while one process appends, others may read.
class FitFile {
 public:
  enum class Mode { read, append };

  // Builds the file beside `path` and renames it into place once its header and what `fill` puts into it are on disk: a
  // crash or a full disk leaves the old file or the new one. An existing file is refused unless `overwrite`, and always
  // if it is no database or while another fit writes it.
  static FitFile create(const std::string& path, const nlohmann::json& configuration, const nlohmann::json& encoding,
                        bool overwrite, const std::function<void(FitFile&)>& fill = {});

  // Checks the whole structure, which reads the file once. Mode::append is refused while another fit appends.
  static FitFile open(const std::string& path, Mode mode);

  FitFile(FitFile&&) noexcept;
  FitFile& operator=(FitFile&&) noexcept;
  ~FitFile();

  const std::string& path() const;
  nlohmann::json configuration() const;
  nlohmann::json encoding() const;
  void set_configuration(const nlohmann::json& configuration);  // such as more draws wanted on resume

  // Named data that never changes, such as the training table that the chains need on resume.
  void put_blob(std::string_view name, std::span<const std::byte> content);
  std::vector<std::byte> get_blob(std::string_view name) const;
  bool has_blob(std::string_view name) const;

  // One transaction, on disk on return: the draws since the last call, the statistics up to this iteration (none if
  // null), and the checkpoint that follows them. An empty checkpoint takes away the previous one, from which a
  // resumed chain would repeat these draws. Iterations grow: draws lie after the last commit and up to `iteration`.
  void commit(int chain, std::int64_t iteration, std::span<const StoredDraw> draws, const nlohmann::json& statistics,
              std::span<const std::byte> checkpoint);

  std::vector<ChainProgress> progress() const;  // the chains that have committed, by number
  std::int64_t draw_count(int chain) const;     // 0 for a chain that has not committed
  std::vector<StoredDraw> draws(int chain) const;
  // What was committed when it was called, by chain and then iteration, a few draws in memory at a time. The callback
  // may take its time and use this file: no lock is held meanwhile.
  void for_each_draw(const std::function<void(StoredDraw)>& visit) const;
  std::optional<std::vector<std::byte>> checkpoint(int chain) const;
  std::optional<StoredStatistics> statistics(int chain) const;  // of its last commit that had any

  // Lines for the user that belong to the fit, such as what was said about columns.
  void note(std::string_view line);
  std::vector<std::string> notes() const;

 private:
  struct Connection;
  explicit FitFile(std::unique_ptr<Connection> connection);
  void visit_draws(const ChainProgress& upto, const std::function<void(StoredDraw)>& visit) const;
  std::unique_ptr<Connection> connection_;
};

}  // namespace mbnn
