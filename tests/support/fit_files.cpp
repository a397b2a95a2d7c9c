#include "tests/support/fit_files.h"

#include <sys/wait.h>
#include <unistd.h>

#include "mbnn/core/error.h"
#include "mbnn/core/rng.h"

namespace mbnn {

std::vector<std::byte> random_bytes(std::size_t size, std::uint64_t seed, std::uint64_t stream) {
  Rng rng(seed, stream);
  std::vector<std::byte> bytes(size);
  for (auto& byte : bytes) byte = static_cast<std::byte>(rng.bits() & 0xff);
  return bytes;
}

StoredDraw draw_of(int chain, std::int64_t iteration, std::size_t size) {
  return {chain, iteration, random_bytes(size, 1 + chain, iteration), {0.5 * iteration, -1.0 / (1 + chain)}};
}

std::vector<std::byte> checkpoint_of(int chain, std::int64_t iteration) {
  return random_bytes(1500, 100 + chain, iteration);
}

void commit_draws(FitFile& fit, int chain, std::int64_t before, int draws, std::size_t size) {
  std::vector<StoredDraw> batch;
  for (int i = 1; i <= draws; ++i) batch.push_back(draw_of(chain, before + i, size));
  fit.commit(chain, before + draws, batch, {{"accepted", before}}, checkpoint_of(chain, before + draws));
}

Content read_everything(const FitFile& fit) {
  Content content{.configuration = fit.configuration(),
                  .encoding = fit.encoding(),
                  .notes = fit.notes(),
                  .table = {},
                  .progress = fit.progress(),
                  .draws = {},
                  .checkpoints = {},
                  .statistics = {}};
  if (fit.has_blob("table")) content.table = fit.get_blob("table");
  fit.for_each_draw([&](StoredDraw draw) { content.draws.push_back(std::move(draw)); });
  for (const auto& row : content.progress) {
    if (const auto state = fit.checkpoint(row.chain)) content.checkpoints[row.chain] = *state;
    if (const auto last = fit.statistics(row.chain)) content.statistics.push_back(*last);
  }
  return content;
}

Content read_everything(const std::string& path) { return read_everything(FitFile::open(path, FitFile::Mode::read)); }

void write_sample(const std::string& path) {
  FitFile fit = FitFile::create(path, {{"draws", 12}, {"seed", 7}}, {{"columns", {"x", "größe"}}}, false);
  fit.put_blob("table", random_bytes(9000, 3, 0));
  fit.note("column x: 3 missing cells");
  fit.note("");
  for (int chain = 0; chain < 3; ++chain) {
    commit_draws(fit, chain, 0, 3);
    commit_draws(fit, chain, 3, 1, 6000);
  }
}

std::string failure_of(const std::function<void()>& call) {
  try {
    call();
    return "";
  } catch (const InputError& error) {
    return std::string("InputError: ") + error.what();
  } catch (const Error& error) {
    return std::string("Error: ") + error.what();
  } catch (const std::exception& error) {
    return std::string("other exception: ") + error.what();
  }
}

std::string failure_in_child(const std::function<void()>& call) {
  int ends[2];
  if (pipe(ends) != 0) return "no pipe";
  const pid_t child = fork();
  if (child == 0) {
    const std::string failure = failure_of(call);
    const bool told = write(ends[1], failure.data(), failure.size()) == static_cast<ssize_t>(failure.size());
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  std::string failure;
  char buffer[4096];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) failure.append(buffer, n);
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? failure : "child ended by signal or failed to report";
}

void give_up_root() {
  if (geteuid() == 0 && setuid(65534) != 0) throw Error("setuid failed");
}

}  // namespace mbnn
