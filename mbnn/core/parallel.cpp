#include "mbnn/core/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mbnn::detail {

void run_indices(std::size_t count, std::size_t threads,
                 const std::function<void(std::size_t, const std::stop_token&)>& work) {
  std::atomic<std::size_t> next = 0;
  std::stop_source failed;
  std::mutex mutex;
  std::exception_ptr failure;
  std::size_t failed_index = count;
  // Every index below one that fails was handed out before it, and its call runs to its end: so the lowest one that
  // fails is always seen.
  const auto take_indices = [&] {
    while (!failed.stop_requested()) {
      const std::size_t index = next++;
      if (index >= count) return;
      try {
        work(index, failed.get_token());
      } catch (...) {
        const std::scoped_lock guard(mutex);
        failed.request_stop();
        if (index < failed_index) {
          failed_index = index;
          failure = std::current_exception();
        }
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(threads, count); ++i) others.emplace_back(take_indices);
    take_indices();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace mbnn::detail
