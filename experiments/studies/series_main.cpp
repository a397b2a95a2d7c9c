// series_study OUT [--data-dir DIR] [--seeds N] [--threads N] [--data NAMES] [--presets NAMES] [--generate FILE]
#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <cstdio>
#include <exception>
#include <fstream>

#include "experiments/studies/series_data.h"
#include "experiments/studies/series_study.h"

int main(int argc, char** argv) {
  CLI::App app{"Structural series with linear, BNN and mBNN regressions, over seeds."};
  mbnn::studies::SeriesStudyOptions options;
  std::string generate;
  std::uint64_t seed = 1;
  app.add_option("OUT", options.out, "directory for series.csv and the table")->required();
  app.add_option("--data-dir", options.data_dir, "holds series/iclaims.csv and series/bike_day.csv")
      ->envname("MBNN_DATA");
  app.add_option("--data", options.data, "search,iclaims,bike_day")->delimiter(',');
  app.add_option("--presets", options.presets, "paper,default")->delimiter(',');
  app.add_option("--models", options.models, "linear,bnn,mbnn")->delimiter(',');
  app.add_option("--seeds", options.seeds, "how many");
  app.add_option("--threads", options.threads, "worker threads");
  app.add_option("--generate", generate, "write the generated data to this CSV and stop");
  app.add_option("--seed", seed, "of --generate");
  CLI11_PARSE(app, argc, argv);
  try {
    if (!generate.empty()) {
      std::ofstream(generate) << mbnn::studies::search_volumes_csv(seed);
      return 0;
    }
    run_series_study(options, [](const std::string& line) {
      std::puts(line.c_str());
      std::fflush(stdout);
    });
    std::printf("%s", mbnn::studies::series_study_table(options.out + "/series.csv").c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "series_study: %s\n", error.what());
    return 1;
  }
}
