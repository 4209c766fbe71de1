// Compares the kernels of Bloom filters that this processor has with the
// portable ones, on random lines.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "port/cpu.h"
#include "table/filter/bloom.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using namespace internal;

#if defined(__x86_64__)
TEST(Bloom, SettersAgree) {
  if (!Cpu().avx512_popcount) GTEST_SKIP() << "no AVX-512 with VPOPCNTDQ";
  Random random(22);
  for (int i = 0; i < 20000; ++i) {
    const auto num_lines = static_cast<uint32_t>(1 + random.Below(20));
    std::vector<uint64_t> hashes(random.Below(40));
    for (uint64_t& hash : hashes) hash = random.Next();
    std::string portable(num_lines * kBloomLineBytes + 1, '\0');
    std::string wide = portable;
    const int probes = 1 + i % kBloomVectorProbes;
    SetBloomLinesPortable(hashes.data(), hashes.size(), num_lines,
                          portable.data() + 1, probes);
    SetBloomLinesAvx512(hashes.data(), hashes.size(), num_lines,
                        wide.data() + 1, probes);
    ASSERT_TRUE(wide == portable) << i;
  }
}
#endif

struct LineKernel {
  const char* name;
  int most_probes;
  bool (*line_matches)(const char* line, uint32_t x, int probes);  // or null
  uint64_t (*lines_match)(const char* const* lines, const uint64_t* hashes,
                          size_t n, int probes);
};

std::vector<LineKernel> LineKernels() {
  std::vector<LineKernel> all;
#if defined(__x86_64__)
  if (Cpu().avx2) {
    all.push_back({"AVX2", 30, BloomLineMatchesAvx2, BloomLinesMatchAvx2});
  }
  if (Cpu().avx512_popcount) {
    all.push_back(
        {"AVX-512", kBloomLongestMatch, nullptr, BloomLinesMatchAvx512});
  }
#elif defined(__aarch64__)
  all.push_back({"NEON", 30, BloomLineMatchesNeon, BloomLinesMatchNeon});
#endif
  return all;
}

TEST(Bloom, KernelsAgree) {
  const std::vector<LineKernel> kernels = LineKernels();
  if (kernels.empty()) GTEST_SKIP() << "only the portable kernel is here";
  Random random(21);
  int matches = 0;
  for (int i = 0; i < 60000; ++i) {
    alignas(64) char line[64];
    // Many bits are set, so that a match is not rare.
    for (char& byte : line) {
      byte = static_cast<char>(random.Next() | random.Next() |
                               (random.OneIn(2) ? random.Next() : 0xff));
    }
    const auto x = static_cast<uint32_t>(random.Next());
    const char* const where = line;
    const uint64_t hash = uint64_t{x} << 32 | 0x1234;
    for (int probes = 1; probes <= 30; ++probes) {
      const bool portable = BloomLineMatchesPortable(line, x, probes);
      if (portable) ++matches;
      for (const LineKernel& kernel : kernels) {
        if (probes > kernel.most_probes) continue;
        ASSERT_EQ(kernel.lines_match(&where, &hash, 1, probes),
                  portable ? 1u : 0u)
            << kernel.name << ", x " << x << ", " << probes << " probes";
        if (kernel.line_matches == nullptr) continue;
        ASSERT_EQ(kernel.line_matches(line, x, probes), portable)
            << kernel.name << ", x " << x << ", " << probes << " probes";
      }
    }
  }
  EXPECT_GT(matches, 100000);
}

}  // namespace
}  // namespace ashlar::testing
