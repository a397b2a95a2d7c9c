#include "apps/reproduce/rows_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>
#include <utility>

#include "mbnn/core/error.h"
#include "mbnn/core/text.h"

namespace mbnn::studies {

namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (char c : line)
    if (c == ',')
      cells.emplace_back();
    else
      cells.back() += c;
  return cells;
}

struct Parsed {
  std::vector<Row> rows;
  std::size_t bytes = 0;  // up to here the file is whole
};

// A line that a crash cut short has no end, or after a power cut the wrong number of cells; only the last line can.
// `columns` become those of a file from before there was a hash of what repetitions share.
Parsed parse(const std::string& path, const std::string& text, std::vector<std::string>& columns) {
  Parsed parsed;
  for (std::size_t line = 1, begin = 0; begin < text.size(); ++line) {
    const std::size_t end = text.find('\n', begin);
    if (end == text.npos) break;
    const auto cells = cells_of(text.substr(begin, end - begin));
    if (line == 1)
      if (auto earlier = columns; std::erase(earlier, "common") > 0 && cells == earlier) columns = earlier;
    if (line == 1 && cells != columns)
      throw InputError(fmt::format("{}: its columns are not those of this study ({}): choose another --out", path,
                                   fmt::join(columns, ",")));
    if (cells.size() != columns.size()) {
      if (end + 1 == text.size()) break;
      throw InputError(
          fmt::format("{}, line {}: expected {} cells, found {}", path, line, columns.size(), cells.size()));
    }
    if (line > 1) {
      Row& row = parsed.rows.emplace_back();
      for (std::size_t i = 0; i < cells.size(); ++i) row[columns[i]] = cells[i];
    }
    parsed.bytes = begin = end + 1;
  }
  return parsed;
}

}  // namespace

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

double number(const Row& row, const std::string& column) {
  const auto found = row.find(column);
  if (found == row.end()) throw Error(fmt::format("a row has no column '{}'", column));
  const std::string& text = found->second;
  if (text.empty()) return std::numeric_limits<double>::quiet_NaN();
  const auto value = number_in<double>(text);
  if (!value) throw InputError(fmt::format("column '{}': expected a number, found '{}'", column, text));
  return *value;
}

std::string cell(double value) { return std::isnan(value) ? "" : fmt::format("{:.10g}", value); }

RowsFile::RowsFile(std::string path, std::vector<std::string> columns, int descriptor)
    : path_(std::move(path)), columns_(std::move(columns)), descriptor_(descriptor) {}

RowsFile::RowsFile(RowsFile&& other) noexcept
    : path_(std::move(other.path_)),
      columns_(std::move(other.columns_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      rows_(std::move(other.rows_)) {}

RowsFile::~RowsFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

RowsFile RowsFile::append_to(const std::string& path, const std::vector<std::string>& columns) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) throw InputError(fmt::format("{} cannot be written: {}", path, std::strerror(errno)));
  RowsFile file(path, columns, descriptor);
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    throw InputError(fmt::format("{} is being written by another run: choose another --out", path));
  Parsed parsed = parse(path, content_of(path), file.columns_);
  file.rows_ = std::move(parsed.rows);
  if (ftruncate(descriptor, static_cast<off_t>(parsed.bytes)) != 0)
    throw Error(fmt::format("{} could not be written: {}", path, std::strerror(errno)));
  if (parsed.bytes == 0) file.write_line(fmt::format("{}\n", fmt::join(columns, ",")));
  return file;
}

std::vector<Row> RowsFile::read(const std::string& path, const std::vector<std::string>& columns) {
  if (access(path.c_str(), R_OK) != 0)
    throw InputError(fmt::format("{} cannot be read: {}: run the study first", path, std::strerror(errno)));
  std::vector<std::string> found = columns;
  return parse(path, content_of(path), found).rows;
}

void RowsFile::append(const Row& row) {
  std::string line;
  for (const std::string& column : columns_) {
    const auto found = row.find(column);
    const std::string value = found == row.end() ? "" : found->second;
    if (value.find_first_of(",\n\"") != value.npos)
      throw Error(fmt::format("column '{}': a cell cannot hold '{}'", column, value));
    line += (line.empty() && &column == &columns_.front() ? "" : ",") + value;
  }
  write_line(line + '\n');
  rows_.push_back(row);
}

void RowsFile::write_line(const std::string& line) {
  const ssize_t written = ::write(descriptor_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()) || fsync(descriptor_) != 0)
    throw Error(fmt::format("{} could not be written: {}", path_, written < 0 ? std::strerror(errno) : "disk full"));
}

}  // namespace mbnn::studies
