// The options of mbnn image fit, and the configuration that they make.
#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

#include "mbnn/core/names.h"
#include "mbnn/images/image_configuration.h"

namespace mbnn::app {

struct ImageFitArguments {
  ImageConfiguration c;
  std::string out, sampler, schedule, birth, death, test, method, augment = "auto";
  bool force = false, no_masks = false, precondition = false;
  double checkpoint_seconds = 300;

  // Names as the configuration has them, before options are parsed; and back again.
  void read_names() {
    sampler = name_of(c.chain.sampler);
    schedule = name_of(c.chain.steps);
    birth = name_of(c.chain.birth_death.birth);
    death = name_of(c.chain.birth_death.death);
    test = name_of(c.chain.mask_test);
    method = name_of(c.method);
    precondition = c.chain.precondition;
    no_masks = !c.chain.masks;
  }
  void write_names() {
    c.chain.sampler = named<WeightMove::Kind>(sampler, "--sampler");
    c.chain.steps = named<ImageChainOptions::Steps>(schedule, "--step-schedule");
    c.chain.birth_death.birth = named<Rule>(birth, "--birth");
    c.chain.birth_death.death = named<Rule>(death, "--death");
    c.chain.mask_test = named<MaskTest>(test, "--mask-test");
    c.method = named<ImageMethod>(method, "--method");
    c.chain.precondition = precondition;
    c.chain.masks = !no_masks;
  }
};

void add_image_options(CLI::App& verb, ImageFitArguments& arguments);
// One line for the first option that the method, the sampler or the masks have no use for.
void refuse_image_options(const CLI::App& verb, const ImageFitArguments& arguments);

// Crops and flips, or neither.
void set_augmentation(LoaderOptions& loader, bool on);

// Options of image fit, without those of data and output: refused if wrong for all methods; and put over what the
// configuration says, refused if wrong for its method.
void check_image_options(const std::vector<std::string>& options);
void apply_image_options(const std::vector<std::string>& options, ImageConfiguration& configuration);

}  // namespace mbnn::app
