// Where two byte strings part, found eight bytes at a time.
//
// The table builder needs the shared prefix of neighbouring keys and their
// order; both follow from the first differing byte, so one pass finds both.
#ifndef ASHLAR_UTIL_CODING_WORD_COMPARE_H_
#define ASHLAR_UTIL_CODING_WORD_COMPARE_H_

#include <bit>
#include <cassert>
#include <cstddef>

#include "util/coding/coding.h"

namespace ashlar::internal {

// Length of the longest common prefix of a[0..n) and b[0..n). n must be at
// least 8, as in every internal key: the last word is loaded so that it ends
// at n, over bytes already compared, and no byte past n is touched.
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

// Whether a[0..n) and b[0..n) are equal. For n that are mostly small: without a
// call.
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

// CommonPrefixOfWords for any n, byte by byte below eight.
inline size_t CommonPrefix(const Slice& a, const Slice& b) {
  const size_t n = a.size() < b.size() ? a.size() : b.size();
  if (n >= sizeof(uint64_t)) return CommonPrefixOfWords(a.data(), b.data(), n);
  size_t i = 0;
  while (i < n && a.data()[i] == b.data()[i]) ++i;
  return i;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_CODING_WORD_COMPARE_H_
