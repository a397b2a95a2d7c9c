// The state machine of delimited text, and the buffer that feeds it.
#include "mbnn/tables/columns/records.h"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

constexpr std::size_t chunk_bytes = 1 << 18;
// A record beyond this is a quote that was never closed, or no table at all.
constexpr std::size_t longest_record_bytes = std::size_t{1} << 26;

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(const char* begin, const char* end) {
  while (begin < end && is_blank(*begin)) ++begin;
  while (begin < end && is_blank(end[-1])) --end;
  return {begin, static_cast<std::size_t>(end - begin)};
}

// "" -> " inside the cell, in place.
std::string_view undoubled(std::string_view cell, char* begin) {
  char* out = begin;
  for (std::size_t i = 0; i < cell.size(); ++i) {
    *out++ = begin[i];
    if (begin[i] == '"') ++i;
  }
  return {begin, static_cast<std::size_t>(out - begin)};
}

// The first byte that is not UTF-8 text (NUL counts: text has none), or null.
const char* first_bad_byte(const char* p, const char* end) {
  while (p < end) {
    std::uint64_t word;
    if (end - p >= 8 && (std::memcpy(&word, p, 8), (word & 0x8080808080808080u) == 0)) {
      // The classic zero-byte test; exact here because no byte has its high bit set.
      if (((word - 0x0101010101010101u) & 0x8080808080808080u) == 0) {
        p += 8;
        continue;
      }
    }
    const auto lead = static_cast<unsigned char>(*p);
    if (lead == 0) return p;
    if (lead < 0x80) {
      ++p;
      continue;
    }
    const int more = lead >= 0xC2 && lead <= 0xDF   ? 1
                     : (lead & 0xF0) == 0xE0        ? 2
                     : lead >= 0xF0 && lead <= 0xF4 ? 3
                                                    : 0;
    if (more == 0 || end - p <= more) return p;
    for (int i = 1; i <= more; ++i)
      if ((static_cast<unsigned char>(p[i]) & 0xC0) != 0x80) return p;
    const auto second = static_cast<unsigned char>(p[1]);
    const bool overlong = (lead == 0xE0 && second < 0xA0) || (lead == 0xF0 && second < 0x90);
    const bool surrogate = lead == 0xED && second > 0x9F;
    const bool beyond_unicode = lead == 0xF4 && second > 0x8F;
    if (overlong || surrogate || beyond_unicode) return p;
    p += more + 1;
  }
  return nullptr;
}

}  // namespace

Split split_record(char* begin, char* end, bool end_of_file, char delimiter, std::vector<std::string_view>& cells) {
  cells.clear();
  Split split;
  const bool by_blanks = delimiter == blanks;
  // Places in `cells` that hold doubled quotes; rare, so the vector seldom allocates.
  std::vector<std::size_t> doubled;
  bool any_quoted = false;
  char* p = begin;
  const auto incomplete = [&] {
    split.status = Split::Status::incomplete;
    return split;
  };

  for (bool ended = false; !ended;) {
    while (p < end && is_blank(*p) && (by_blanks || *p != delimiter)) ++p;
    if (by_blanks && (p == end || *p == '\n' || *p == '\r')) {
      // Blanks at the end of a line open no further cell.
    } else if (p < end && *p == '"') {
      any_quoted = true;
      split.fault_line = split.lines;
      char* const start = ++p;
      bool has_doubled = false;
      for (;; ++p) {
        if (p == end) {
          if (!end_of_file) return incomplete();
          split.status = Split::Status::open_quote;
          return split;
        }
        if (*p == '\n') ++split.lines;
        if (*p != '"') continue;
        if (p + 1 == end || p[1] != '"') break;
        has_doubled = true;
        ++p;
      }
      if (has_doubled) doubled.push_back(cells.size());
      cells.emplace_back(start, static_cast<std::size_t>(p - start));
      ++p;
      const char* const closed = p;
      while (p < end && is_blank(*p) && (by_blanks || *p != delimiter)) ++p;
      const bool separated = p == end || *p == '\n' || *p == '\r' || (by_blanks ? p > closed : *p == delimiter);
      if (!separated) {
        split.fault_line = split.lines;
        split.status = Split::Status::text_after_quote;
        return split;
      }
    } else {
      char* const start = p;
      if (by_blanks) {
        while (p < end && !is_blank(*p) && *p != '\n' && *p != '\r') ++p;
      } else {
        while (p < end && *p != delimiter && *p != '\n' && *p != '\r') ++p;
      }
      cells.push_back(trimmed(start, p));
    }

    if (p == end) {
      if (!end_of_file) return incomplete();
      ended = true;
    } else if (*p == '\n' || *p == '\r') {
      if (*p == '\r' && p + 1 == end && !end_of_file) return incomplete();
      p += *p == '\r' && p + 1 < end && p[1] == '\n' ? 2 : 1;
      ++split.lines;
      ended = true;
    } else if (!by_blanks) {
      ++p;  // the delimiter
    }
  }

  for (const std::size_t i : doubled) cells[i] = undoubled(cells[i], begin + (cells[i].data() - begin));
  split.next = p;
  split.blank = !any_quoted && (cells.empty() || (cells.size() == 1 && cells[0].empty()));
  return split;
}

char guess_delimiter(std::string_view sample) {
  constexpr std::size_t records_tried = 50;
  // Before the comma come those beside which it is a decimal comma, or part of a text.
  constexpr char candidates[] = {'\t', ';', ',', blanks};

  std::optional<char> most_frequent;
  std::size_t most_cells = 1;
  std::vector<std::string_view> cells;
  for (const char delimiter : candidates) {
    std::vector<char> text(sample.begin(), sample.end());
    char* p = text.data();
    char* const end = p + text.size();
    std::size_t width = 0, records = 0;
    bool even = true, single = false;
    while (p < end && records < records_tried && even) {
      // A sample that ends inside the only record still shows its delimiter.
      const Split split = split_record(p, end, records == 0, delimiter, cells);
      if (split.status != Split::Status::record) {
        even = split.status == Split::Status::incomplete;
        break;
      }
      p = split.next;
      if (split.blank) continue;
      if (records++ == 0) width = cells.size();
      even = cells.size() == width;
      single = cells.size() == 1;
    }
    if (even && width > 1) return delimiter;
    // Blanks are the last resort: names and texts hold them, too.
    if (width > most_cells && !(delimiter == blanks && (most_frequent || single))) {
      most_frequent = delimiter;
      most_cells = width;
    }
  }
  return most_frequent.value_or(',');
}

RecordReader::RecordReader(std::string path) : path_(std::move(path)) {
  std::error_code ignored;
  const auto status = std::filesystem::status(path_, ignored);
  if (std::filesystem::is_directory(status)) throw InputError(path_ + ": is a directory; expected a table as text");
  source_ = std::make_unique<TextSource>(path_);
  regular_file_ = std::filesystem::is_regular_file(status);
  if (regular_file_ && source_->as_stored()) file_bytes_ = std::filesystem::file_size(path_, ignored);

  refill();
  if (sample().starts_with("SQLite format 3"))
    throw InputError(path_ + ": is an SQLite database, as a fit is; expected a table as text");
}

void RecordReader::refill() {
  const auto kept = static_cast<std::size_t>(end_ - begin_);
  if (kept > longest_record_bytes)
    throw InputError(fmt::format("{}, line {}: a row of more than {} MiB; a quote that is never closed, or not a table",
                                 path_, next_line_, longest_record_bytes >> 20));
  if (kept > 0) std::memmove(buffer_.data(), begin_, kept);
  if (buffer_.size() < kept + chunk_bytes) buffer_.resize(std::max(2 * buffer_.size(), kept + chunk_bytes));
  const std::size_t wanted = buffer_.size() - kept;
  const std::size_t count = source_->read(buffer_.data() + kept, wanted);
  end_of_file_ = count < wanted;
  bytes_read_ += count;
  begin_ = buffer_.data();
  end_ = begin_ + kept + count;
}

bool RecordReader::next(char delimiter, std::vector<std::string_view>& cells) {
  const bool first = line_ == 0;
  std::size_t blank = 0;
  for (;;) {
    if (begin_ == end_ && end_of_file_) return false;
    const Split split = split_record(begin_, end_, end_of_file_, delimiter, cells);
    if (split.status == Split::Status::incomplete) {
      refill();
      continue;
    }
    line_ = next_line_;
    if (split.status == Split::Status::record) check_text(begin_, split.next);
    if (split.status == Split::Status::open_quote)
      throw InputError(
          fmt::format("{}, line {}: a quote (\") opens here and is never closed", path_, line_ + split.fault_line));
    if (split.status == Split::Status::text_after_quote)
      throw InputError(
          fmt::format("{}, line {}: cell {} has text after its closing quote; expected a delimiter or the "
                      "end of the line (write a quote inside a quoted cell twice)",
                      path_, line_ + split.fault_line, cells.size()));
    next_line_ += split.lines;
    begin_ = split.next;
    if (!split.blank) {
      if (!first) blank_lines_ += blank;
      return true;
    }
    ++blank;
  }
}

void RecordReader::check_text(const char* begin, const char* end) const {
  const char* bad = first_bad_byte(begin, end);
  if (!bad) return;
  const auto line = line_ + static_cast<std::size_t>(std::count(begin, bad, '\n'));
  throw InputError(
      fmt::format("{}, line {}: byte 0x{:02X} is not UTF-8 text; convert the file to UTF-8 first (for "
                  "example iconv -f latin1 -t utf-8), or export a spreadsheet as CSV",
                  path_, line, static_cast<unsigned char>(*bad)));
}

}  // namespace mbnn
