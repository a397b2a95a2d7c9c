// Compressed files and those of other encodings give the same table as plain text.
#include "mbnn/tables/columns/text_source.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "mbnn/core/error.h"
#include "mbnn/tables/columns/table.h"
#include "tests/support/temporary_directory.h"

namespace mbnn {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

class TextSourceTest : public testing::Test {
 protected:
  std::string write(const std::string& content) const {
    const std::string path = directory_ / "data.csv";
    write_bytes(path, content);
    return path;
  }
  std::string compressed(const std::string& content) const {
    const std::string path = directory_ / "data.csv";
    write_gzip(path, content);
    return path;
  }
  static std::string text_of(TextSource source, std::size_t piece) {
    std::string text, part(piece, '\0');
    for (;;) {
      const std::size_t got = source.read(part.data(), piece);
      text.append(part, 0, got);
      if (got < piece) return text;
    }
  }
  template <class Action>
  static std::string error_of(Action action) {
    try {
      action();
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  TemporaryDirectory directory_;
};

// Characters of one to four bytes.
const std::u16string kWords = u"name;\u00e4\u20ac\U0001F600\r\nx;1\r\n";
const std::string kSameWords = "name;\u00e4\u20ac\U0001F600\r\nx;1\r\n";

std::string utf16(const std::u16string& text, bool little) {
  std::string bytes;
  for (const char16_t unit : std::u16string(u"\uFEFF") + text) {
    const char low = static_cast<char>(unit & 0xFF), high = static_cast<char>(unit >> 8);
    bytes += little ? low : high;
    bytes += little ? high : low;
  }
  return bytes;
}

// Seen to fail: characters parted by the end of a piece or a chunk.
TEST_F(TextSourceTest, Utf16BecomesUtf8) {
  std::u16string many;
  std::string same;
  for (int i = 0; i < 20000; ++i) {  // several chunks; an odd number of units in front shifts the pairs against them
    many += kWords;
    same += kSameWords;
  }
  for (const bool little : {true, false})
    for (const std::size_t piece : {1u, 7u, 4096u}) {
      EXPECT_EQ(text_of(TextSource(write(utf16(kWords, little))), piece), kSameWords);
      if (piece > 1) {
        EXPECT_EQ(text_of(TextSource(write(utf16(many, little))), piece), same);
        EXPECT_EQ(text_of(TextSource(write(utf16(u"a" + many, little))), piece), "a" + same);
      }
    }
  EXPECT_EQ(text_of(TextSource(write("\xFF\xFE")), 9), "");
}

TEST_F(TextSourceTest, DamagedUtf16IsRefused) {
  const auto refusal = [&](const std::string& bytes) {
    return error_of([&] { text_of(TextSource(write(bytes)), 100); });
  };
  const std::string good = utf16(u"a,b\n", true);
  EXPECT_THAT(refusal(good + "x"), AllOf(HasSubstr("data.csv, near byte"), HasSubstr("half a character")));
  EXPECT_THAT(refusal(good + "\x3D\xD8"), HasSubstr("half a pair of surrogates"));
  EXPECT_THAT(refusal(good + "\x3D\xD8z" + '\0'), HasSubstr("half a pair of surrogates"));
  EXPECT_THAT(refusal(good + std::string("\x00\xDE", 2)), HasSubstr("half a pair of surrogates"));
}

TEST_F(TextSourceTest, CompressedFilesAreUnpacked) {
  const std::string text = "a,b\n1,2\n3,4\n";
  EXPECT_EQ(text_of(TextSource(compressed(text)), 5), text);
  EXPECT_EQ(text_of(TextSource(compressed("\xEF\xBB\xBF" + text)), 5), text);
  EXPECT_EQ(text_of(TextSource(compressed(utf16(kWords, true))), 5), kSameWords);
  EXPECT_FALSE(TextSource(compressed(text)).as_stored());
  EXPECT_TRUE(TextSource(write(text)).as_stored());
  EXPECT_THAT(read_table(compressed(text)).columns[1].numbers, ElementsAre(2, 4));
  EXPECT_THAT(read_table(write(utf16(u"a\tb\r\n1\t2\r\n3\t4\r\n", true))).columns[1].numbers, ElementsAre(2, 4));
}

// The text comes after the column was taken for numbers: the file is unpacked a second time.
TEST_F(TextSourceTest, ACompressedFileIsReadAgainForALateText) {
  std::string text = "a,b\n";
  for (int i = 0; i < 60000; ++i) text += fmt::format("{},{}\n", i % 7, i == 50000 ? "late" : "12");
  const Table table = read_table(compressed(text));
  EXPECT_EQ(table.rows, 60000u);
  EXPECT_THAT(table.columns[1].levels, ElementsAre("12", "late"));
}

TEST_F(TextSourceTest, WhatUnpacksToTooMuchIsRefused) {
  const std::string text(5000, '1');
  const auto reads = [&](const std::string& path) { return error_of([&] { text_of(TextSource(path, 4000), 1000); }); };
  EXPECT_THAT(reads(compressed(text)), AllOf(HasSubstr("data.csv: unpacks to more than 4000 bytes")));
  EXPECT_EQ(reads(write(text)), "no error");
}

TEST_F(TextSourceTest, DamagedCompressionIsRefused) {
  const std::string path = compressed(std::string(3000, 'x') + "\n1\n2\n");
  const std::string whole = file_bytes(path);
  EXPECT_THAT(error_of([&] { read_table(write(whole.substr(0, whole.size() - 4))); }), HasSubstr("gzip stream is cut"));
  std::string changed = whole;
  changed[changed.size() - 6] = static_cast<char>(changed[changed.size() - 6] ^ 1);
  EXPECT_THAT(error_of([&] { read_table(write(changed)); }), HasSubstr("gzip stream is damaged"));
}

}  // namespace
}  // namespace mbnn
