// The tables of a fit file, its marks, and the checks that a file on disk is one: docs/file-format.md in code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "mbnn/store/database.h"

namespace mbnn {

inline constexpr std::int64_t fit_application_id = 0x6d626e6e;  // "mbnn"
inline constexpr std::int64_t fit_format_version = 1;

// Writes marks and tables into an empty database; the caller's transaction.
void create_schema(Database& database);

// Throws InputError unless this is a fit that this program can read, Error if it is one but damaged.
void verify_schema(Database& database);

// The rows of table `meta`, by their key.
void write_meta(Database& database, std::string_view key, const nlohmann::json& value);
nlohmann::json read_meta(Database& database, std::string_view key);

// Throws InputError for text that is not UTF-8, which JSON cannot hold.
std::string to_text(const nlohmann::json& value, std::string_view what);

// Throws Error naming file, table and row unless the row is as it was written.
void verify_row(const Database& database, bool intact, std::string_view table, const std::string& row);

}  // namespace mbnn
