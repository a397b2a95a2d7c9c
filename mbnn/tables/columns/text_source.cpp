#include "mbnn/tables/columns/text_source.h"

#include <algorithm>
#include <string_view>

#include "mbnn/core/error.h"

namespace mbnn {
namespace {

void append_utf8(std::string& text, std::uint32_t character) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | character >> 6);
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3F));
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  }
}

}  // namespace

TextSource::TextSource(std::string path, std::uint64_t most) : file_(std::move(path), most) {
  constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", little_mark = "\xFF\xFE", big_mark = "\xFE\xFF";
  ready_.resize(4);  // an even number, so that units of two bytes stay whole
  ready_.resize(file_.read(ready_.data(), ready_.size()));
  if (ready_.starts_with(utf8_mark)) handed_out_ = utf8_mark.size();
  if (ready_.starts_with(little_mark)) encoding_ = Encoding::utf16_little;
  if (ready_.starts_with(big_mark)) encoding_ = Encoding::utf16_big;
  if (encoding_ == Encoding::utf8) return;
  const std::string head = std::move(ready_);
  ready_.clear();
  if (head.size() == 4) append_utf8(ready_, unit(reinterpret_cast<const std::uint8_t*>(head.data()) + 2));
}

std::uint32_t TextSource::unit(const std::uint8_t* bytes) const {
  const std::uint32_t first = bytes[0], second = bytes[1];
  return encoding_ == Encoding::utf16_little ? first | second << 8 : first << 8 | second;
}

std::size_t TextSource::read(char* to, std::size_t count) {
  std::size_t done = 0;
  while (done < count) {
    if (handed_out_ == ready_.size()) {
      if (encoding_ == Encoding::utf8) return done + file_.read(to + done, count - done);
      convert();
      if (ready_.empty()) break;
    }
    const std::size_t some = std::min(count - done, ready_.size() - handed_out_);
    std::copy_n(ready_.data() + handed_out_, some, to + done);
    handed_out_ += some;
    done += some;
  }
  return done;
}

void TextSource::convert() {
  constexpr std::size_t chunk = 1 << 16;
  ready_.clear();
  handed_out_ = 0;
  const auto damaged = [&](std::string_view what) {
    return InputError(fmt::format("{}, near byte {}: {}; expected UTF-16 text, as the file's first bytes say",
                                  file_.path(), file_.offset(), what));
  };
  while (ready_.empty()) {
    const std::vector<std::uint8_t> bytes = file_.read(chunk);
    if (bytes.size() % 2 != 0) throw damaged("half a character");
    if (bytes.empty() && high_ != 0) throw damaged("half a pair of surrogates");
    if (bytes.empty()) return;
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      const std::uint32_t half = unit(bytes.data() + i);
      const bool high = half >= 0xD800 && half < 0xDC00, low = half >= 0xDC00 && half < 0xE000;
      if ((high_ != 0) != low) throw damaged("half a pair of surrogates");
      if (high) {
        high_ = half;
      } else if (low) {
        append_utf8(ready_, 0x10000 + ((high_ - 0xD800) << 10) + (half - 0xDC00));
        high_ = 0;
      } else {
        append_utf8(ready_, half);
      }
    }
  }
}

}  // namespace mbnn
