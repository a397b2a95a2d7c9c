#include "tests/support/studies.h"

#include <stdlib.h>

namespace mbnn {

void Reproduce::SetUp() {
  Rng rng(7, 0);
  std::string boston = "rm,lstat,medv\n", haberman = "age,nodes,survival\n";
  for (int i = 0; i < 40; ++i) {
    const double a = rng.normal(), b = rng.normal();
    boston += fmt::format("{:.3f},{:.3f},{:.3f}\n", a, b, std::sin(a) + b + 0.1 * rng.normal());
    haberman += fmt::format("{:.3f},{:.3f},{}\n", a, b, a + 0.5 * rng.normal() > 0 ? 1 : 2);
  }
  for (const char* set : {"boston", "haberman"}) {
    std::filesystem::create_directories(path(fmt::format("data/uci/{}", set)));
    write(fmt::format("data/uci/{0}/{0}.csv", set), set == std::string("boston") ? boston : haberman);
    write(fmt::format("data/uci/{}/splits_paper.txt", set), "0 4 8 12\n1 5 9 13\n2 6 10 14\n");
  }
  unsetenv("MBNN_DATA");
}

std::map<std::string, std::string> Reproduce::rows(const std::string& file) const {
  std::map<std::string, std::string> found;
  for (const auto& line : lines(read(file))) {
    std::vector<std::string> cells;
    std::istringstream stream(line);
    for (std::string cell; std::getline(stream, cell, ',');) cells.push_back(cell);
    const auto without_time = std::vector<std::string>(cells.begin(), cells.end() - 2);
    found[fmt::format("{}", fmt::join(without_time.begin(), without_time.begin() + 3, " "))] =
        fmt::format("{}", fmt::join(without_time, ","));
  }
  return found;
}

}  // namespace mbnn
