#include "apps/mbnn/verbs.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <string_view>

#include "apps/common/declared_options.h"

namespace mbnn::app {

int run_mbnn(int argc, char** argv) {
  // Before any parsing: its options are the other program's.
  if (argc > 1 && std::string_view(argv[1]) == "reproduce") return reproduce({argv + 2, argv + argc});
  CLI::App app{
      "mbnn: Bayesian neural networks that learn how wide they should be.\n"
      "Give it a table; it returns a posterior over small networks, with honest intervals.\n\n"
      "  mbnn fit table.csv --target y --out y.mbnn\n"
      "  mbnn predict y.mbnn new.csv --out predictions.csv",
      "mbnn"};
  all_options_shown() = asks_for_all_options(argc, argv);
  add_version(app);
  app.require_subcommand(1);
  app.footer(
      "mbnn VERB --help shows a verb's options, --help-all all of them.\n"
      "Exit codes: 0 good, 1 the run failed, 2 wrong usage or input, 3 the answer is not to be trusted.");
  Common common;
  Action action;
  add_fit(app, common, action);
  add_resume(app, common, action);
  add_predict(app, common, action);
  add_evaluate(app, common, action);
  add_diagnose(app, common, action);
  add_summary(app, common, action);
  add_image(app, common, action);
  add_series(app, common, action);
  add_reproduce(app, action);
  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return wrong_input;
  }
  return parse_and_run(app, action, argc, argv);
}

}  // namespace mbnn::app
