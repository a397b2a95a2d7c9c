// A job that is one image fit: made or continued in fits/, scored on the test images, with a trace of its epochs.
#pragma once

#include <memory>

#include "apps/reproduce/study.h"

namespace mbnn::studies {

// The images of one directory, read when a job first needs them and shared by all.
class ImageData {
 public:
  // InputError if the directory is not there.
  ImageData(const std::string& name, const StudyOptions& options);
  const std::string& name() const { return name_; }
  const std::string& directory() const { return directory_; }
  const ImageSet& training() const;
  const ImageSet& test() const;

 private:
  std::string name_, directory_;
  struct Loaded;
  std::shared_ptr<Loaded> loaded_;
};

Job image_job(std::vector<std::string> key, const ImageData& data, ImageConfiguration configuration);

extern const std::vector<std::string> kImageFigures;

}  // namespace mbnn::studies
