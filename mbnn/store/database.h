// One SQLite connection with values, statements and transactions, whose failures leave as mbnn errors naming the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

// sqlite3.h stays out of the headers: users of the library need not have it.
struct sqlite3;
struct sqlite3_stmt;

namespace mbnn {

// The message of every damaged fit: what is wrong, and what can be done.
std::string damaged(const std::string& path, std::string_view detail);

class Statement;

class Database {
 public:
  enum class Access { read, write };

  // The file must exist. `shown_path` is the user's spelling, for messages; `path` is absolute. It may come from a
  // stranger: until trust(), statements may take so many steps only as a fit of its size can ask for.
  Database(const std::string& path, std::string shown_path, Access access);
  void trust();

  const std::string& shown_path() const { return shown_path_; }
  void execute(const std::string& sql);
  Statement prepare(std::string_view sql);
  std::int64_t integer(std::string_view sql);

  // Throws what an SQLite result code means for this file: InputError for what is no database or may not be
  // opened, Error for the rest.
  [[noreturn]] void fail(int code) const;

 private:
  friend class Transaction;
  struct Close {
    void operator()(sqlite3* connection) const;
  };
  std::string shown_path_;
  std::unique_ptr<std::int64_t> steps_left_;  // before the connection, which refers to it
  std::unique_ptr<sqlite3, Close> connection_;
};

// Parameters are bound in turn; what is bound must outlive the steps.
class Statement {
 public:
  Statement& bind(std::int64_t value);
  Statement& bind(std::string_view text);
  Statement& bind(std::span<const std::byte> bytes);

  bool step();  // true while there is a row
  void run();   // for statements without rows; ready to be bound again

  std::int64_t integer(int column) const;
  std::string_view text(int column) const;             // valid until the next step
  std::span<const std::byte> bytes(int column) const;  // valid until the next step

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  Statement(const Database& database, sqlite3_stmt* statement) : database_(&database), statement_(statement) {}

  const Database* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  int next_parameter_ = 1;
};

// Writing takes the write lock at once; undone unless commit() was reached. Reading sees one state of the file.
class Transaction {
 public:
  enum class Kind { read, write };
  explicit Transaction(Database& database, Kind kind = Kind::write);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Database& database_;
};

}  // namespace mbnn
