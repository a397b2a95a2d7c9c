// The verbs behind mbnn image, and what they share.
#pragma once

#include "apps/mbnn/verbs.h"
#include "mbnn/images/image_fit.h"

namespace mbnn::app {

void add_image_fit(CLI::App& image, Common& common, Action& action);
void add_image_resume(CLI::App& image, Common& common, Action& action);
void add_image_evaluate(CLI::App& image, Common& common, Action& action);
void add_image_predict(CLI::App& image, Common& common, Action& action);
void add_image_export(CLI::App& image, Common& common, Action& action);

// The other verbs do not know these fits: says which one does.
void refuse_image_fit(const FitFile& file, std::string_view use);

}  // namespace mbnn::app
