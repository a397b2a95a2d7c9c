#include "tests/fuzz/forged_fit.h"

#include <cstring>
#include <filesystem>

#include "mbnn/mbnn.h"
#include "tests/support/forgery.h"

namespace mbnn::fuzz {

namespace {

enum Edit : std::uint8_t {
  configuration,
  encoding,
  meta_text,
  draw_state,
  scalars,
  checkpoint,
  progress,
  statistics,
  header,
  times,
  note,
  schema,
  kinds
};

class Input {
 public:
  explicit Input(Bytes bytes) : bytes_(bytes) {}
  bool empty() const { return bytes_.empty(); }
  std::uint8_t byte() { return empty() ? 0 : take(1)[0]; }
  Bytes take(std::size_t count) {
    const Bytes taken = bytes_.first(std::min(count, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return taken;
  }
  std::int64_t number() {
    std::int64_t value = 0;
    const Bytes taken = take(byte() % 9);
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }
  std::string text() { return text_of(take(byte())); }

 private:
  Bytes bytes_;
};

// A place of the value: so many steps into it, each to one of its members.
nlohmann::json* place_in(nlohmann::json& json, Input& input) {
  nlohmann::json* at = &json;
  for (int steps = 1 + input.byte() % 5; steps > 0 && at->is_structured() && !at->empty(); --steps)
    at = &*std::next(at->begin(), input.byte() % static_cast<std::ptrdiff_t>(at->size()));
  return at;
}

nlohmann::json value_of(Input& input) {
  switch (input.byte() % 8) {
    case 0:
      return input.number();
    case 1:
      return input.byte() - 2;
    case 2:
      return static_cast<double>(input.number()) * 1e-3;
    case 3:
      return 1e308;
    case 4:
      return input.text();
    case 5:
      return nullptr;
    case 6:
      return nlohmann::json::array({input.byte() - 2});
    default:
      return input.byte() % 2 == 0;
  }
}

void change(nlohmann::json& json, Input& input) { *place_in(json, input) = value_of(input); }

// Bytes replaced, added or left out.
std::vector<std::byte> changed(std::vector<std::byte> bytes, Input& input) {
  if (bytes.empty()) return bytes;
  const std::size_t at = (input.byte() + 256u * input.byte()) % bytes.size();
  const Bytes with = input.take(input.byte() % 17);
  const std::uint8_t how = input.byte() % 4;
  if (how == 0) {
    bytes.resize(at);
  } else if (how == 1) {
    bytes.insert(bytes.end(), as_bytes(with).begin(), as_bytes(with).end());
  } else {
    for (std::size_t i = 0; i < with.size() && at + i < bytes.size(); ++i) bytes[at + i] = as_bytes(with)[i];
  }
  return bytes;
}

void edit(Forgery& forgery, Input& input) {
  const auto kind = static_cast<Edit>(input.byte() % kinds);
  const auto row_of = [&](std::vector<Forgery::Row> rows) {
    return rows.empty() ? Forgery::Row{} : rows[input.byte() % rows.size()];
  };
  switch (kind) {
    case configuration:
      return forgery.configuration([&](auto& json) { change(json, input); });
    case encoding:
      return forgery.encoding([&](auto& json) { change(json, input); });
    case meta_text:
      return forgery.meta(input.byte() % 2 ? "configuration" : "encoding", input.text());
    case draw_state: {
      const auto row = row_of(forgery.draws());
      return forgery.draw(row.chain, row.iteration, changed(row.state, input), row.scalars);
    }
    case scalars: {
      const auto row = row_of(forgery.draws());
      return forgery.draw(row.chain, row.iteration, row.state, changed(row.scalars, input));
    }
    case checkpoint: {
      const auto row = row_of(forgery.checkpoints());
      return forgery.checkpoint(row.chain, row.iteration, changed(row.state, input));
    }
    case progress: {
      const std::int64_t chain = input.number(), iteration = input.number();
      return forgery.progress(chain, iteration, input.number(), input.byte() % 2);
    }
    case statistics:
      return forgery.statistics(input.byte() % 3, input.number(), input.text());
    case header: {
      const std::int64_t words[] = {input.number(), input.number()};
      return forgery.blob("data/header", std::as_bytes(std::span(words)));
    }
    case times: {
      static constexpr const char* names[] = {"series/times", "data/0", "data/y", "data/labels"};
      const auto* name = names[input.byte() % 4];
      const Bytes content = input.take(input.byte());
      return forgery.blob(name, as_bytes(content), input.byte() % 2, 1 + input.byte() % 2);
    }
    case note:
      return forgery.note(input.number(), input.text());
    case schema: {
      static constexpr const char* statements[] = {"CREATE TABLE a (b)",
                                                   "CREATE INDEX i ON draw (iteration)",
                                                   "CREATE VIEW v AS SELECT * FROM draw",
                                                   "DROP TABLE note",
                                                   "DELETE FROM draw",
                                                   "DELETE FROM blob"};
      return forgery.sql(statements[input.byte() % 6]);
    }
    case kinds:
      return;
  }
}

// A stranger's fit may ask for any amount of work; here only a little is done.
bool affordable(const FitFile& file) {
  nlohmann::json json = file.configuration();
  const auto small = [&](const char* place, double most) {
    const nlohmann::json::json_pointer pointer(place);
    return !json.contains(pointer) || (json.at(pointer).is_number() && json.at(pointer).get<double>() <= most);
  };
  for (const char* place : {"/chain/leapfrog_steps", "/chain/start/steps", "/chain/start/batch", "/chain/mask_moves",
                            "/chain/refit_moves", "/chain/batches", "/chain/max_depth", "/chain/rungs", "/chains"})
    if (!small(place, 60)) return false;
  for (const auto& width : json.value("hidden", nlohmann::json::array()))
    if (!width.is_number() || width.get<double>() > 200) return false;
  return true;
}

template <class Use>
void try_to(Use use) {
  try {
    use();
  } catch (const InputError& error) {
    const std::string said = error.what();
    for (const char* raw : {"_M_", "[json.", "filesystem error", "basic_string"})
      if (said.find(raw) != said.npos) finding("a message out of the inside: " + said);
    if (said.find("forged.mbnn") == said.npos) finding("a message without the file's name: " + said);
  } catch (const Error&) {
  }
}

}  // namespace

void use_forged(const std::string& base, Bytes bytes) {
  const std::string path = scratch_directory() + "/forged.mbnn";
  std::filesystem::copy_file(base, path, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::remove(path + "-journal");
  {
    Forgery forgery(path);
    Input input(bytes);
    for (int edits = 0; edits < 8 && !input.empty(); ++edits) try {
        edit(forgery, input);
      } catch (const Error&) {  // SQLite's own bounds
      } catch (const nlohmann::json::exception&) {
      }
    forgery.keep();
  }
  try_to([&] {
    const FitFile file = FitFile::open(path, FitFile::Mode::read);
    file.notes();
    try_to([&] { FittedModel::read(file); });
    const auto problem = open_problem(file);
    const Summary summary = summarise(file, *problem);
    if (summary.draws == 0 || !affordable(file)) return;
    to_json(diagnose(file, *problem)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  });
  try_to([&] {
    FitFile file = FitFile::open(path, FitFile::Mode::append);
    const auto problem = open_problem(file);
    if (!affordable(file)) return;
    std::stop_source stop;
    int reports = 0;
    try {
      run(file, *problem,
          {.threads = 1,
           .report =
               [&](const Status&) {
                 if (++reports > 3) stop.request_stop();
               },
           .stop = stop.get_token(),
           .report_seconds = 0});
    } catch (const SamplerError&) {
    }
  });
}

std::vector<std::string> edits_of(const std::string& base) {
  std::vector<std::string> all{""};
  for (std::uint8_t kind = 0; kind < kinds; ++kind)
    for (const std::string rest : {std::string("\x01\x02\x03\x04\x05\x06\x07\x08", 8), std::string(12, '\xff'),
                                   std::string("\0\0\0\0\0\0\0\0\0\0", 10)})
      all.push_back(std::string(1, static_cast<char>(kind)) + rest);
  const FitFile file = FitFile::open(base, FitFile::Mode::read);
  for (const std::string& text : {file.configuration().dump(), file.encoding().dump()})
    all.push_back(
        std::string{static_cast<char>(meta_text), 1, static_cast<char>(std::min<std::size_t>(text.size(), 255))} +
        text.substr(0, 255));
  return all;
}

}  // namespace mbnn::fuzz
