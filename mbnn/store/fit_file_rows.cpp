// What chains write into a fit and what is read back of them: draws, statistics, checkpoints and progress.
#include <algorithm>
#include <cstring>
#include <limits>

#include "mbnn/store/checksum.h"
#include "mbnn/store/connection.h"
#include "mbnn/store/content.h"

namespace mbnn {
namespace {

// Draws are read this many at a time, so that a slow reader keeps no lock that the writer waits for.
constexpr std::size_t batch_draws = 64;

std::int64_t draw_checksum(std::int64_t chain, std::int64_t iteration, std::span<const std::byte> state,
                           std::span<const std::byte> scalars) {
  return Checksum("draw").add(chain).add(iteration).add(state).add(scalars).value();
}

std::int64_t progress_checksum(const ChainProgress& row) {
  return Checksum("progress").add(row.chain).add(row.iteration).add(row.draws).add(row.has_checkpoint).value();
}

std::int64_t checkpoint_checksum(std::int64_t chain, std::int64_t iteration, std::span<const std::byte> state) {
  return Checksum("checkpoint").add(chain).add(iteration).add(state).value();
}

std::int64_t statistics_checksum(std::int64_t chain, std::int64_t iteration, std::string_view value) {
  return Checksum("statistics").add(chain).add(iteration).add(value).value();
}

std::vector<ChainProgress> read_progress(Database& database) {
  Statement row =
      database.prepare("SELECT chain, iteration, draws, has_checkpoint, checksum FROM progress ORDER BY chain");
  std::vector<ChainProgress> chains;
  while (row.step()) {
    chains.push_back({static_cast<int>(row.integer(0)), row.integer(1), row.integer(2), row.integer(3) != 0});
    verify_row(database, row.integer(4) == progress_checksum(chains.back()), "progress",
               fmt::format("chain {}", row.integer(0)));
  }
  return chains;
}

// A chain without commits stands before iteration 0.
ChainProgress read_progress(Database& database, int chain) {
  const auto chains = read_progress(database);
  const auto found = std::find_if(chains.begin(), chains.end(), [&](const auto& row) { return row.chain == chain; });
  return found != chains.end() ? *found : ChainProgress{.chain = chain, .iteration = -1};
}

void require_in_turn(const ChainProgress& before, int chain, std::int64_t iteration,
                     std::span<const StoredDraw> draws) {
  require(chain >= 0, "chain", chain, "must not be negative");
  require(iteration > before.iteration, "iteration", iteration, "must be after the chain's last commit");
  std::int64_t previous = before.iteration;
  for (const StoredDraw& draw : draws) {
    require(draw.chain == chain, "draw.chain", draw.chain, "must be the chain that commits");
    require(draw.iteration > previous && draw.iteration <= iteration, "draw.iteration", draw.iteration,
            "must be after the draw before and up to the commit's iteration");
    previous = draw.iteration;
  }
}

StoredDraw read_draw(const Database& database, int chain, const Statement& row) {
  StoredDraw draw{.chain = chain, .iteration = row.integer(0), .state = {}, .scalars = {}};
  const auto state = row.bytes(1), scalars = row.bytes(2);
  const bool intact =
      row.integer(3) == draw_checksum(chain, draw.iteration, state, scalars) && scalars.size() % sizeof(double) == 0;
  verify_row(database, intact, "draw", fmt::format("chain {}, draw of iteration {}", chain, draw.iteration));
  draw.state.assign(state.begin(), state.end());
  draw.scalars.resize(scalars.size() / sizeof(double));
  if (!scalars.empty()) std::memcpy(draw.scalars.data(), scalars.data(), scalars.size());
  return draw;
}

void write_draws(Database& database, std::span<const StoredDraw> draws) {
  Statement insert =
      database.prepare("INSERT INTO draw (chain, iteration, state, scalars, checksum) VALUES (?, ?, ?, ?, ?)");
  for (const StoredDraw& draw : draws) {
    const auto scalars = std::as_bytes(std::span(draw.scalars));
    insert.bind(draw.chain)
        .bind(draw.iteration)
        .bind(draw.state)
        .bind(scalars)
        .bind(draw_checksum(draw.chain, draw.iteration, draw.state, scalars))
        .run();
  }
}

void write_checkpoint(Database& database, int chain, std::int64_t iteration, std::span<const std::byte> state) {
  if (state.empty())
    database.prepare("DELETE FROM checkpoint WHERE chain = ?").bind(chain).run();
  else
    database.prepare("INSERT OR REPLACE INTO checkpoint (chain, iteration, state, checksum) VALUES (?, ?, ?, ?)")
        .bind(chain)
        .bind(iteration)
        .bind(state)
        .bind(checkpoint_checksum(chain, iteration, state))
        .run();
}

}  // namespace

void FitFile::commit(int chain, std::int64_t iteration, std::span<const StoredDraw> draws,
                     const nlohmann::json& statistics, std::span<const std::byte> checkpoint) {
  connection_->require_append();
  const std::string statistics_text = to_text(statistics, "statistics");
  const std::scoped_lock guard(connection_->mutex);
  Database& database = connection_->database;
  Transaction transaction(database);
  ChainProgress progress = read_progress(database, chain);
  require_in_turn(progress, chain, iteration, draws);

  write_draws(database, draws);
  if (!statistics.is_null()) {  // totals: those before are of no more use
    database.prepare("DELETE FROM statistics WHERE chain = ?").bind(chain).run();
    database.prepare("INSERT INTO statistics (chain, iteration, value, checksum) VALUES (?, ?, ?, ?)")
        .bind(chain)
        .bind(iteration)
        .bind(statistics_text)
        .bind(statistics_checksum(chain, iteration, statistics_text))
        .run();
  }
  write_checkpoint(database, chain, iteration, checkpoint);

  progress.iteration = iteration;
  progress.draws += static_cast<std::int64_t>(draws.size());
  progress.has_checkpoint = !checkpoint.empty();
  database
      .prepare(
          "INSERT OR REPLACE INTO progress (chain, iteration, draws, has_checkpoint, checksum) "
          "VALUES (?, ?, ?, ?, ?)")
      .bind(chain)
      .bind(iteration)
      .bind(progress.draws)
      .bind(progress.has_checkpoint)
      .bind(progress_checksum(progress))
      .run();
  transaction.commit();
}

std::vector<ChainProgress> FitFile::progress() const {
  const std::scoped_lock guard(connection_->mutex);
  return read_progress(connection_->database);
}

std::int64_t FitFile::draw_count(int chain) const {
  const std::scoped_lock guard(connection_->mutex);
  return read_progress(connection_->database, chain).draws;
}

std::vector<StoredDraw> FitFile::draws(int chain) const {
  std::vector<StoredDraw> result;
  for (const ChainProgress& row : progress())
    if (row.chain == chain) visit_draws(row, [&](StoredDraw draw) { result.push_back(std::move(draw)); });
  return result;
}

void FitFile::for_each_draw(const std::function<void(StoredDraw)>& visit) const {
  for (const ChainProgress& row : progress()) visit_draws(row, visit);
}

void FitFile::visit_draws(const ChainProgress& upto, const std::function<void(StoredDraw)>& visit) const {
  std::int64_t count = 0, last = std::numeric_limits<std::int64_t>::min();
  std::vector<StoredDraw> batch;
  do {
    batch.clear();
    {
      const std::scoped_lock guard(connection_->mutex);
      Database& database = connection_->database;
      Statement row = database.prepare(
          "SELECT iteration, state, scalars, checksum FROM draw WHERE chain = ? AND iteration > ? AND iteration <= ? "
          "ORDER BY iteration LIMIT ?");
      row.bind(upto.chain).bind(last).bind(upto.iteration).bind(static_cast<std::int64_t>(batch_draws));
      while (row.step()) batch.push_back(read_draw(database, upto.chain, row));
    }
    for (StoredDraw& draw : batch) {
      last = draw.iteration;
      ++count;
      visit(std::move(draw));
    }
  } while (batch.size() == batch_draws);
  if (count != upto.draws)
    throw Error(
        damaged(path(), fmt::format("table draw, chain {}: {} of {} draws are there", upto.chain, count, upto.draws)));
}

std::optional<std::vector<std::byte>> FitFile::checkpoint(int chain) const {
  const std::scoped_lock guard(connection_->mutex);
  Database& database = connection_->database;
  const Transaction snapshot(database, Transaction::Kind::read);  // a writer may commit between the two rows
  const ChainProgress progress = read_progress(database, chain);
  if (!progress.has_checkpoint) return std::nullopt;
  Statement row = database.prepare("SELECT iteration, state, checksum FROM checkpoint WHERE chain = ?");
  row.bind(chain);
  const bool intact = row.step() && row.integer(0) == progress.iteration &&
                      row.integer(2) == checkpoint_checksum(chain, progress.iteration, row.bytes(1));
  verify_row(database, intact, "checkpoint", fmt::format("chain {}", chain));
  const auto state = row.bytes(1);
  return std::vector<std::byte>(state.begin(), state.end());
}

std::optional<StoredStatistics> FitFile::statistics(int chain) const {
  const std::scoped_lock guard(connection_->mutex);
  Database& database = connection_->database;
  Statement row = database.prepare(
      "SELECT iteration, value, checksum FROM statistics WHERE chain = ? ORDER BY iteration DESC LIMIT 1");
  row.bind(chain);
  if (!row.step()) return {};
  const std::int64_t iteration = row.integer(0);
  verify_row(database, row.integer(2) == statistics_checksum(chain, iteration, row.text(1)), "statistics",
             fmt::format("chain {}, iteration {}", chain, iteration));
  return StoredStatistics{chain, iteration,
                          parse_stored_json(row.text(1), fmt::format("{}, statistics of chain {}", path(), chain + 1))};
}

}  // namespace mbnn
