// In test programs the library's random words come from GoogleTest's seed
// instead of the system (port/random_word.h).
//
// Hash seeds of caches and identities of files decide which keys share a
// bucket, so a test may fail for one seed in ten. Each test starts its own
// sequence, which depends only on the seed and the test's name. So a test that
// fails in a shuffled run also fails when it runs alone with the same seed.
// Without --gtest_shuffle and --gtest_random_seed the seed is 0.
//
// Linked into every test program. No file includes it.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <string>

#include "port/random_word.h"

namespace ashlar::testing {
namespace {

std::atomic<uint64_t> state = 0;
std::atomic<uint64_t> words_drawn = 0;

// SplitMix64. Any number of threads may call it.
uint64_t NextWord() {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  words_drawn.fetch_add(1, std::memory_order_relaxed);
  uint64_t z = state.fetch_add(kOdd, std::memory_order_relaxed) + kOdd;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

int Seed() {
  const int shuffled = ::testing::UnitTest::GetInstance()->random_seed();
  return shuffled != 0 ? shuffled : ::testing::GTEST_FLAG(random_seed);
}

std::string NameOf(const ::testing::TestInfo& test) {
  return std::string(test.test_suite_name()) + "." + test.name();
}

class SeedEachTest final : public ::testing::EmptyTestEventListener {
  void OnTestStart(const ::testing::TestInfo& test) override {
    // FNV-1a.
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : NameOf(test)) {
      hash = (hash ^ static_cast<uint8_t>(c)) * 0x100000001b3;
    }
    state = hash + static_cast<uint64_t>(Seed());
    words_drawn = 0;
  }

  void OnTestEnd(const ::testing::TestInfo& test) override {
    if (!test.result()->Failed() || words_drawn == 0) return;
    std::printf(
        "Random words were drawn: the same ones with --gtest_filter='%s' "
        "--gtest_random_seed=%d\n",
        NameOf(test).c_str(), Seed());
  }
};

[[maybe_unused]] const bool installed = [] {
  port::SetRandomWordSource(&NextWord);
  ::testing::UnitTest::GetInstance()->listeners().Append(new SeedEachTest);
  return true;
}();

}  // namespace
}  // namespace ashlar::testing
