#include "tests/support/forgery.h"

#include "mbnn/store/checksum.h"

namespace mbnn {

namespace {

std::vector<std::byte> copy(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

Forgery::Forgery(const std::string& path)
    : database_(path, path, Database::Access::write), transaction_((database_.trust(), database_)) {}

void Forgery::keep() { transaction_.commit(); }

void Forgery::meta(std::string_view key, std::string_view text) {
  database_.prepare("INSERT OR REPLACE INTO meta VALUES (?, ?, ?)")
      .bind(key)
      .bind(text)
      .bind(Checksum("meta").add(key).add(text).value())
      .run();
}

void Forgery::change(const char* key, const std::function<void(nlohmann::json&)>& change) {
  Statement row = database_.prepare("SELECT value FROM meta WHERE key = ?");
  row.bind(std::string_view(key)).step();
  auto json = nlohmann::json::parse(row.text(0));
  change(json);
  meta(key, json.dump());
}

void Forgery::configuration(const std::function<void(nlohmann::json&)>& c) { change("configuration", c); }
void Forgery::encoding(const std::function<void(nlohmann::json&)>& c) { change("encoding", c); }

void Forgery::blob(std::string_view name, std::span<const std::byte> content, std::int64_t part, std::int64_t parts) {
  database_.prepare("INSERT OR REPLACE INTO blob VALUES (?, ?, ?, ?, ?)")
      .bind(name)
      .bind(part)
      .bind(parts)
      .bind(content)
      .bind(Checksum("blob").add(name).add(part).add(parts).add(content).value())
      .run();
}

void Forgery::note(std::int64_t id, std::string_view line) {
  database_.prepare("INSERT OR REPLACE INTO note VALUES (?, ?, ?)")
      .bind(id)
      .bind(line)
      .bind(Checksum("note").add(id).add(line).value())
      .run();
}

void Forgery::progress(std::int64_t chain, std::int64_t iteration, std::int64_t draws, bool has_checkpoint) {
  database_.prepare("INSERT OR REPLACE INTO progress VALUES (?, ?, ?, ?, ?)")
      .bind(chain)
      .bind(iteration)
      .bind(draws)
      .bind(has_checkpoint)
      .bind(Checksum("progress").add(chain).add(iteration).add(draws).add(has_checkpoint).value())
      .run();
}

void Forgery::checkpoint(std::int64_t chain, std::int64_t iteration, std::span<const std::byte> state) {
  database_.prepare("INSERT OR REPLACE INTO checkpoint VALUES (?, ?, ?, ?)")
      .bind(chain)
      .bind(iteration)
      .bind(state)
      .bind(Checksum("checkpoint").add(chain).add(iteration).add(state).value())
      .run();
}

void Forgery::draw(std::int64_t chain, std::int64_t iteration, std::span<const std::byte> state,
                   std::span<const std::byte> scalars) {
  database_.prepare("INSERT OR REPLACE INTO draw VALUES (?, ?, ?, ?, ?)")
      .bind(chain)
      .bind(iteration)
      .bind(state)
      .bind(scalars)
      .bind(Checksum("draw").add(chain).add(iteration).add(state).add(scalars).value())
      .run();
}

void Forgery::statistics(std::int64_t chain, std::int64_t iteration, std::string_view text) {
  database_.prepare("DELETE FROM statistics WHERE chain = ?").bind(chain).run();
  database_.prepare("INSERT INTO statistics VALUES (?, ?, ?, ?)")
      .bind(chain)
      .bind(iteration)
      .bind(text)
      .bind(Checksum("statistics").add(chain).add(iteration).add(text).value())
      .run();
}

std::vector<Forgery::Row> Forgery::draws() {
  Statement row = database_.prepare("SELECT chain, iteration, state, scalars FROM draw ORDER BY chain, iteration");
  std::vector<Row> rows;
  while (row.step()) rows.push_back({row.integer(0), row.integer(1), copy(row.bytes(2)), copy(row.bytes(3))});
  return rows;
}

std::vector<Forgery::Row> Forgery::checkpoints() {
  Statement row = database_.prepare("SELECT chain, iteration, state FROM checkpoint ORDER BY chain");
  std::vector<Row> rows;
  while (row.step()) rows.push_back({row.integer(0), row.integer(1), copy(row.bytes(2)), {}});
  return rows;
}

}  // namespace mbnn
