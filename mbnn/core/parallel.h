// Work that is counted by an index, shared out among threads, with the exception that leaves it.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <stop_token>

namespace mbnn {

namespace detail {

void run_indices(std::size_t count, std::size_t threads,
                 const std::function<void(std::size_t, const std::stop_token&)>& work);

}  // namespace detail

// Calls work(index) once for each index below `count`, on at most `threads` threads, the caller's among them, and
// returns when all calls have. Indices are handed out in order. After an exception no further index is, and of all
// exceptions that of the lowest index is thrown: whatever the number of threads, it is the same one.
//
// A call that lasts long takes a second argument, a std::stop_token, and returns early once an exception was thrown
// elsewhere.
template <class Work>
requires std::invocable<Work&, std::size_t> || std::invocable<Work&, std::size_t, const std::stop_token&>
void for_each_index(std::size_t count, std::size_t threads, Work work) {
  if constexpr (std::invocable<Work&, std::size_t, const std::stop_token&>)
    detail::run_indices(count, threads, std::ref(work));
  else
    detail::run_indices(count, threads, [&](std::size_t index, const std::stop_token&) { work(index); });
}

}  // namespace mbnn
