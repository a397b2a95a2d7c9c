// Creating and opening a fit, and what it holds beside its chains: configuration, named data and notes.
#include "mbnn/store/fit_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "mbnn/store/checksum.h"
#include "mbnn/store/connection.h"
#include "mbnn/store/replace_file.h"

namespace mbnn {
namespace {

// SQLite holds a row in memory and ends at 10^9 bytes a value; a training table may be larger.
constexpr std::size_t part_bytes = std::size_t{16} << 20;

// What can be said of a path before SQLite reads it. It is not opened here: closing it again would drop the locks
// that a fit open in this process has on it.
std::string resolve_existing(const std::string& shown_path) {
  struct stat status {};
  if (stat(shown_path.c_str(), &status) != 0)
    throw InputError(errno == ENOENT || errno == ENOTDIR
                         ? fmt::format("{}: no such file", shown_path)
                         : fmt::format("{} cannot be opened: {}", shown_path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode))
    throw InputError(fmt::format("{} is not an mbnn fit: expected a file, found a directory", shown_path));
  if (!S_ISREG(status.st_mode))
    throw InputError(fmt::format("{} is not an mbnn fit: expected a regular file", shown_path));
  if (status.st_size == 0)
    throw InputError(
        fmt::format("{} is not an mbnn fit: expected an SQLite database, found an empty file", shown_path));
  return std::filesystem::canonical(shown_path).string();
}

std::int64_t part_checksum(std::string_view name, std::int64_t part, std::int64_t parts,
                           std::span<const std::byte> content) {
  return Checksum("blob").add(name).add(part).add(parts).add(content).value();
}

std::int64_t note_checksum(std::int64_t id, std::string_view line) {
  return Checksum("note").add(id).add(line).value();
}

}  // namespace

FitFile::FitFile(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
FitFile::FitFile(FitFile&&) noexcept = default;
FitFile& FitFile::operator=(FitFile&&) noexcept = default;
FitFile::~FitFile() = default;

FitFile FitFile::create(const std::string& path, const nlohmann::json& configuration, const nlohmann::json& encoding,
                        bool overwrite, const std::function<void(FitFile&)>& fill) {
  const std::string target = resolve_target(path);
  ReplacementFile replacement(target, path, overwrite);
  {
    Database database(replacement.temporary_path(), path, Database::Access::write);
    Transaction transaction(database);
    create_schema(database);
    write_meta(database, "configuration", configuration);
    write_meta(database, "encoding", encoding);
    transaction.commit();
  }
  if (fill) {
    FitFile unplaced(std::make_unique<Connection>(replacement.temporary_path(), path, std::nullopt, true));
    fill(unplaced);
  }
  return FitFile(std::make_unique<Connection>(target, path, replacement.place(), true));
}

FitFile FitFile::open(const std::string& path, Mode mode) {
  const std::string target = resolve_existing(path);
  std::optional<WriterLock> lock;
  if (mode == Mode::append) lock.emplace(WriterLock::acquire(target, path));
  return FitFile(std::make_unique<Connection>(target, path, std::move(lock), mode == Mode::append));
}

const std::string& FitFile::path() const { return connection_->database.shown_path(); }

nlohmann::json FitFile::configuration() const {
  const std::scoped_lock guard(connection_->mutex);
  return connection_->configuration;
}

nlohmann::json FitFile::encoding() const { return connection_->encoding; }

void FitFile::set_configuration(const nlohmann::json& configuration) {
  connection_->require_append();
  const std::scoped_lock guard(connection_->mutex);
  Transaction transaction(connection_->database);
  write_meta(connection_->database, "configuration", configuration);
  transaction.commit();
  connection_->configuration = configuration;
}

void FitFile::put_blob(std::string_view name, std::span<const std::byte> content) {
  connection_->require_append();
  if (has_blob(name))
    throw InputError(fmt::format("{} already holds data named '{}', which never changes", path(), name));
  const std::scoped_lock guard(connection_->mutex);
  Transaction transaction(connection_->database);
  Statement insert =
      connection_->database.prepare("INSERT INTO blob (name, part, parts, content, checksum) VALUES (?, ?, ?, ?, ?)");
  const std::size_t full_or_begun = (content.size() + part_bytes - 1) / part_bytes;
  const auto parts = static_cast<std::int64_t>(std::max<std::size_t>(1, full_or_begun));  // empty data has one, too
  for (std::int64_t part = 0; part < parts; ++part) {
    const auto piece = content.subspan(part * part_bytes, std::min(part_bytes, content.size() - part * part_bytes));
    insert.bind(name).bind(part).bind(parts).bind(piece).bind(part_checksum(name, part, parts, piece)).run();
  }
  transaction.commit();
}

std::vector<std::byte> FitFile::get_blob(std::string_view name) const {
  const std::scoped_lock guard(connection_->mutex);
  Database& database = connection_->database;
  Statement row = database.prepare("SELECT part, parts, content, checksum FROM blob WHERE name = ? ORDER BY part");
  row.bind(name);
  std::vector<std::byte> content;
  std::int64_t part = 0, parts = 0;
  for (; row.step(); ++part) {
    parts = row.integer(1);
    const auto piece = row.bytes(2);
    verify_row(database, row.integer(0) == part && row.integer(3) == part_checksum(name, part, parts, piece), "blob",
               fmt::format("'{}', part {}", name, part));
    content.insert(content.end(), piece.begin(), piece.end());
  }
  if (part == 0) throw InputError(fmt::format("{} holds no data named '{}'", path(), name));
  if (part != parts)
    throw Error(damaged(path(), fmt::format("table blob, '{}': {} of {} parts are there", name, part, parts)));
  return content;
}

bool FitFile::has_blob(std::string_view name) const {
  const std::scoped_lock guard(connection_->mutex);
  return connection_->database.prepare("SELECT 1 FROM blob WHERE name = ?").bind(name).step();
}

void FitFile::note(std::string_view line) {
  connection_->require_append();
  const std::scoped_lock guard(connection_->mutex);
  Transaction transaction(connection_->database);
  const std::int64_t id = connection_->database.integer("SELECT coalesce(max(id), 0) + 1 FROM note");
  connection_->database.prepare("INSERT INTO note (id, line, checksum) VALUES (?, ?, ?)")
      .bind(id)
      .bind(line)
      .bind(note_checksum(id, line))
      .run();
  transaction.commit();
}

std::vector<std::string> FitFile::notes() const {
  const std::scoped_lock guard(connection_->mutex);
  Database& database = connection_->database;
  Statement row = database.prepare("SELECT id, line, checksum FROM note ORDER BY id");
  std::vector<std::string> lines;
  while (row.step()) {
    verify_row(database, row.integer(2) == note_checksum(row.integer(0), row.text(1)), "note",
               fmt::format("note {}", row.integer(0)));
    lines.emplace_back(row.text(1));
  }
  return lines;
}

}  // namespace mbnn
