// What mbnn_bench can measure; each answers with one JSON object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mbnn::bench {

nlohmann::json gradients();                    // compact and wide networks, with the core's peak
nlohmann::json rows();                         // a gradient for more and more rows
nlohmann::json moves();                        // birth and death against a gradient
nlohmann::json threads();                      // two chains on two threads against one
nlohmann::json cap(std::size_t p);             // one iteration's work under the cap p
nlohmann::json read(const std::string& path);  // a table from disk
nlohmann::json generate(const std::string& path, std::size_t rows, std::size_t inputs);

nlohmann::json images(double share, std::size_t threads, std::size_t steps);  // training steps of ResNet18
nlohmann::json series();  // state draws and the paper's setting of a series

}  // namespace mbnn::bench
