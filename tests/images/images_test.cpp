// Image files are read as their makers wrote them, and what is missing, cut or out of range is refused with its place.
#include "mbnn/images/image_set.h"

#include <sys/stat.h>

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "mbnn/core/error.h"
#include "tests/support/images.h"

namespace mbnn {
namespace {

using testing::AllOf;
using testing::HasSubstr;

void expect_equal(const ImageSet& read, const ImageSet& written) {
  EXPECT_EQ(read.count, written.count);
  EXPECT_EQ(read.channels, written.channels);
  EXPECT_EQ(read.height, written.height);
  EXPECT_EQ(read.width, written.width);
  EXPECT_EQ(read.classes, written.classes);
  EXPECT_EQ(read.pixels, written.pixels);
  EXPECT_EQ(read.labels, written.labels);
}

std::string error_of(const ImageFolder& folder, ImageSplit split = ImageSplit::train) {
  try {
    read_images(folder.path(), split);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

struct IdxTest : testing::Test {
  IdxTest() {
    folder.write("train-images-idx3-ubyte", idx_images(train));
    folder.write("train-labels-idx1-ubyte", idx_labels(train));
    folder.write_gzip("t10k-images-idx3-ubyte.gz", idx_images(test));
    folder.write_gzip("t10k-labels-idx1-ubyte.gz", idx_labels(test));
  }
  // Writes the training file again with one change.
  template <class Change>
  std::string error_after(const std::string& name, Change change) const {
    Bytes bytes = folder.read(name);
    change(bytes);
    folder.write(name, bytes);
    return error_of(folder);
  }
  const ImageSet train = random_images(23, 1, 7, 5, 10, 1), test = random_images(11, 1, 7, 5, 10, 2);
  const ImageFolder folder;
};

TEST_F(IdxTest, PlainAndCompressedFilesAreRead) {
  expect_equal(read_images(folder.path(), ImageSplit::train), train);
  expect_equal(read_images(folder.path(), ImageSplit::test), test);
}

TEST_F(IdxTest, WrongMagicNumber) {
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b[3] = 1; }),
              AllOf(HasSubstr("train-images-idx3-ubyte, byte 0: the magic number is 0x00000801"),
                    HasSubstr("expected 0x00000803")));
}

TEST_F(IdxTest, CutAndTooLong) {
  // 16 bytes of header and 23 images of 35 pixels: the file ends at byte 821.
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b.pop_back(); }),
              AllOf(HasSubstr("train-images-idx3-ubyte: ends at byte 820"), HasSubstr("23 images of 7 x 5 pixels"),
                    HasSubstr("up to byte 821")));
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b.resize(822); }),
              HasSubstr("goes on after byte 821"));
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b.resize(10); }),
              AllOf(HasSubstr("ends at byte 10, inside its header"), HasSubstr("the number of rows at byte 8")));
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b.clear(); }),
              HasSubstr("ends at byte 0, inside its header"));
}

// A header that announces 2^31 images must not be believed before the bytes are there.
TEST_F(IdxTest, HugeCount) {
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b[4] = 0x80; }), HasSubstr("ends at byte 821"));
}

TEST_F(IdxTest, SizesOutOfRange) {
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b[11] = 0; }),
              HasSubstr("23 images of 0 x 5 pixels"));
  EXPECT_THAT(error_after("train-images-idx3-ubyte", [](Bytes& b) { b[8] = 0xff; }),
              HasSubstr("expected at least one"));
}

TEST_F(IdxTest, LabelsOutOfRangeOrOfAnotherNumber) {
  EXPECT_THAT(error_after("train-labels-idx1-ubyte", [](Bytes& b) { b[8 + 17] = 10; }),
              HasSubstr("train-labels-idx1-ubyte, byte 25: label 10 of image 17 (counted from 0); expected 0 to 9"));
  EXPECT_THAT(error_after("train-labels-idx1-ubyte", [](Bytes& b) { b[7] = 22; }),
              AllOf(HasSubstr("byte 4: 22 labels"), HasSubstr("holds 23 images")));
}

TEST_F(IdxTest, MissingFile) {
  folder.remove("train-labels-idx1-ubyte");
  EXPECT_THAT(error_of(folder), HasSubstr("train-labels-idx1-ubyte: is missing, and so is the same name with .gz"));
}

TEST_F(IdxTest, CutAndDamagedCompression) {
  Bytes bytes = folder.read("t10k-images-idx3-ubyte.gz");
  bytes.resize(bytes.size() / 2);
  folder.write("t10k-images-idx3-ubyte.gz", bytes);
  EXPECT_THAT(error_of(folder, ImageSplit::test), HasSubstr("t10k-images-idx3-ubyte.gz: the gzip stream is cut"));

  folder.write_gzip("t10k-images-idx3-ubyte.gz", idx_images(test));
  bytes = folder.read("t10k-images-idx3-ubyte.gz");
  bytes[bytes.size() - 6] ^= 1;  // in the checksum
  folder.write("t10k-images-idx3-ubyte.gz", bytes);
  EXPECT_THAT(error_of(folder, ImageSplit::test), HasSubstr("the gzip stream is damaged"));
}

// Caught: 4 MB that became 4 GB.
TEST_F(IdxTest, WhatGrowsBeyondAllBoundsIsNotDecompressed) {
  Bytes header = idx_images(ImageSet{256, 1, 4096, 4096, 10, {}, {}});
  header.resize(1 << 20);
  folder.write_gzip("t10k-images-idx3-ubyte.gz", header);
  EXPECT_THAT(error_of(folder, ImageSplit::test), HasSubstr("t10k-images-idx3-ubyte.gz: announces or holds more than"));
}

// Caught: a fit that waited for a pipe for ever; the texts of the standard library.
TEST_F(IdxTest, PipesDirectoriesAndLinksToThemselves) {
  folder.remove("train-images-idx3-ubyte");
  const std::string name = folder.path() + "/train-images-idx3-ubyte";
  ASSERT_EQ(mkfifo(name.c_str(), 0600), 0);
  EXPECT_THAT(error_of(folder), HasSubstr("train-images-idx3-ubyte: is a pipe or a device; expected a file"));
  folder.remove("train-images-idx3-ubyte");
  std::filesystem::create_directory(name);
  EXPECT_THAT(error_of(folder), HasSubstr("train-images-idx3-ubyte: is a directory; expected a file"));
  folder.remove("train-images-idx3-ubyte");
  std::filesystem::create_symlink("train-images-idx3-ubyte", name);
  EXPECT_THAT(error_of(folder), HasSubstr("train-images-idx3-ubyte: is missing"));
}

struct CifarTest : testing::Test {
  CifarTest() {
    for (std::size_t b = 0; b < 5; ++b)
      ten.write("data_batch_" + std::to_string(b + 1) + ".bin", cifar_records(train, 4 * b, 4 * b + 4, false));
    ten.write("test_batch.bin", cifar_records(test, 0, 6, false));
    hundred.write("train.bin", cifar_records(fine, 0, 150, true));
    hundred.write("test.bin", cifar_records(fine, 100, 130, true));
  }
  const ImageSet train = random_images(20, 3, 32, 32, 10, 3), test = random_images(6, 3, 32, 32, 10, 4);
  const ImageSet fine = random_images(150, 3, 32, 32, 100, 5);
  const ImageFolder ten, hundred;
};

TEST_F(CifarTest, RecordsOfAllFilesAreRead) {
  expect_equal(read_images(ten.path(), ImageSplit::train), train);
  expect_equal(read_images(ten.path(), ImageSplit::test), test);
}

// Caught: a .bin that is compressed, and was decompressed without an end.
TEST_F(CifarTest, CompressedRecordsHaveAnEnd) {
  ten.write_gzip("data_batch_1.bin", Bytes(std::size_t{80} << 20, 0));
  EXPECT_THAT(error_of(ten), HasSubstr("data_batch_1.bin: announces or holds more than the 79 MiB"));
}

TEST_F(CifarTest, FineLabelsAreUsed) {
  expect_equal(read_images(hundred.path(), ImageSplit::train), fine);
  EXPECT_EQ(read_images(hundred.path(), ImageSplit::test).labels[7], 7);
}

TEST_F(CifarTest, FaultsNameFileAndRecord) {
  Bytes bytes = ten.read("data_batch_3.bin");
  bytes[2 * 3073] = 12;
  ten.write("data_batch_3.bin", bytes);
  EXPECT_THAT(error_of(ten),
              HasSubstr("data_batch_3.bin, byte 6146: label 12 of record 2 (counted from 0); CIFAR-10 has "
                        "0 to 9"));
  bytes.resize(3 * 3073 + 5);
  bytes[2 * 3073] = 0;
  ten.write("data_batch_3.bin", bytes);
  EXPECT_THAT(error_of(ten), AllOf(HasSubstr("data_batch_3.bin: ends at byte 9224, inside record 3"),
                                   HasSubstr("records of 3073 bytes")));
  ten.write("data_batch_3.bin", {});
  EXPECT_THAT(error_of(ten), HasSubstr("data_batch_3.bin: is empty"));
  ten.remove("data_batch_3.bin");
  EXPECT_THAT(error_of(ten), HasSubstr("data_batch_3.bin: is missing"));

  bytes = hundred.read("train.bin");
  bytes[3074 + 1] = 100;
  hundred.write("train.bin", bytes);
  EXPECT_THAT(error_of(hundred), HasSubstr("train.bin, byte 3075: label 100 of record 1"));
}

TEST_F(CifarTest, OneDataSetInADirectory) {
  ten.write("train.bin", {});
  EXPECT_THAT(error_of(ten), HasSubstr("more than one data set"));
  const ImageFolder empty;
  EXPECT_THAT(error_of(empty), AllOf(HasSubstr("holds no image files"), HasSubstr("train-images-idx3-ubyte")));
  EXPECT_THROW(read_images(empty.path() + "/none", ImageSplit::train), InputError);
}

// Against sums over the pixels; the tolerance is that of single precision.
TEST(ImageScaling, MeanAndSdOfEachChannel) {
  ImageSet set = random_images(9, 3, 4, 6, 2, 6);
  for (std::size_t i = 0; i < set.count; ++i)
    for (std::size_t p = 24; p < 48; ++p) set.pixels[i * 72 + p] /= 4;  // the second channel differs
  const ImageScaling scaling = ImageScaling::learn(set);
  const std::vector<float> table = scaling.table();
  for (std::size_t c = 0; c < 3; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < set.count; ++i)
      for (std::size_t p = 0; p < 24; ++p) {
        const double x = table[256 * c + set.image(i)[24 * c + p]];
        sum += x;
        squares += x * x;
      }
    EXPECT_NEAR(sum / 216, 0, 1e-5);
    EXPECT_NEAR(squares / 216, 1, 1e-5);
  }
  EXPECT_NEAR(table[256 + 80], (80.0 / 255 - scaling.mean[1]) / scaling.sd[1], 1e-6);
}

TEST(ImageScaling, AConstantChannelBecomesZero) {
  const ImageSet set{2, 1, 1, 2, 2, {51, 51, 51, 51}, {0, 1}};
  const ImageScaling scaling = ImageScaling::learn(set);
  EXPECT_NEAR(scaling.table()[51], 0, 1e-7);
  EXPECT_TRUE(std::isfinite(scaling.table()[255]));
}

}  // namespace
}  // namespace mbnn
