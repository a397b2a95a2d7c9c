// Every index is worked on once, and of several exceptions the one that leaves does not depend on the threads.
//
// Seen to fail: the second index given to every thread in turn (each then runs twice); the first exception or the
// last kept in place of that of the lowest index; no stop after an exception.
#include "mbnn/core/parallel.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace mbnn {
namespace {

TEST(ForEachIndex, CallsEachIndexOnce) {
  for (std::size_t threads : {0, 1, 2, 3, 50})
    for (std::size_t count : {0, 1, 2, 40}) {
      std::vector<std::atomic<int>> calls(count);
      for_each_index(count, threads, [&](std::size_t index) { ++calls[index]; });
      for (const auto& c : calls) EXPECT_EQ(c, 1) << threads << " threads, " << count << " indices";
    }
}

TEST(ForEachIndex, RunsOnTheCallersThreadAndOthers) {
  std::set<std::thread::id> seen;
  std::mutex mutex;
  std::atomic<int> waiting = 0;
  // Each of three calls waits for the others: with fewer threads than three this would never end.
  for_each_index(3, 3, [&](std::size_t) {
    ++waiting;
    while (waiting < 3) std::this_thread::yield();
    const std::scoped_lock guard(mutex);
    seen.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_TRUE(seen.contains(std::this_thread::get_id()));
}

TEST(ForEachIndex, ThrowsTheExceptionOfTheLowestIndex) {
  for (std::size_t threads : {1, 2, 4})
    for (std::size_t slow : {10, 11})  // either of them may fail first
      for (int repeat = 0; repeat < 10; ++repeat) {
        std::string message;
        std::atomic<bool> both = threads == 1;
        try {
          for_each_index(100, threads, [&](std::size_t index) {
            if (index == 11) both = true;
            while (index == 10 && !both) std::this_thread::yield();
            if (index == slow) std::this_thread::sleep_for(std::chrono::milliseconds(2));
            if (index == 10 || index == 11) throw std::runtime_error(std::to_string(index));
          });
        } catch (const std::runtime_error& error) {
          message = error.what();
        }
        EXPECT_EQ(message, "10") << threads << " threads, " << slow << " fails last";
      }
}

TEST(ForEachIndex, HandsOutNothingAfterAnException) {
  std::atomic<std::size_t> last = 0;
  EXPECT_THROW(for_each_index(1000, 1,
                              [&](std::size_t index) {
                                last = index;
                                if (index == 7) throw std::runtime_error("");
                              }),
               std::runtime_error);
  EXPECT_EQ(last, 7u);
}

// A worker that waits for the token would hang if it were not told.
TEST(ForEachIndex, TellsLongCallsToStop) {
  EXPECT_THROW(for_each_index(2, 2,
                              [&](std::size_t index, const std::stop_token& stop) {
                                if (index == 0) throw std::runtime_error("");
                                while (!stop.stop_requested()) std::this_thread::yield();
                              }),
               std::runtime_error);
}

}  // namespace
}  // namespace mbnn
