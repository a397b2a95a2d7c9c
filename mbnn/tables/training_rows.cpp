#include "mbnn/tables/training_rows.h"

#include <algorithm>
#include <cstring>

#include "mbnn/core/bytes.h"
#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"

namespace mbnn {

namespace {

constexpr std::size_t kReferenceRows = 40;
constexpr std::uint64_t kMostRows = std::uint64_t{1} << 40;
constexpr std::size_t kBlobRows = 1 << 16;  // SQLite holds a blob in memory while it is written

std::string part_name(std::size_t part) { return fmt::format("data/{}", part); }

struct DataHeader {
  std::uint64_t rows, inputs;
};

DataHeader stored_header(const FitFile& file) {
  if (!file.has_blob("data/header"))
    throw InputError(fmt::format("{} was interrupted before its data were stored: fit again", file.path()));
  const auto bytes = file.get_blob("data/header");
  const auto header = ByteReader(bytes).get<DataHeader>();
  require_content(header.rows >= 1 && header.rows <= kMostRows, "its training rows are of a number that cannot be");
  return header;
}

// Of `count` numbers, which the blob must hold: memory is asked for what is there, not for what a header announces.
template <class T>
void append(std::vector<T>& to, const std::vector<std::byte>& bytes, std::size_t count) {
  require_content(bytes.size() == count * sizeof(T), "its training rows are not as many as it says");
  if (bytes.empty()) return;  // a series without regressors has no inputs to store
  to.resize(to.size() + count);
  std::memcpy(to.data() + to.size() - count, bytes.data(), bytes.size());
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

Dataset stored_data(const FitFile& file, const Encoding& encoding) {
  Dataset data = stored_target(file, encoding);
  for (std::size_t first = 0, part = 0; first < data.rows; first += kBlobRows, ++part)
    append(data.x, file.get_blob(part_name(part)), std::min(kBlobRows, data.rows - first) * data.inputs);
  require_content(all_finite(data.x), "a number of its training rows is not finite");
  return data;
}

Dataset stored_target(const FitFile& file, const Encoding& encoding) {
  const DataHeader header = stored_header(file);
  require_content(header.inputs == encoding.inputs(),
                  "its training rows have another number of inputs than it encodes");
  Dataset data;
  data.rows = header.rows;
  data.inputs = header.inputs;
  if (encoding.task() == Task::regression) {
    append(data.y, file.get_blob("data/y"), data.rows);
  } else {
    append(data.labels, file.get_blob("data/labels"), data.rows);
    const auto known = [&](std::int32_t label) {
      return label >= 0 && static_cast<std::size_t>(label) < encoding.classes();
    };
    require_content(std::ranges::all_of(data.labels, known), "its training rows have a class that there is not");
  }
  require_content(all_finite(data.y), "a number of its training rows is not finite");
  return data;
}

std::size_t stored_rows(const FitFile& file) { return stored_header(file).rows; }

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
