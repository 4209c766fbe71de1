// Copying short byte strings without a call.
//
// Block builders and iterators use it for keys and values. These are mostly
// shorter than a few cache lines, where the call and the size dispatch of
// memcpy cost as much as the copy itself. Pure: thread-safe.
#ifndef ASHLAR_UTIL_MEM_COPY_H_
#define ASHLAR_UTIL_MEM_COPY_H_

#include <cstddef>
#include <cstring>

namespace ashlar::internal {

// Copies exactly n bytes, and returns the new end. If n is between the size of
// a chunk and twice that, the last chunk is moved to end at n: it writes some
// bytes twice, and none beyond. Requires: the buffers do not overlap.
inline char* CopyShort(char* to, const char* from, size_t n) {
  constexpr size_t kSmall = 8;
  constexpr size_t kChunk = 16;
  constexpr size_t kLong = 256;
  if (n >= kChunk) {
    if (n > kLong) {
      std::memcpy(to, from, n);
      return to + n;
    }
    size_t done = 0;
    for (; done + kChunk <= n; done += kChunk) {
      std::memcpy(to + done, from + done, kChunk);
    }
    std::memcpy(to + n - kChunk, from + n - kChunk, kChunk);
    return to + n;
  }
  if (n >= kSmall) {
    char last[kSmall];
    std::memcpy(last, from + n - kSmall, kSmall);
    std::memcpy(to, from, kSmall);
    std::memcpy(to + n - kSmall, last, kSmall);
    return to + n;
  }
  for (size_t i = 0; i < n; ++i) to[i] = from[i];
  return to + n;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_COPY_H_
