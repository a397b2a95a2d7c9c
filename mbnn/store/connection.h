// What a FitFile holds while it is open.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/store/database.h"
#include "mbnn/store/fit_file.h"
#include "mbnn/store/schema.h"
#include "mbnn/store/writer_lock.h"

namespace mbnn {

struct FitFile::Connection {
  // Who appends without a lock here holds it elsewhere.
  Connection(const std::string& path, const std::string& shown_path, std::optional<WriterLock> held, bool may_append)
      : lock(std::move(held)),
        appends(may_append),
        database(path, shown_path, appends ? Database::Access::write : Database::Access::read) {
    verify_schema(database);
    configuration = read_meta(database, "configuration");
    encoding = read_meta(database, "encoding");
  }

  void require_append() const {
    if (!appends) throw InputError(fmt::format("{} is open for reading only", database.shown_path()));
  }

  // Before the database, so that it goes after it: closing its descriptor drops SQLite's locks on the file.
  std::optional<WriterLock> lock;
  bool appends;
  Database database;
  std::mutex mutex;  // guards all that follows a construction
  nlohmann::json configuration;
  nlohmann::json encoding;
};

}  // namespace mbnn
