#include <fmt/format.h>
#include <fmt/os.h>
#include <sys/resource.h>

#include "bench/measures.h"
#include "bench/problem.h"
#include "bench/timing.h"
#include "mbnn/tables/columns/table.h"

namespace mbnn::bench {

nlohmann::json read(const std::string& path) {
  const double begin = now(Clock::cpu);
  const Table table = read_table(path);
  const double seconds = now(Clock::cpu) - begin;
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {
      {"rows", table.rows}, {"columns", table.columns.size()}, {"seconds", seconds}, {"kilobytes", usage.ru_maxrss}};
}

nlohmann::json generate(const std::string& path, std::size_t rows, std::size_t inputs) {
  Rng rng(7, 0);
  auto file = fmt::output_file(path);
  for (std::size_t k = 0; k < inputs; ++k) file.print("x{},", k + 1);
  file.print("y\n");
  constexpr std::size_t kChunk = 1000;
  for (std::size_t done = 0; done < rows; done += kChunk) {
    const Dataset data = generated_data(std::min(kChunk, rows - done), inputs, rng);
    for (std::size_t i = 0; i < data.rows; ++i) {
      for (std::size_t k = 0; k < inputs; ++k) file.print("{:.5f},", data.x[i * inputs + k]);
      file.print("{:.5f}\n", data.y[i]);
    }
  }
  return {{"rows", rows}, {"inputs", inputs}};
}

}  // namespace mbnn::bench
