// A target without libFuzzer: its examples, what was found earlier, and examples that were changed at random, by any
// compiler. The same inputs each time.
//   fuzz_TARGET_replay [--changed N] [--why] [FILE OR DIRECTORY...]
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"
#include "tests/fuzz/target.h"

namespace {

using namespace mbnn;

std::size_t read_count = 0, refused = 0;
bool say_why = false;

void read(const std::string& input) {
  ++read_count;
  try {
    fuzz::read_bytes({reinterpret_cast<const std::uint8_t*>(input.data()), input.size()});
  } catch (const Error& error) {
    ++refused;
    if (say_why) std::printf("refused: %s\n", error.what());
  }
}

std::string content(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A few bytes replaced, removed, repeated or taken from another example, as a fuzzer would begin.
std::string changed(const std::vector<std::string>& examples, Rng& rng) {
  std::string text = examples[rng.below(examples.size())];
  for (std::uint64_t times = 1 + rng.below(4); times > 0 && !text.empty(); --times) {
    const std::size_t at = rng.below(text.size()), length = 1 + rng.below(std::min<std::size_t>(16, text.size() - at));
    switch (rng.below(5)) {
      case 0:
        text[at] = static_cast<char>(rng.bits());
        break;
      case 1:
        text[at] = static_cast<char>(text[at] ^ (1 << rng.below(8)));
        break;
      case 2:
        text.erase(at, length);
        break;
      case 3:
        text.insert(at, text.substr(at, length));
        break;
      default: {
        const std::string& other = examples[rng.below(examples.size())];
        if (!other.empty()) text.replace(at, length, other.substr(rng.below(other.size()), length));
      }
    }
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t changes = 0;
  std::vector<std::string> examples = fuzz::seeds();
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--changed") == 0 && i + 1 < argc) {
      changes = std::stoul(argv[++i]);
    } else if (std::strcmp(argv[i], "--why") == 0) {
      say_why = true;
    } else if (std::filesystem::is_directory(argv[i])) {
      for (const auto& entry : std::filesystem::directory_iterator(argv[i])) examples.push_back(content(entry.path()));
    } else if (std::filesystem::exists(argv[i])) {
      examples.push_back(content(argv[i]));
    }
  }
  for (const std::string& example : examples) read(example);
  const std::size_t refused_examples = refused;
  Rng rng(5);
  for (std::size_t i = 0; i < changes; ++i) read(changed(examples, rng));
  std::printf("%zu inputs read, %zu of %zu examples and %zu in all refused\n", read_count, refused_examples,
              examples.size(), refused);
  return 0;
}
