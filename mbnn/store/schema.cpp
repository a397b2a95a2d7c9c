// The statements that make a fit file, and the order in which a file is found to be none, newer or damaged.
#include "mbnn/store/schema.h"

#include <fmt/format.h>

#include <array>

#include "mbnn/core/error.h"
#include "mbnn/store/checksum.h"

namespace mbnn {
namespace {

struct SchemaTable {
  const char* name;
  const char* definition;
};

// SQLite keeps these texts as they stand; verify_schema compares them. A change here is a new format version.
constexpr std::array tables{
    SchemaTable{"meta", "CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, checksum INTEGER NOT NULL)"},
    SchemaTable{
        "blob",
        "CREATE TABLE blob (name TEXT NOT NULL, part INTEGER NOT NULL, parts INTEGER NOT NULL, content BLOB NOT NULL, "
        "checksum INTEGER NOT NULL, PRIMARY KEY (name, part))"},
    SchemaTable{"note", "CREATE TABLE note (id INTEGER PRIMARY KEY, line TEXT NOT NULL, checksum INTEGER NOT NULL)"},
    SchemaTable{"progress",
                "CREATE TABLE progress (chain INTEGER PRIMARY KEY, iteration INTEGER NOT NULL, draws INTEGER NOT NULL, "
                "has_checkpoint INTEGER NOT NULL, checksum INTEGER NOT NULL)"},
    SchemaTable{"checkpoint",
                "CREATE TABLE checkpoint (chain INTEGER PRIMARY KEY, iteration INTEGER NOT NULL, state BLOB NOT NULL, "
                "checksum INTEGER NOT NULL)"},
    SchemaTable{"draw",
                "CREATE TABLE draw (chain INTEGER NOT NULL, iteration INTEGER NOT NULL, state BLOB NOT NULL, "
                "scalars BLOB NOT NULL, checksum INTEGER NOT NULL, PRIMARY KEY (chain, iteration))"},
    SchemaTable{"statistics",
                "CREATE TABLE statistics (chain INTEGER NOT NULL, iteration INTEGER NOT NULL, value TEXT NOT NULL, "
                "checksum INTEGER NOT NULL, PRIMARY KEY (chain, iteration))"},
};

std::int64_t meta_checksum(std::string_view key, std::string_view value) {
  return Checksum("meta").add(key).add(value).value();
}

}  // namespace

void create_schema(Database& database) {
  database.execute(fmt::format("PRAGMA application_id = {}", fit_application_id));
  database.execute(fmt::format("PRAGMA user_version = {}", fit_format_version));
  for (const SchemaTable& table : tables) database.execute(table.definition);
}

void verify_schema(Database& database) {
  const std::string& path = database.shown_path();
  const std::int64_t application = database.integer("PRAGMA application_id");
  if (application != fit_application_id)
    throw InputError(
        fmt::format("{} is not an mbnn fit: expected an SQLite database with application id {:#x}, "
                    "found {:#x}: it belongs to another program",
                    path, fit_application_id, static_cast<std::uint32_t>(application)));
  const std::int64_t version = database.integer("PRAGMA user_version");
  if (version > fit_format_version)
    throw InputError(fmt::format("{} was written by a newer mbnn (format {}; this program reads up to {}): upgrade",
                                 path, version, fit_format_version));
  if (version < 1) throw Error(damaged(path, fmt::format("format version {} was never written", version)));

  // The full check rather than quick_check: it also finds rows that an index has lost, and costs about the same,
  // since nearly all of a fit is blobs outside the indices.
  Statement check = database.prepare("PRAGMA integrity_check(1)");
  if (!check.step()) throw Error(damaged(path, "SQLite's integrity check gives no answer"));
  if (check.text(0) != "ok") throw Error(damaged(path, check.text(0)));

  for (const SchemaTable& table : tables) {
    Statement found = database.prepare("SELECT sql FROM sqlite_schema WHERE type = 'table' AND name = ?");
    found.bind(std::string_view(table.name));
    if (!found.step() || found.text(0) != table.definition)
      throw Error(damaged(path, fmt::format("table {} is missing or is not of format {}", table.name, version)));
  }
}

void write_meta(Database& database, std::string_view key, const nlohmann::json& value) {
  const std::string text = to_text(value, key);
  database.prepare("INSERT OR REPLACE INTO meta (key, value, checksum) VALUES (?, ?, ?)")
      .bind(key)
      .bind(text)
      .bind(meta_checksum(key, text))
      .run();
}

nlohmann::json read_meta(Database& database, std::string_view key) {
  Statement row = database.prepare("SELECT value, checksum FROM meta WHERE key = ?");
  row.bind(key);
  const std::string name(key);
  if (!row.step()) throw Error(damaged(database.shown_path(), fmt::format("table meta has no row '{}'", key)));
  verify_row(database, row.integer(1) == meta_checksum(key, row.text(0)), "meta", name);
  return nlohmann::json::parse(row.text(0));
}

std::string to_text(const nlohmann::json& value, std::string_view what) {
  try {
    return value.dump();
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("the {} cannot be stored as JSON: expected text in UTF-8 ({})", what, error.what()));
  }
}

void verify_row(const Database& database, bool intact, std::string_view table, const std::string& row) {
  if (!intact)
    throw Error(
        damaged(database.shown_path(), fmt::format("table {}, {}: the row does not match its checksum", table, row)));
}

}  // namespace mbnn
