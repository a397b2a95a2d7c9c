// The laboratory: mbnn-reproduce STUDY [--options], which is what mbnn reproduce runs.
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "apps/common/program.h"
#include "apps/reproduce/verbs.h"

namespace mbnn::app {

namespace {

int run_studies(int argc, char** argv) {
  // Named as its users call it.
  CLI::App app{"the paper's tables and figures, each a study that can be continued", "mbnn reproduce"};
  all_options_shown() = asks_for_all_options(argc, argv);
  prepare_program(app);
  Common common;
  Action action;
  add_studies(app, common, action);
  add_likelihood(app, common, action);
  app.footer("mbnn reproduce STUDY --help shows a study's options; docs/reproduce.md says how they run and continue.");
  return parse_and_run(app, action, argc, argv);
}

}  // namespace

}  // namespace mbnn::app

int main(int argc, char** argv) { return mbnn::app::run_program(argc, argv, mbnn::app::run_studies); }
