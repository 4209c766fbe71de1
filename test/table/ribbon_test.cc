// Tests Ribbon filters: their equations, sizes and payloads. Compares the
// kernels with each other.

#include "table/filter/ribbon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "port/cpu.h"
#include "table/filter/ribbon_kernels.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;

std::vector<std::string> SomeKeys(size_t n, const std::string& prefix) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

std::string Build(double bits, const std::vector<std::string>& keys) {
  FilterBitsBuilder builder(FilterType::kRibbon, bits);
  for (const std::string& key : keys) builder.Add(HashForFilter(key));
  const uint64_t estimate = builder.SizeEstimate();
  Buffer buffer;
  EXPECT_TRUE(builder.Finish(&buffer).ok());
  EXPECT_EQ(buffer.size(), estimate);
  EXPECT_EQ(builder.num_hashes(), 0u);
  return buffer.slice().ToString();
}

// The test vectors of FORMAT.md, "Ribbon", for the key abc.
TEST(Ribbon, EquationsOfFormatMd) {
  struct Case {
    uint8_t seed;
    uint32_t blocks;
    uint32_t mask;
    uint64_t h;
    uint64_t start;
    uint64_t high;
    uint64_t low;
    uint32_t result;
  };
  constexpr Case kCases[] = {
      {0, 2, 0, 0x30b00e7ecc72f5c8, 24, 0xb5e3365fc6e52228, 0x7684b215a8b75135,
       0x5f36e3b5},
      {1, 2, 0x3de4d003, 0x06443e1564e9b3ef, 3, 0x5eca33ef9961d943,
       0x9dadb7a5f733aa5f, 0xef33ca5e},
      {171, 9, 0x06efab01, 0xcca063f82510aad5, 819, 0x941a8cc134ce4e31,
       0x577d088b5a9c3d2d, 0xc18c1a94}};
  for (const Case& c : kCases) {
    EXPECT_EQ(RibbonSeedMask(c.seed), c.mask);
    const uint64_t h = (HashForFilter("abc") ^ c.mask) * kRibbonRehash;
    EXPECT_EQ(h, c.h);
    EXPECT_EQ(RibbonStart(h, RibbonShape(c.blocks, c.blocks).num_starts()),
              c.start);
    const RibbonRow row(h);
    EXPECT_EQ(static_cast<uint64_t>(row.coefficients >> 64), c.high);
    EXPECT_EQ(static_cast<uint64_t>(row.coefficients), c.low);
    EXPECT_EQ(row.result, c.result);
  }
}

TEST(Ribbon, SizesOfFormatMd) {
  struct Case {
    uint64_t n;
    uint64_t slots;
    uint64_t bytes;
  };
  constexpr Case kCases[] = {{1000, 1024, 880},
                             {1500, 1536, 1312},
                             {10000, 10368, 8800},
                             {126506, 131072, 111088},
                             {1000000, 1047552, 887792}};
  const FilterDensity density(10);
  EXPECT_NEAR(RibbonOneIn(density), 104.902353488, 1e-9);
  for (const Case& c : kCases) {
    EXPECT_EQ(RibbonSlots(c.n), c.slots);
    EXPECT_EQ(RibbonSize(c.n, 0, density), c.bytes + 5) << c.n;
  }
  for (const auto& [n, slots] :
       {std::pair<uint64_t, uint64_t>{1, 256}, {250, 384}, {500, 640}}) {
    EXPECT_EQ(RibbonSlots(n), slots);
  }
}

TEST(Ribbon, HashesThatFit) {
  for (const double bits : {1.0, 5.0, 10.0, 60.0}) {
    const FilterDensity density(bits);
    for (uint64_t bytes = 70; bytes < 20000; bytes += 611) {
      const uint64_t n = RibbonHashesIn(bytes, density);
      EXPECT_LE(RibbonSize(n, 0, density), bytes);
      EXPECT_GT(RibbonSize(n + 1, 0, density), bytes);
    }
  }
  EXPECT_EQ(RibbonHashesIn(5, FilterDensity(10)), 0u);
}

TEST(Ribbon, SmallSetsAreBloomFilters) {
  const std::string few = Build(10, SomeKeys(50, "k"));
  EXPECT_EQ(FilterBitsReader(Slice(few)).kind(),
            FilterBitsReader::Kind::kBloom);
  const std::string many = Build(10, SomeKeys(5000, "k"));
  EXPECT_EQ(FilterBitsReader(Slice(many)).kind(),
            FilterBitsReader::Kind::kRibbon);
}

// The bound for false positives is a tenth above the intended rate, with an
// allowance for chance.
TEST(Ribbon, FalsePositivesAndNoFalseNegatives) {
  constexpr size_t kKeys = 20000;
  const std::vector<std::string> keys = SomeKeys(kKeys, "present");
  const std::vector<std::string> absent = SomeKeys(kKeys, "absent");
  for (const double bits : {1.0, 3.0, 5.0, 10.0, 16.0, 23.7, 100.0}) {
    const std::string filter = Build(bits, keys);
    const FilterBitsReader reader{Slice(filter)};
    ASSERT_EQ(reader.kind(), FilterBitsReader::Kind::kRibbon);
    for (const std::string& key : keys) ASSERT_TRUE(reader.MayMatchBytes(key));
    size_t wrong = 0;
    for (const std::string& key : absent) wrong += reader.MayMatchBytes(key);
    const double expected = kKeys / RibbonOneIn(FilterDensity(bits));
    EXPECT_LE(static_cast<double>(wrong),
              expected * 1.1 + 4 * std::sqrt(expected) + 1)
        << bits;
  }
}

TEST(Ribbon, OrderDoesNotCountButTheFirstHashDoes) {
  std::vector<std::string> keys = SomeKeys(5000, "k");
  const std::string filter = Build(10, keys);
  std::vector<std::string> turned(keys.rbegin(), keys.rend());
  std::rotate(turned.begin(), turned.end() - 1, turned.end());
  ASSERT_EQ(turned.front(), keys.front());
  EXPECT_TRUE(Build(10, turned) == filter);
}

TEST(Ribbon, BatchesAnswerAsSingleQuestions) {
  for (const double bits : {1.0, 10.0, 60.0}) {
    const std::string filter = Build(bits, SomeKeys(3000, "k"));
    const FilterBitsReader reader{Slice(filter)};
    std::vector<uint64_t> hashes;
    for (const std::string& key : SomeKeys(64, "k29")) {
      hashes.push_back(reader.Hash(key));
    }
    for (size_t n = 0; n <= hashes.size(); ++n) {
      const uint64_t answers = reader.MayMatchBatch(std::span(hashes).first(n));
      for (size_t i = 0; i < n; ++i) {
        ASSERT_EQ(answers >> i & 1, reader.MayMatch(hashes[i]) ? 1u : 0u);
      }
      if (n < 64) {
        ASSERT_EQ(answers >> n, 0u);
      }
    }
  }
}

TEST(Ribbon, ImpossibleOnesMatchEverything) {
  for (const char* meta : {"fe00000000", "fe05010000"}) {
    const std::string payload = std::string(64, '\0') + Unhex(meta);
    EXPECT_TRUE(FilterBitsReader::IsDamaged(Slice(payload)));
    EXPECT_TRUE(FilterBitsReader(Slice(payload)).MayMatch(1));
  }
  // The filter has fewer segments than blocks, so the first blocks have no
  // column.
  const std::string sparse = std::string(40, '\xff') + Unhex("fe00ffffff");
  EXPECT_FALSE(FilterBitsReader::IsDamaged(Slice(sparse)));
  const FilterBitsReader reader{Slice(sparse)};
  Random random(3);
  size_t passed = 0;
  for (int i = 0; i < 1000; ++i) passed += reader.MayMatch(random.Next());
  EXPECT_GT(passed, 990u);
}

#if defined(__x86_64__)
std::vector<const RibbonKernels*> Kernels() {
  std::vector<const RibbonKernels*> all = {&kPortableRibbonKernels};
  const CpuFeatures& cpu = Cpu();
  if (cpu.avx2 && cpu.bmi2 && cpu.popcnt) all.push_back(&kAvx2RibbonKernels);
  if (cpu.avx512_popcount) all.push_back(&kAvx512RibbonKernels);
  return all;
}

TEST(Ribbon, KernelsSolveAlike) {
  constexpr uint32_t kBlocks = 40;
  Random random(31);
  std::vector<uint64_t> hashes;
  for (int i = 0; i < 4700; ++i) hashes.push_back(random.Next());
  for (uint64_t segments : {kBlocks * 0, kBlocks * 1, kBlocks * 7 + 9,
                            kBlocks * 8, kBlocks * 19 + 1, kBlocks * 33}) {
    const RibbonShape shape(kBlocks, segments);
    std::string expected;
    for (const RibbonKernels* kernels : Kernels()) {
      RibbonBand band;
      ASSERT_TRUE(band.Allocate(kBlocks * kRibbonWidth));
      std::vector<RibbonBand::Equation> aside;
      ASSERT_TRUE(kernels->insert(hashes, shape.num_starts(), &band,
                                  shape.num_slots(), &aside));
      EXPECT_TRUE(aside.empty());
      std::string solution(segments * 16, '\x55');
      kernels->solve(band, shape, solution.data());
      if (expected.empty()) expected = solution;
      EXPECT_TRUE(solution == expected) << segments << " segments";
    }
  }
}

TEST(Ribbon, KernelsMatchAlike) {
  Random random(32);
  int matches = 0;
  for (int i = 0; i < 40000; ++i) {
    // Few bits are set, so that a match is not rare.
    std::string segments(16 * random.Below(70), '\0');
    for (char& byte : segments) {
      if (random.OneIn(40)) byte = static_cast<char>(random.Next());
    }
    const auto columns =
        static_cast<uint32_t>(random.Below(segments.size() / 32 + 1));
    const auto wide = [&] {
      return static_cast<Uint128>(random.Next()) << 64 | random.Next();
    };
    const RibbonQuestion question = {
        .first = segments.data(),
        .end = segments.data() + segments.size(),
        .lower = wide(),
        .upper = random.OneIn(5) ? 0 : wide(),
        .columns = columns,
        .result = random.OneIn(3) ? static_cast<uint32_t>(random.Next()) : 0};
    const bool expected = RibbonMatches(question);
    matches += expected ? 1 : 0;
    for (const RibbonKernels* kernels : Kernels()) {
      ASSERT_EQ(kernels->match(&question, 1), expected ? 1u : 0u) << columns;
    }
  }
  EXPECT_GT(matches, 1000);
}
#endif

}  // namespace
}  // namespace ashlar::testing
