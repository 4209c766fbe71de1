// Random data for tests. The same seed gives the same data on every machine.
//
// Property tests run over many seeds. To replay a failure, set
// ASHLAR_TEST_SEED=<n> in the environment, which runs only seed n. ForEachSeed
// prints it.
#ifndef ASHLAR_TEST_SUPPORT_RANDOM_H_
#define ASHLAR_TEST_SUPPORT_RANDOM_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace ashlar::testing {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t Next() {
    uint64_t z = (state_ += 0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  // Returns a number from 0 to n - 1.
  uint64_t Below(uint64_t n) { return Next() % n; }
  bool OneIn(uint64_t n) { return Below(n) == 0; }
  uint64_t Between(uint64_t low, uint64_t high) {
    return low + Below(high - low + 1);
  }
  template <typename T, size_t kSize>
  const T& Pick(const T (&choices)[kSize]) {
    return choices[Below(kSize)];
  }
  std::string Bytes(size_t n) {
    std::string bytes(n, '\0');
    for (char& c : bytes) c = static_cast<char>(Next());
    return bytes;
  }
  // Text of only four different letters, which compresses well.
  std::string Text(size_t n) {
    std::string text(n, '\0');
    for (char& c : text) c = static_cast<char>('a' + Below(4));
    return text;
  }

 private:
  uint64_t state_;
};

// Calls test(seed) for `count` seeds from `first` on, until one fails.
template <typename Test>
void ForEachSeed(uint64_t first, uint64_t count, Test test) {
  const char* const given = std::getenv("ASHLAR_TEST_SEED");
  if (given != nullptr) {
    first = std::strtoull(given, nullptr, 0);
    count = 1;
  }
  for (uint64_t seed = first; seed < first + count; ++seed) {
    SCOPED_TRACE("replay with ASHLAR_TEST_SEED=" + std::to_string(seed));
    test(seed);
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_RANDOM_H_
