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
  const std::string_view first = argc > 1 ? argv[1] : "", second = argc > 3 ? argv[2] : "";
  if (first == "reproduce") return reproduce({argv + 2, argv + argc});
  if (first == "help" && argc > 2 && std::string_view(argv[2]) == "reproduce") {
    std::vector<char*> words{argv + 3, argv + argc};
    words.push_back(const_cast<char*>("--help"));
    return reproduce(std::move(words));
  }
  if (first == "complete" && second == "reproduce") {
    std::vector<char*> words{argv + 3, argv + argc};
    words.insert(words.begin(), argv[1]);
    return reproduce(std::move(words));
  }
  CLI::App app{
      "mbnn: Bayesian neural networks that learn how wide they should be.\n"
      "Give it a table; it returns a posterior over small networks, with honest intervals.\n\n"
      "  mbnn fit table.csv --target y --out y.mbnn\n"
      "  mbnn predict y.mbnn new.csv --out predictions.csv",
      "mbnn"};
  all_options_shown() = asks_for_all_options(argc, argv);
  prepare_program(app);
  Common common;
  Action action;
  add_fit(app, common, action);
  add_resume(app, common, action);
  add_predict(app, common, action);
  add_evaluate(app, common, action);
  add_cv(app, common, action);
  add_diagnose(app, common, action);
  add_summary(app, common, action);
  add_explain(app, common, action);
  add_image(app, common, action);
  add_series(app, common, action);
  add_reproduce(app, action);
  app.footer(  // last of all: verbs that come later would take it over
      "mbnn VERB --help shows what a verb takes, --help-all all of its options.\n"
      "Exit codes: 0 good, 1 the run failed, 2 wrong usage or input, 3 the answer is not to be trusted.");
  if (argc == 1) {
    fmt::print(stderr, "{}", app.help());
    return wrong_input;
  }
  return parse_and_run(app, action, argc, argv);
}

}  // namespace mbnn::app
