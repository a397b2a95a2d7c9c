#include "mbnn/tables/fitted_model.h"

#include "mbnn/core/error.h"
#include "mbnn/tables/state_bytes.h"
#include "mbnn/tables/training_rows.h"

namespace mbnn {

FittedModel FittedModel::read(const FitFile& file) {
  FittedModel fitted;
  fitted.configuration = configuration_from_json(file.configuration());
  fitted.encoding = Encoding::from_json(file.encoding());
  fitted.model = make_model(fitted.configuration, fitted.encoding, stored_rows(file));
  fitted.draws.resize(fitted.configuration.chains);
  fitted.traces.resize(fitted.configuration.chains);
  file.for_each_draw([&](StoredDraw draw) {
    ByteReader in(draw.state);
    State state = read_state(in);
    const auto chain = static_cast<std::size_t>(draw.chain);
    if (chain >= fitted.draws.size() || state.gates.active.size() != fitted.model.architecture.caps.size() ||
        state.weights.size() != state.shape(fitted.model).size())
      throw Error(fmt::format("{} is damaged: draw {} of chain {} does not fit its configuration", file.path(),
                              draw.iteration, draw.chain));
    fitted.draws[chain].push_back(std::move(state));
    fitted.traces[chain].push_back(std::move(draw.scalars));
  });
  return fitted;
}

TableOptions FittedModel::table_options() const {
  TableOptions options = encoding.table_options();
  options.header = configuration.table.header;
  options.delimiter = configuration.table.delimiter;
  options.ignore = configuration.table.ignore;
  return options;
}

std::size_t FittedModel::draw_count() const {
  std::size_t count = 0;
  for (const auto& chain : draws) count += chain.size();
  return count;
}

void FittedModel::take(DrawLists lists) {
  draws.assign(lists.size(), {});
  traces.assign(lists.size(), {});
  for (std::size_t c = 0; c < lists.size(); ++c)
    for (Draw& draw : lists[c]) {
      ByteReader in(draw.state);
      draws[c].push_back(read_state(in));
      traces[c].push_back(std::move(draw.traces));
    }
}

Dataset read_rows(const std::string& table_path, const FittedModel& fitted) {
  std::vector<std::string> notes;
  return fitted.encoding.encode(read_table(table_path, fitted.table_options()), Encoding::Needs::inputs, notes);
}

}  // namespace mbnn
