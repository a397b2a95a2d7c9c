// The statements that make a fit file, and the order in which a file is found to be none, newer or damaged.
#include "mbnn/store/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "mbnn/core/error.h"
#include "mbnn/core/text.h"
#include "mbnn/store/checksum.h"
#include "mbnn/store/content.h"

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

// What stands in a schema, tables aside: the indices that SQLite makes for primary keys that are no numbers.
constexpr std::array keyed_tables{"meta", "blob", "draw", "statistics"};

// An index, a check or a default can hold expressions that run when the file is checked or written.
void verify_schema_whole(Database& database, std::int64_t version) {
  const std::string& path = database.shown_path();
  std::vector<std::string> expected;
  const auto entry = [](std::string_view type, std::string_view name, std::string_view table, std::string_view sql) {
    return fmt::format("{}\n{}\n{}\n{}", type, name, table, sql);
  };
  for (const SchemaTable& table : tables) expected.push_back(entry("table", table.name, table.name, table.definition));
  for (const char* table : keyed_tables)
    expected.push_back(entry("index", fmt::format("sqlite_autoindex_{}_1", table), table, ""));
  Statement row = database.prepare("SELECT type, name, tbl_name, sql FROM sqlite_schema");
  while (row.step()) {
    const auto found = std::ranges::find(expected, entry(row.text(0), row.text(1), row.text(2), row.text(3)));
    if (found != expected.end()) {
      expected.erase(found);
      continue;
    }
    const bool known = std::ranges::any_of(tables, [&](const SchemaTable& table) { return row.text(1) == table.name; });
    throw InputError(foreign(path, known ? fmt::format("table {} is defined otherwise", row.text(1))
                                         : fmt::format("it has a further {}, '{}'", row.text(0), row.text(1))));
  }
  if (!expected.empty())
    throw Error(
        damaged(path, fmt::format("{} of format {} is missing", mbnn::split(expected.front(), '\n')[1], version)));
}

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

  verify_schema_whole(database, version);
  // Another mode would bring further files. After the schema, which is parsed in any case.
  Statement mode = database.prepare("PRAGMA journal_mode");
  if (!mode.step() || mode.text(0) != "delete")
    throw InputError(foreign(path, fmt::format("its journal mode is '{}'; of a fit it is 'delete'", mode.text(0))));

  // The full check rather than quick_check: it also finds rows that an index has lost, and costs about the same,
  // since nearly all of a fit is blobs outside the indices.
  Statement check = database.prepare("PRAGMA integrity_check(1)");
  if (!check.step()) throw Error(damaged(path, "SQLite's integrity check gives no answer"));
  if (check.text(0) != "ok") throw Error(damaged(path, check.text(0)));
  database.trust();
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
  return parse_stored_json(row.text(0), fmt::format("{}, table meta, {}", database.shown_path(), key));
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
