// mbnn_bench <measure> [arguments]: times one part of the library and prints a JSON object; bench/run calls it.
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "bench/measures.h"

int main(int argc, char** argv) {
  using namespace mbnn::bench;
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const auto is = [&](const char* name, std::size_t extra) {
    return arguments.size() == 1 + extra && arguments[0] == name;
  };
  try {
    nlohmann::json result;
    if (is("gradients", 0))
      result = gradients();
    else if (is("rows", 0))
      result = rows();
    else if (is("moves", 0))
      result = moves();
    else if (is("threads", 0))
      result = threads();
    else if (is("cap", 1))
      result = cap(std::stoul(arguments[1]));
    else if (is("series", 0))
      result = series();
    else if (is("images", 3))
      result = images(std::stod(arguments[1]), std::stoul(arguments[2]), std::stoul(arguments[3]));
    else if (is("read", 1))
      result = read(arguments[1]);
    else if (is("generate", 3))
      result = generate(arguments[1], std::stoul(arguments[2]), std::stoul(arguments[3]));
    else {
      std::fputs(
          "usage: mbnn_bench gradients | rows | moves | threads | series | cap P | read FILE |"
          " generate FILE ROWS INPUTS | images SHARE THREADS STEPS\n",
          stderr);
      return 2;
    }
    std::puts(result.dump().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mbnn_bench: %s\n", error.what());
    return 1;
  }
}
