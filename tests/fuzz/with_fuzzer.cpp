// A target for libFuzzer. With --write-seeds DIRECTORY as its only arguments it writes the examples instead.
#include <cstring>
#include <fstream>

#include "mbnn/core/error.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    mbnn::fuzz::read_bytes({data, size});
  } catch (const mbnn::Error&) {
  }
  return 0;
}

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  if (*argc != 3 || std::strcmp((*argv)[1], "--write-seeds") != 0) return 0;
  int number = 0;
  for (const std::string& seed : mbnn::fuzz::seeds())
    std::ofstream((*argv)[2] + ("/seed-" + std::to_string(number++)), std::ios::binary) << seed;
  std::exit(0);
}
