#include <mbnn/mbnn.h>

#include <cstdio>

int main() {
  mbnn::ImageConfiguration configuration;
  configuration.data = "images";  // a directory of IDX or CIFAR files
  configuration.base_width = 4;
  configuration.chain.total_epochs = 4;
  configuration.chains = 2;

  std::stop_source stop;  // request_stop() from any thread ends the run with all that was done saved
  auto problem = mbnn::ImageProblem::read(configuration);
  const auto file =
      mbnn::fit(problem, "images.mbnn",
                {.report =
                     [](const mbnn::Status& s) {
                       std::printf("chain %zu, %s, %.0f s left\n", s.chain + 1, s.place.c_str(), s.seconds_left);
                     },
                 .stop = stop.get_token(),
                 .overwrite = true});

  const auto networks = mbnn::stored_networks(file);
  const auto test = mbnn::read_images("images", mbnn::ImageSplit::test);
  std::printf("accuracy %.3f\n", mbnn::score_images(networks, test, 2).metrics.accuracy);
  for (const mbnn::Finding& finding : mbnn::diagnose(file, problem).findings)
    std::printf("%s: %s\n", finding.what.c_str(), finding.advice.c_str());
}
