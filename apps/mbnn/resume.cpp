// mbnn resume: an interrupted fit goes on, a finished one gets more draws.
#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "apps/mbnn/image.h"
#include "apps/mbnn/session.h"
#include "mbnn/core/error.h"
#include "mbnn/series/series_fit.h"
#include "mbnn/tables/baselines/methods.h"

namespace mbnn::app {

void add_resume(CLI::App& app, Common& common, Action& action) {
  auto* verb = app.add_subcommand("resume", "continue an interrupted fit, or add draws to a finished one");
  struct Arguments {
    std::string fit;
    std::int64_t draws = 0;
  };
  auto arguments = std::make_shared<Arguments>();
  verb->add_option("FIT", arguments->fit, "the fit file")->required();
  verb->add_option("--draws", arguments->draws, "further draws of each chain, beyond those that were asked for")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 40));
  add_common_options(*verb, common);
  verb->callback([=, &common, &action] {
    action = [=, &common] {
      FitFile file = FitFile::open(arguments->fit, FitFile::Mode::append);
      refuse_image_fit(file, "mbnn image resume");
      Configuration c = configuration_from_json(file.configuration());
      Dataset data = stored_data(file);
      if (arguments->draws > 0) {
        if (c.method == Method::logistic)
          throw InputError(fmt::format("{} is a logistic regression: it has one draw, the mode", file.path()));
        nlohmann::json json = file.configuration();
        json["chain"]["draws"] = c.chain.draws += arguments->draws;
        c.check();
        check_checkpoints(file);
        file.set_configuration(json);
      }
      const auto progress = file.progress();
      const bool complete = progress.size() == c.chains && std::all_of(progress.begin(), progress.end(), [&](auto& p) {
                              return p.iteration >= c.iterations();
                            });
      if (complete && !common.quiet)
        fmt::print(stderr, "note: {} is complete; --draws N adds N draws to each chain\n", file.path());
      stop_on_signal();
      if (is_series(file))
        return run_session(file, common, [&](const RunOptions& options) { return run_series_fit(file, options); });
      return run_session(file, TrainingData::make(std::move(data), c.chain), common);
    };
  });
}

}  // namespace mbnn::app
