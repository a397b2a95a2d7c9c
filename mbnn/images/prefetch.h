// Makes items on a thread of its own, in order and one ahead of the caller: while one is used, the next is made.
#pragma once

#include <array>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace mbnn {

// fill(i, item) makes item i into a buffer that is used again and again. What it throws leaves next() when item i is
// due, and again at every later call.
template <class Item>
class Prefetch {
 public:
  using Fill = std::function<void(std::uint64_t, Item&)>;

  Prefetch(Fill fill, std::uint64_t first) : fill_(std::move(fill)), next_(first), made_(first), taken_(first) {
    worker_ = std::thread([this] { run(); });
  }
  ~Prefetch() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    worker_.join();
  }
  Prefetch(const Prefetch&) = delete;
  Prefetch& operator=(const Prefetch&) = delete;

  // Valid until the next call.
  const Item& next() {
    std::unique_lock lock(mutex_);
    taken_ = next_;  // items before this one are done with
    changed_.notify_all();
    changed_.wait(lock, [&] { return made_ > next_ || error_; });
    if (made_ <= next_) std::rethrow_exception(error_);
    return items_[next_++ % 2];
  }

 private:
  void run() {
    for (std::uint64_t i = next_of_worker();; ++i) {
      {
        std::unique_lock lock(mutex_);
        // Item i goes where item i - 2 was.
        changed_.wait(lock, [&] { return stop_ || i < taken_ + 2; });
        if (stop_) return;
      }
      try {
        fill_(i, items_[i % 2]);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        error_ = std::current_exception();
        changed_.notify_all();
        return;
      }
      const std::lock_guard lock(mutex_);
      made_ = i + 1;
      changed_.notify_all();
    }
  }
  std::uint64_t next_of_worker() {
    const std::lock_guard lock(mutex_);
    return made_;
  }

  Fill fill_;
  std::array<Item, 2> items_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_, made_, taken_;  // to be handed out; to be made; all before it may be overwritten
  std::exception_ptr error_;
  bool stop_ = false;
  std::thread worker_;
};

}  // namespace mbnn
