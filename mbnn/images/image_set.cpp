// The readers behind read_images: which data set lies in a directory, IDX files, CIFAR records.
#include "mbnn/images/image_set.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "mbnn/core/error.h"
#include "mbnn/core/file_bytes.h"

namespace mbnn {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t idx_classes = 10;

struct IdxNames {
  const char *images, *labels;
};
constexpr IdxNames idx_train{"train-images-idx3-ubyte", "train-labels-idx1-ubyte"};
constexpr IdxNames idx_test{"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

struct CifarKind {
  const char* name;
  std::size_t label_bytes, classes;  // the last label byte is the one that is used
};
constexpr CifarKind cifar10{"CIFAR-10", 1, 10}, cifar100{"CIFAR-100", 2, 100};
constexpr std::size_t cifar_side = 32, cifar_pixels = 3 * cifar_side * cifar_side;

std::string in_directory(const std::string& directory, const std::string& name) {
  return (fs::path(directory) / name).string();
}

// The path of a file that may be compressed; the plain one if both are there, empty if neither is.
std::string plain_or_gzip(const std::string& directory, const std::string& name) {
  for (const char* ending : {"", ".gz"})
    if (const std::string path = in_directory(directory, name + ending); fs::exists(path)) return path;
  return {};
}

std::string required_file(const std::string& directory, const std::string& name, bool may_be_compressed) {
  const std::string path = may_be_compressed ? plain_or_gzip(directory, name) : in_directory(directory, name);
  if (path.empty() || !fs::exists(path))
    throw InputError(fmt::format("{}: is missing{}", in_directory(directory, name),
                                 may_be_compressed ? ", and so is the same name with .gz" : ""));
  return path;
}

// ---- IDX: a big-endian magic number, the sizes, then the bytes ----

std::uint32_t read_word(FileBytes& file, const char* what) {
  const std::uint64_t at = file.offset();
  const auto bytes = file.read(4);
  if (bytes.size() < 4)
    throw InputError(fmt::format("{}: ends at byte {}, inside its header; expected {} at byte {}", file.path(),
                                 file.offset(), what, at));
  return std::uint32_t{bytes[0]} << 24 | std::uint32_t{bytes[1]} << 16 | std::uint32_t{bytes[2]} << 8 | bytes[3];
}

void require_magic(FileBytes& file, std::uint32_t expected, const char* meaning) {
  const std::uint32_t magic = read_word(file, "a magic number");
  if (magic != expected)
    throw InputError(fmt::format("{}, byte 0: the magic number is 0x{:08x}; expected 0x{:08x}, {}", file.path(), magic,
                                 expected, meaning));
}

std::vector<std::uint8_t> read_rest(FileBytes& file, std::uint64_t size, const std::string& announced) {
  auto bytes = file.read(size);
  if (bytes.size() < size)
    throw InputError(fmt::format("{}: ends at byte {}, but its header announces {}, up to byte {}", file.path(),
                                 file.offset(), announced, file.offset() - bytes.size() + size));
  if (!file.at_end())
    throw InputError(fmt::format("{}: goes on after byte {}, where the {} of its header end", file.path(),
                                 file.offset(), announced));
  return bytes;
}

ImageSet read_idx(const std::string& directory, const IdxNames& names, Labels wanted) {
  ImageSet set;
  set.channels = 1;
  set.classes = idx_classes;
  FileBytes images(required_file(directory, names.images, true));
  require_magic(images, 0x803, "unsigned bytes in three dimensions");
  set.count = read_word(images, "the number of images");
  set.height = read_word(images, "the number of rows");
  set.width = read_word(images, "the number of columns");
  constexpr std::size_t largest = 1 << 12;
  if (set.count == 0 || set.height == 0 || set.width == 0 || set.height > largest || set.width > largest)
    throw InputError(
        fmt::format("{}, byte 4: {} images of {} x {} pixels; expected at least one, of 1 to {} rows and "
                    "columns",
                    images.path(), set.count, set.height, set.width, largest));
  set.pixels = read_rest(images, set.count * set.image_size(),
                         fmt::format("{} images of {} x {} pixels", set.count, set.height, set.width));

  if (wanted == Labels::optional && plain_or_gzip(directory, names.labels).empty()) return set;
  FileBytes labels(required_file(directory, names.labels, true));
  require_magic(labels, 0x801, "unsigned bytes in one dimension");
  const std::size_t label_count = read_word(labels, "the number of labels");
  if (label_count != set.count)
    throw InputError(fmt::format("{}, byte 4: {} labels, but {} holds {} images", labels.path(), label_count,
                                 images.path(), set.count));
  const auto bytes = read_rest(labels, label_count, fmt::format("{} labels", label_count));
  const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t label) { return label >= idx_classes; });
  if (wrong != bytes.end())
    throw InputError(fmt::format("{}, byte {}: label {} of image {} (counted from 0); expected 0 to {}", labels.path(),
                                 8 + (wrong - bytes.begin()), *wrong, wrong - bytes.begin(), idx_classes - 1));
  set.labels.assign(bytes.begin(), bytes.end());
  return set;
}

// ---- CIFAR: records of label bytes and three planes of 32 x 32 ----

void append_cifar(const std::string& path, const CifarKind& kind, ImageSet& set) {
  const std::size_t record_size = kind.label_bytes + cifar_pixels;
  FileBytes file(path);
  std::size_t record = 0;
  for (;; ++record) {
    const std::uint64_t at = file.offset();
    const auto bytes = file.read(record_size);
    if (bytes.empty()) break;
    if (bytes.size() < record_size)
      throw InputError(
          fmt::format("{}: ends at byte {}, inside record {} (counted from 0); expected records of {} bytes, "
                      "as {} has them",
                      path, file.offset(), record, record_size, kind.name));
    const std::uint8_t label = bytes[kind.label_bytes - 1];
    if (label >= kind.classes)
      throw InputError(fmt::format("{}, byte {}: label {} of record {} (counted from 0); {} has 0 to {}", path,
                                   at + kind.label_bytes - 1, label, record, kind.name, kind.classes - 1));
    set.labels.push_back(label);
    set.pixels.insert(set.pixels.end(), bytes.begin() + static_cast<std::ptrdiff_t>(kind.label_bytes), bytes.end());
  }
  if (record == 0) throw InputError(fmt::format("{}: is empty; expected records of {} bytes", path, record_size));
  set.count += record;
}

ImageSet read_cifar(const std::string& directory, const std::vector<std::string>& names, const CifarKind& kind) {
  ImageSet set;
  set.channels = 3;
  set.height = set.width = cifar_side;
  set.classes = kind.classes;
  std::vector<std::string> paths;
  std::uintmax_t bytes = 0;
  for (const std::string& name : names) {
    paths.push_back(required_file(directory, name, false));
    bytes += fs::file_size(paths.back());
  }
  set.pixels.reserve(bytes);
  for (const std::string& path : paths) append_cifar(path, kind, set);
  return set;
}

// ---- which data set it is ----

const std::vector<std::string> cifar10_train{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                                             "data_batch_4.bin", "data_batch_5.bin"};
const std::vector<std::string> cifar10_test{"test_batch.bin"}, cifar100_train{"train.bin"}, cifar100_test{"test.bin"};

bool any_exists(const std::string& directory, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& name) { return fs::exists(in_directory(directory, name)); });
}

}  // namespace

ImageSet read_images(const std::string& directory, ImageSplit split, Labels wanted) {
  if (!fs::is_directory(directory)) throw InputError(fmt::format("{}: is no directory", directory));
  const bool train = split == ImageSplit::train;
  bool idx = false;
  for (const IdxNames& names : {idx_train, idx_test})
    for (const char* name : {names.images, names.labels}) idx = idx || !plain_or_gzip(directory, name).empty();
  const bool ten = any_exists(directory, cifar10_train) || any_exists(directory, cifar10_test);
  const bool hundred = any_exists(directory, cifar100_train) || any_exists(directory, cifar100_test);
  if (idx + ten + hundred > 1)
    throw InputError(
        fmt::format("{}: holds files of more than one data set (IDX, CIFAR-10, CIFAR-100); expected one "
                    "directory for each",
                    directory));
  if (idx) return read_idx(directory, train ? idx_train : idx_test, wanted);
  if (ten) return read_cifar(directory, train ? cifar10_train : cifar10_test, cifar10);
  if (hundred) return read_cifar(directory, train ? cifar100_train : cifar100_test, cifar100);
  throw InputError(fmt::format("{}: holds no image files; expected {} and {} (with or without .gz), {} or {}",
                               directory, idx_train.images, idx_train.labels, cifar10_train.front(),
                               cifar100_train.front()));
}

// ---- scaling ----

ImageScaling ImageScaling::learn(const ImageSet& training) {
  require(training.count > 0, "training images", training.count, "must be at least 1");
  ImageScaling scaling;
  const std::size_t plane = training.height * training.width;
  for (std::size_t c = 0; c < training.channels; ++c) {
    std::array<std::uint64_t, 256> histogram{};
    for (std::size_t i = 0; i < training.count; ++i)
      for (std::uint8_t value : training.image(i).subspan(c * plane, plane)) ++histogram[value];
    const double n = static_cast<double>(training.count * plane);
    double mean = 0, variance = 0;
    for (std::size_t v = 0; v < 256; ++v) mean += static_cast<double>(histogram[v]) * static_cast<double>(v) / 255 / n;
    for (std::size_t v = 0; v < 256; ++v) {
      const double deviation = static_cast<double>(v) / 255 - mean;
      variance += static_cast<double>(histogram[v]) * deviation * deviation / n;
    }
    // A channel of one value carries nothing: it becomes 0, and what later images hold is left in its own units.
    const bool constant = std::count(histogram.begin(), histogram.end(), 0u) == 255;
    scaling.mean.push_back(static_cast<float>(mean));
    scaling.sd.push_back(constant ? 1.0f : static_cast<float>(std::sqrt(variance)));
  }
  return scaling;
}

std::vector<float> ImageScaling::table() const {
  std::vector<float> values;
  values.reserve(256 * mean.size());
  for (std::size_t c = 0; c < mean.size(); ++c)
    for (int v = 0; v < 256; ++v) values.push_back((static_cast<float>(v) / 255 - mean[c]) / sd[c]);
  return values;
}

}  // namespace mbnn
