// How SQLite is set up for a fit, and what each of its result codes means to the user.
#include "mbnn/store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <array>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/store/content.h"

namespace mbnn {
namespace {

// Readers hold the file for milliseconds at a time (see FitFile::for_each_draw) and a check on opening for as long as
// the file takes to read once; whoever waits longer than this is waiting for a program that hangs.
constexpr int busy_milliseconds = 60'000;

// A reader that may not write sees a journal vanish between two looks when a writer finishes just then, and SQLite
// reports it as one to be rolled back. A journal that is truly left over is still there after these attempts.
template <class Attempt>
int retry_vanished_journal(Attempt attempt) {
  int code = attempt();
  for (int tries = 0; tries < 50 && code == SQLITE_READONLY_ROLLBACK; ++tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    code = attempt();
  }
  return code;
}

// A journal can name another one, for writes to several databases at once, and to undo it is to delete that file. A fit
// has never had such a journal; a stranger's could name any file of the user's.
void refuse_naming_journal(const std::string& path, const std::string& shown_path) {
  constexpr std::array<char, 8> magic{'\xd9', '\xd5', '\x05', '\xf9', '\x20', '\xa1', '\x63', '\xd7'};
  std::error_code none;
  const std::string journal = path + "-journal";
  if (!std::filesystem::is_regular_file(journal, none)) return;
  std::ifstream file(journal, std::ios::binary);
  std::array<char, 8> end{};
  if (file.seekg(-8, std::ios::end).read(end.data(), end.size()) && end == magic && file.tellg() > 512)
    throw InputError(
        fmt::format("{0}-journal is not as mbnn writes it: it names a further file. Remove it, and {0} can be read "
                    "as far as it is whole",
                    shown_path));
}

// Steps of SQLite's machine. A structure can be forged that leads it around for ever; a row of a fit takes a few tens
// of bytes and fewer steps than this for each.
constexpr std::int64_t steps_a_byte = 8, steps_at_least = 2'000'000;
constexpr int steps_at_a_time = 1000;

int use_steps(void* left) { return (*static_cast<std::int64_t*>(left) -= steps_at_a_time) < 0; }

}  // namespace

std::string damaged(const std::string& path, std::string_view detail) {
  return fmt::format("{} is damaged: {}. Use a copy or fit again; 'sqlite3 {} .recover' saves what can still be read",
                     path, detail, path);
}

void Database::Close::operator()(sqlite3* connection) const { sqlite3_close_v2(connection); }
void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

Database::Database(const std::string& path, std::string shown_path, Access access)
    : shown_path_(std::move(shown_path)) {
  refuse_naming_journal(path, shown_path_);
  // Readers ask for write access, too, and get by without it: rolling back what a killed writer left needs it.
  sqlite3* connection = nullptr;
  const int code = sqlite3_open_v2(path.c_str(), &connection, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
  connection_.reset(connection);
  if (code != SQLITE_OK) fail(code);
  sqlite3_extended_result_codes(connection, 1);
  sqlite3_busy_timeout(connection, busy_milliseconds);
  // Check cells as they are read. Triggers and views do not run; indices and checks could, so that verify_schema()
  // looks at the schema before anything else.
  for (const int off : {SQLITE_DBCONFIG_TRUSTED_SCHEMA, SQLITE_DBCONFIG_ENABLE_TRIGGER, SQLITE_DBCONFIG_ENABLE_VIEW})
    sqlite3_db_config(connection, off, 0, nullptr);
  sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_limit(connection, SQLITE_LIMIT_SQL_LENGTH, 10'000);
  sqlite3_limit(connection, SQLITE_LIMIT_EXPR_DEPTH, 20);
  sqlite3_limit(connection, SQLITE_LIMIT_ATTACHED, 0);
  std::error_code none;
  const auto bytes = std::filesystem::file_size(path, none);
  steps_left_ = std::make_unique<std::int64_t>(
      steps_at_least +
      (none ? 0 : steps_a_byte * static_cast<std::int64_t>(std::min<std::uintmax_t>(bytes, 1LL << 50))));
  sqlite3_progress_handler(connection, steps_at_a_time, use_steps, steps_left_.get());
  execute("PRAGMA cell_size_check = ON");
  // EXTRA also syncs the directory once the journal is gone: what was committed stays so after a power cut.
  execute(access == Access::read ? "PRAGMA query_only = ON" : "PRAGMA synchronous = EXTRA");
}

void Database::trust() { sqlite3_progress_handler(connection_.get(), 0, nullptr, nullptr); }

void Database::execute(const std::string& sql) {
  Statement statement = prepare(sql);
  while (statement.step()) {
  }
}

Statement Database::prepare(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = retry_vanished_journal([&] {
    return sqlite3_prepare_v2(connection_.get(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
  });
  if (code != SQLITE_OK) fail(code);
  return Statement(*this, statement);
}

std::int64_t Database::integer(std::string_view sql) {
  Statement statement = prepare(sql);
  if (!statement.step()) throw Error(damaged(shown_path_, fmt::format("'{}' gives no row", sql)));
  return statement.integer(0);
}

void Database::fail(int code) const {
  const auto system_reason = [this] {
    const int number = sqlite3_system_errno(connection_.get());
    return number != 0 ? std::strerror(number) : sqlite3_errmsg(connection_.get());
  };
  if (code == SQLITE_READONLY_ROLLBACK)
    throw Error(
        fmt::format("{0} was left in the middle of a write, and undoing that write needs permission to write "
                    "{0} and its directory: open it there once with that permission, or copy it together with "
                    "{0}-journal to a directory of your own",
                    shown_path_));
  if (code == SQLITE_READONLY_DBMOVED)
    throw InputError(fmt::format(
        "{} was removed or replaced while it was being written: it is no longer there to go on with", shown_path_));
  if (code == SQLITE_IOERR_WRITE || code == SQLITE_IOERR_FSYNC || code == SQLITE_IOERR_TRUNCATE)
    throw Error(fmt::format("{}: writing failed: the disk, a quota or a limit on file sizes does not let it grow",
                            shown_path_));
  if (code == SQLITE_IOERR_SHORT_READ) throw Error(damaged(shown_path_, "the file is shorter than it should be"));
  switch (code & 0xff) {
    case SQLITE_NOTADB:
      throw InputError(fmt::format("{} is not an mbnn fit: expected an SQLite database", shown_path_));
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      throw InputError(fmt::format("{} cannot be opened: {}", shown_path_, system_reason()));
    case SQLITE_READONLY:
      throw InputError(fmt::format("{} cannot be written: the file or its directory is read-only", shown_path_));
    case SQLITE_FULL:
      throw Error(fmt::format("{} cannot be written: disk full", shown_path_));
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      throw Error(fmt::format("{} has been kept locked by another program for {} seconds", shown_path_,
                              busy_milliseconds / 1000));
    case SQLITE_IOERR:
      throw Error(fmt::format("{}: input or output failed: {}", shown_path_, system_reason()));
    case SQLITE_INTERRUPT:
      throw InputError(foreign(shown_path_, "to read its structure takes longer than that of any fit of its size"));
    case SQLITE_NOMEM:
      throw Error(fmt::format("{}: out of memory", shown_path_));
    case SQLITE_CORRUPT:
    case SQLITE_ERROR:  // the schema was checked on opening: a statement that does not fit it points at damage
      throw Error(damaged(shown_path_, sqlite3_errmsg(connection_.get())));
    default:
      throw Error(fmt::format("{}: {}", shown_path_, sqlite3_errmsg(connection_.get())));
  }
}

Statement& Statement::bind(std::int64_t value) {
  const int code = sqlite3_bind_int64(statement_.get(), next_parameter_++, value);
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

Statement& Statement::bind(std::string_view text) {
  const char* data = text.data() ? text.data() : "";  // a null pointer would bind NULL
  const int code =
      sqlite3_bind_text64(statement_.get(), next_parameter_++, data, text.size(), SQLITE_STATIC, SQLITE_UTF8);
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

Statement& Statement::bind(std::span<const std::byte> bytes) {
  const void* data = bytes.empty() ? "" : static_cast<const void*>(bytes.data());
  const int code = sqlite3_bind_blob64(statement_.get(), next_parameter_++, data, bytes.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) database_->fail(code);
  return *this;
}

bool Statement::step() {
  const int code = retry_vanished_journal([this] { return sqlite3_step(statement_.get()); });
  if (code == SQLITE_ROW) return true;
  if (code != SQLITE_DONE) database_->fail(code);
  return false;
}

void Statement::run() {
  while (step()) {
  }
  sqlite3_reset(statement_.get());
  next_parameter_ = 1;
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(statement_.get(), column); }

std::string_view Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
  return {data ? data : "", static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

std::span<const std::byte> Statement::bytes(int column) const {
  const auto* data = static_cast<const std::byte*>(sqlite3_column_blob(statement_.get(), column));
  return {data, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column))};
}

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // A failed rollback leaves the journal, from which the next one to open the file does the same.
  if (!sqlite3_get_autocommit(database_.connection_.get()))
    sqlite3_exec(database_.connection_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() { database_.execute("COMMIT"); }

}  // namespace mbnn
