#include "mbnn/tables/training_rows.h"

#include <algorithm>
#include <cstring>

#include "mbnn/core/bytes.h"
#include "mbnn/core/error.h"

namespace mbnn {

namespace {

constexpr std::size_t kReferenceRows = 40;
constexpr std::size_t kBlobRows = 1 << 16;  // SQLite holds a blob in memory while it is written

std::string part_name(std::size_t part) { return fmt::format("data/{}", part); }

struct DataHeader {
  std::uint64_t rows, inputs;
};

DataHeader stored_header(const FitFile& file) {
  if (!file.has_blob("data/header"))
    throw InputError(fmt::format("{} was interrupted before its data were stored: fit again", file.path()));
  const auto bytes = file.get_blob("data/header");
  return ByteReader(bytes).get<DataHeader>();
}

[[noreturn]] void refuse_incomplete(const FitFile& file) {
  throw Error(fmt::format("{} is damaged: its training rows are not complete", file.path()));
}

template <class T>
void append(std::vector<T>& to, const std::vector<std::byte>& bytes) {
  if (bytes.empty()) return;  // a series without regressors has no inputs to store
  const std::size_t old = to.size();
  to.resize(old + bytes.size() / sizeof(T));
  std::memcpy(to.data() + old, bytes.data(), bytes.size() / sizeof(T) * sizeof(T));
}

}  // namespace

void store_data(FitFile& file, const Dataset& data) {
  for (std::size_t first = 0, part = 0; first < data.rows; first += kBlobRows, ++part) {
    const std::size_t rows = std::min(kBlobRows, data.rows - first);
    const auto x = std::span(data.x).subspan(first * data.inputs, rows * data.inputs);
    file.put_blob(part_name(part), std::as_bytes(x));
  }
  if (!data.y.empty()) file.put_blob("data/y", std::as_bytes(std::span(data.y)));
  if (!data.labels.empty()) file.put_blob("data/labels", std::as_bytes(std::span(data.labels)));
  const DataHeader header{data.rows, data.inputs};  // last: it says that the rest is there
  file.put_blob("data/header", std::as_bytes(std::span(&header, 1)));
}

Dataset stored_data(const FitFile& file) {
  Dataset data = stored_target(file);
  data.x.reserve(data.rows * data.inputs);
  for (std::size_t first = 0, part = 0; first < data.rows; first += kBlobRows, ++part)
    append(data.x, file.get_blob(part_name(part)));
  if (data.x.size() != data.rows * data.inputs) refuse_incomplete(file);
  return data;
}

Dataset stored_target(const FitFile& file) {
  const DataHeader header = stored_header(file);
  Dataset data;
  data.rows = header.rows;
  data.inputs = header.inputs;
  if (file.has_blob("data/y")) append(data.y, file.get_blob("data/y"));
  if (file.has_blob("data/labels")) append(data.labels, file.get_blob("data/labels"));
  if (std::max(data.y.size(), data.labels.size()) != data.rows) refuse_incomplete(file);
  return data;
}

std::size_t stored_rows(const FitFile& file) { return stored_header(file).rows; }

Dataset subset(const Dataset& data, std::span<const std::size_t> rows) {
  Dataset part;
  part.rows = rows.size();
  part.inputs = data.inputs;
  for (std::size_t row : rows) {
    const auto first = data.x.begin() + static_cast<std::ptrdiff_t>(row * data.inputs);
    part.x.insert(part.x.end(), first, first + static_cast<std::ptrdiff_t>(data.inputs));
    if (!data.y.empty()) part.y.push_back(data.y[row]);
    if (!data.labels.empty()) part.labels.push_back(data.labels[row]);
  }
  return part;
}

Dataset reference_rows(const Dataset& data) {
  Dataset few;
  few.inputs = data.inputs;
  few.rows = std::min(kReferenceRows, data.rows);
  for (std::size_t i = 0; i < few.rows; ++i) {
    const std::size_t row = i * data.rows / few.rows;
    few.x.insert(few.x.end(), data.x.begin() + static_cast<std::ptrdiff_t>(row * data.inputs),
                 data.x.begin() + static_cast<std::ptrdiff_t>((row + 1) * data.inputs));
  }
  return few;
}

}  // namespace mbnn
