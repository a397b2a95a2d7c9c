// A vector of floats whose storage starts on a cache line, as the kernels expect.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace mbnn {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new (n * sizeof(T), std::align_val_t{64})); }
  void deallocate(T* p, std::size_t) { ::operator delete (p, std::align_val_t{64}); }
  template <class U>
  bool operator==(const CacheLineAllocator<U>&) const {
    return true;
  }
};

using AlignedFloats = std::vector<float, CacheLineAllocator<float>>;

// Storage for at least `size` floats, whose contents the caller overwrites. It never shrinks, which would only mean to
// clear it again later.
inline float* room(AlignedFloats& buffer, std::size_t size) {
  if (buffer.size() < size) buffer = AlignedFloats(size);
  return buffer.data();
}

// The same where sizes change rarely: what is far too large is given back.
inline float* close_room(AlignedFloats& buffer, std::size_t size) {
  if (buffer.size() > 2 * size) buffer = {};
  return room(buffer, size);
}

}  // namespace mbnn
