#include "mbnn/images/network_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "mbnn/core/error.h"
#include "mbnn/core/finite.h"
#include "mbnn/images/checkpoint_bytes.h"
#include "mbnn/store/content.h"

namespace mbnn {

namespace {

constexpr char kMagic[] = {'m', 'b', 'n', 'n', 'I', 'M', 'G', '1'};

std::uint64_t checksum_of(std::span<const std::byte> bytes) {
  std::uint64_t sum = 0xcbf29ce484222325u;
  for (const std::byte byte : bytes) sum = (sum ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3u;
  return sum;
}

void write_architecture(const ImageArchitecture& a, ByteWriter& out) {
  for (std::size_t value : {a.channels, a.height, a.width, a.classes, a.units.size()})
    out.put(static_cast<std::uint64_t>(value));
  for (const ImageUnit& u : a.units)
    for (std::size_t value :
         {u.kernel, u.stride, u.shortcut, static_cast<std::size_t>(u.projected), u.shortcut_stride, u.width, u.cap})
      out.put(static_cast<std::uint64_t>(value));
}

ImageArchitecture read_architecture(ByteReader& in) {
  ImageArchitecture a;
  for (std::size_t* value : {&a.channels, &a.height, &a.width, &a.classes}) *value = in.get<std::uint64_t>();
  const auto units = in.get<std::uint64_t>();
  if (units > kMostUnits) throw ContentError(fmt::format("{} units; there are at most {}", units, kMostUnits));
  for (std::uint64_t i = 0; i < units; ++i) {
    ImageUnit& u = a.units.emplace_back();
    u.kernel = in.get<std::uint64_t>();
    u.stride = in.get<std::uint64_t>();
    u.shortcut = in.get<std::uint64_t>();
    u.projected = in.get<std::uint64_t>() != 0;
    u.shortcut_stride = in.get<std::uint64_t>();
    u.width = in.get<std::uint64_t>();
    u.cap = in.get<std::uint64_t>();
  }
  try {
    a.check();
  } catch (const InputError& e) {  // of the file, and not of what the user asked for
    throw ContentError(e.what());
  }
  return a;
}

CompactNetwork read_content(ByteReader& in) {
  CompactNetwork network;
  network.architecture = read_architecture(in);
  const ImageArchitecture& a = network.architecture;
  network.scaling.mean = in.get_all<float>();
  network.scaling.sd = in.get_all<float>();
  if (network.scaling.mean.size() != a.channels || network.scaling.sd.size() != a.channels)
    throw ContentError("the scaling of pixels has another number of channels");
  require_content(all_finite(network.scaling.mean) && all_finite(network.scaling.sd) &&
                      std::ranges::all_of(network.scaling.sd, [](float sd) { return sd > 0; }),
                  "the scaling of pixels is not finite, or a deviation not positive");
  for (std::size_t u = 1; u <= a.gates(); ++u) network.state.gates.active.push_back(in.get_all<std::uint32_t>());
  check_gates(a, network.state.gates);
  network.state.weights = in.get_all<float>();
  if (network.state.weights.size() != ImageShape(a, network.state.gates).size)
    throw ContentError("the number of weights does not fit the channels");
  const auto slots = active_slots(a, network.state.gates);
  NormState& norm = network.state.norm = NormState(a.norm_slots());
  for (auto* values : {&norm.scale, &norm.shift, &norm.mean, &norm.variance}) {
    const auto stored = in.get_all<float>();
    if (stored.size() != slots.size()) throw ContentError("the number of norms does not fit the channels");
    for (std::size_t i = 0; i < slots.size(); ++i) (*values)[slots[i]] = stored[i];
  }
  if (!in.done()) throw ContentError("bytes follow the end");
  check_numbers(network.state);
  return network;
}

}  // namespace

std::vector<std::byte> to_bytes(const CompactNetwork& network) {
  ByteWriter content;
  write_architecture(network.architecture, content);
  content.put_all(network.scaling.mean);
  content.put_all(network.scaling.sd);
  for (const auto& active : network.state.gates.active) content.put_all(active);
  content.put_all(network.state.weights);
  const auto slots = active_slots(network.architecture, network.state.gates);
  const NormState& norm = network.state.norm;
  for (const auto* values : {&norm.scale, &norm.shift, &norm.mean, &norm.variance}) {
    std::vector<float> stored;
    for (std::size_t s : slots) stored.push_back((*values)[s]);
    content.put_all(stored);
  }
  const std::vector<std::byte> bytes = content.take();
  ByteWriter out;
  for (char c : kMagic) out.put(c);
  out.put_all(bytes);
  out.put(checksum_of(bytes));
  return out.take();
}

namespace {

CompactNetwork next_network(ByteReader& in, const std::string& place) {
  char magic[sizeof kMagic];
  for (char& c : magic) c = in.get<char>();
  if (std::memcmp(magic, kMagic, sizeof kMagic) != 0)
    throw InputError(fmt::format("{} is no network file: expected it to begin with mbnnIMG1", place));
  const auto content = in.get_all<std::byte>();
  if (in.get<std::uint64_t>() != checksum_of(content))
    throw Error(fmt::format("{} is damaged: its checksum does not fit its content", place));
  ByteReader reader(content);
  return read_content(reader);
}

}  // namespace

CompactNetwork from_bytes(std::span<const std::byte> bytes, const std::string& place) {
  return read_content(place, [&] {
    ByteReader in(bytes);
    CompactNetwork network = next_network(in, place);
    if (!in.done()) throw ContentError("bytes follow the end");
    return network;
  });
}

std::vector<CompactNetwork> read_network_file(const std::string& path) {
  std::error_code none;
  if (std::filesystem::exists(path, none) && !std::filesystem::is_regular_file(path, none))
    throw InputError(fmt::format("{} is no network file: expected a regular file", path));
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  std::vector<char> text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (text.empty()) throw InputError(fmt::format("{} is empty: expected a network file", path));
  return read_content(path, [&] {
    ByteReader in(std::as_bytes(std::span(text)));
    std::vector<CompactNetwork> networks;
    while (!in.done()) networks.push_back(next_network(in, path));
    return networks;
  });
}

}  // namespace mbnn
