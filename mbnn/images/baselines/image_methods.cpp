#include "mbnn/images/baselines/image_methods.h"

#include <algorithm>

#include "mbnn/images/baselines/compression.h"
#include "mbnn/images/baselines/dropout.h"
#include "mbnn/images/baselines/ensembles.h"

namespace mbnn {

ImageSet hold_back(ImageSet& images, std::size_t count, Rng& rng) {
  const std::size_t size = images.image_size();
  const auto place = [&](std::size_t i) { return images.pixels.begin() + static_cast<std::ptrdiff_t>(i * size); };
  for (std::size_t last = images.count; last > images.count - count; --last) {
    const std::size_t drawn = rng.below(last);
    if (drawn + 1 == last) continue;
    std::swap_ranges(place(drawn), place(drawn + 1), place(last - 1));
    std::swap(images.labels[drawn], images.labels[last - 1]);
  }
  const std::size_t stay = images.count - count;
  ImageSet held{count, images.channels, images.height, images.width, images.classes, {}, {}};
  held.pixels.assign(place(stay), images.pixels.end());
  held.labels.assign(images.labels.begin() + static_cast<std::ptrdiff_t>(stay), images.labels.end());
  images.count = stay;
  images.pixels.resize(stay * size);
  images.labels.resize(stay);
  return held;
}

bool run_image_method(FitFile& file, ImageSet training, const ImageRunOptions& options) {
  const ImageTask task = image_task(file, training);
  const ImageConfiguration& c = task.configuration;
  if (c.method == ImageMethod::mbnn) return run_image_fit(file, training, options);

  Rng rng(c.chain.loader.seed, 3);
  const ImageSet held_back = hold_back(training, held_back_images(c.method, training.count), rng);
  const ImageBaselineSetting setting{&task.model,
                                     &c.baseline,
                                     c.chain.epochs(),
                                     c.chain.draws,
                                     static_cast<std::int64_t>(training.count / c.chain.loader.batch),
                                     c.chain.loader.seed,
                                     options.threads};
  const auto run = [&](ImageProcess& process) { return run_image_process(file, task, training, process, options); };
  if (c.method == ImageMethod::ensemble) {
    DenseEnsemble process(setting);
    return run(process);
  }
  if (c.method == ImageMethod::ns_ens) {
    PrunedEnsemble process(setting, held_back, task.scaling);
    return run(process);
  }
  if (c.method == ImageMethod::ns_mc) {
    TargetedDropout process(setting);
    return run(process);
  }
  VariationalImages process(setting);
  return run(process);
}

}  // namespace mbnn
