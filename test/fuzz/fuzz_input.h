// What the fuzz targets share: taking values from the front of the input, and
// reporting a wrong answer.
//
// In every input the parameters come first and the bytes under test last. So
// these bytes end where the input's memory ends, and the address sanitizer
// detects a read beyond them.
#ifndef ASHLAR_TEST_FUZZ_FUZZ_INPUT_H_
#define ASHLAR_TEST_FUZZ_FUZZ_INPUT_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

#define FUZZ_CHECK(condition)                                             \
  ashlar::fuzz::Check(static_cast<bool>(condition), #condition, __FILE__, \
                      __LINE__)

namespace ashlar::fuzz {

// The limit for the uncompressed size of a block.
inline constexpr uint64_t kMaxBlockBytes = uint64_t{1} << 20;

// Aborts the process if `condition` is false. That is how a fuzz target reports
// a fault, also in builds without assertions.
inline void Check(bool condition, const char* text, const char* file,
                  int line) {
  if (condition) return;
  std::fprintf(stderr, "%s:%d: not true: %s\n", file, line, text);
  std::abort();
}

class FuzzInput {
 public:
  FuzzInput(const uint8_t* data, size_t size)
      : rest_(reinterpret_cast<const char*>(data), size) {}

  bool empty() const { return rest_.empty(); }
  // Returns 0 if the input has ended.
  uint8_t Byte() {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    return byte;
  }
  uint64_t Number(int bytes) {
    uint64_t number = 0;
    for (int i = 0; i < bytes; ++i) number |= uint64_t{Byte()} << (8 * i);
    return number;
  }
  // Returns at most n bytes.
  Slice Bytes(size_t n) {
    const Slice bytes(rest_.data(), std::min(n, rest_.size()));
    rest_.remove_prefix(bytes.size());
    return bytes;
  }
  Slice rest() const { return rest_; }

 private:
  Slice rest_;
};

inline const Comparator* BuiltinOrder(bool reverse) {
  return reverse ? ReverseBytewiseComparator() : BytewiseComparator();
}

}  // namespace ashlar::fuzz

#endif  // ASHLAR_TEST_FUZZ_FUZZ_INPUT_H_
