// Where two byte strings first differ, found eight bytes at a time.
//
// The table builder needs the shared prefix of neighbouring keys, and their
// order. Both follow from the first byte that differs, so one pass finds both.
// Pure functions: thread-safe.
#ifndef ASHLAR_UTIL_CODING_WORD_COMPARE_H_
#define ASHLAR_UTIL_CODING_WORD_COMPARE_H_

#include <bit>
#include <cassert>
#include <cstddef>

#include "util/coding/coding.h"

namespace ashlar::internal {

// Returns the length of the longest common prefix of a[0..n) and b[0..n).
// Requires: n is at least 8, as in every internal key. The last word is loaded
// so that it ends at n. It overlaps bytes that were compared already, and no
// byte beyond n is touched.
inline size_t CommonPrefixOfWords(const char* a, const char* b, size_t n) {
  assert(n >= sizeof(uint64_t));
  size_t i = 0;
  for (; i + sizeof(uint64_t) <= n; i += sizeof(uint64_t)) {
    const uint64_t difference = LoadFixed64(a + i) ^ LoadFixed64(b + i);
    if (difference != 0) {
      return i + static_cast<size_t>(std::countr_zero(difference)) / 8;
    }
  }
  if (i == n) return n;
  i = n - sizeof(uint64_t);
  const uint64_t difference = LoadFixed64(a + i) ^ LoadFixed64(b + i);
  if (difference == 0) return n;
  return i + static_cast<size_t>(std::countr_zero(difference)) / 8;
}

// Returns whether a[0..n) and b[0..n) are equal. For n that are mostly small:
// it makes no call.
inline bool SameBytes(const char* a, const char* b, size_t n) {
  constexpr size_t kWord = sizeof(uint64_t);
  if (n >= kWord) {
    uint64_t difference =
        LoadFixed64(a + n - kWord) ^ LoadFixed64(b + n - kWord);
    for (size_t i = 0; i + kWord < n; i += kWord) {
      difference |= LoadFixed64(a + i) ^ LoadFixed64(b + i);
    }
    return difference == 0;
  }
  constexpr size_t kHalf = sizeof(uint32_t);
  if (n >= kHalf) {
    return ((LoadFixed32(a) ^ LoadFixed32(b)) |
            (LoadFixed32(a + n - kHalf) ^ LoadFixed32(b + n - kHalf))) == 0;
  }
  for (size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// CommonPrefixOfWords for any n. Goes byte by byte if n is below eight.
inline size_t CommonPrefix(const Slice& a, const Slice& b) {
  const size_t n = a.size() < b.size() ? a.size() : b.size();
  if (n >= sizeof(uint64_t)) return CommonPrefixOfWords(a.data(), b.data(), n);
  size_t i = 0;
  while (i < n && a.data()[i] == b.data()[i]) ++i;
  return i;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_CODING_WORD_COMPARE_H_
