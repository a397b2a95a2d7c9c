// A checkpoint of another version is refused with words that say what is still good.
//
// Seen to fail: the comparison taken out.
#include "mbnn/core/checkpoint.h"

#include <gtest/gtest.h>

#include <string>

namespace mbnn {
namespace {

TEST(CheckVersion, TakesItsOwnFromTheFront) {
  ByteWriter out;
  out.put(std::uint32_t{7});
  out.put(2.5);
  const auto bytes = out.take();
  ByteReader in(bytes);
  check_version(in, 7);
  EXPECT_EQ(in.get<double>(), 2.5);
  EXPECT_TRUE(in.done());
}

TEST(CheckVersion, RefusesOthersAndBytesThatEnd) {
  ByteWriter out;
  out.put(std::uint32_t{6});
  const auto bytes = out.take();
  ByteReader other(bytes), none({});
  try {
    check_version(other, 7);
    FAIL() << "version 6 was taken for 7";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("another version of mbnn"), std::string::npos);
  }
  EXPECT_THROW(check_version(none, 7), Error);
}

}  // namespace
}  // namespace mbnn
