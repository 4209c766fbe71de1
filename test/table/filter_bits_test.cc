// Tests filter payloads: how they are built, parsed and searched.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "table/filter/bloom.h"
#include "table/filter/leveldb_filter.h"
#include "test/support/random.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"
#include "util/mem/aligned_bytes.h"

namespace ashlar::testing {
namespace {

using namespace internal;

TEST(Bloom, BitsOfTheVector) {
  // The filter has 320 bytes of bits and 6 probes (FORMAT.md, section 15).
  struct Bit {
    size_t byte;
    int bit;
  };
  constexpr Bit kBits[] = {{244, 7}, {215, 4}, {250, 0},
                           {243, 5}, {220, 2}, {223, 6}};
  std::string filter(320, '\0');
  for (const Bit& b : kBits) {
    filter[b.byte] = static_cast<char>(filter[b.byte] | 1 << b.bit);
  }
  filter += std::string("\xff\0\6\0\0", 5);
  const FilterBitsReader reader{Slice(filter)};
  ASSERT_EQ(reader.kind(), FilterBitsReader::Kind::kBloom);
  EXPECT_TRUE(reader.MayMatch(HashForFilter("abc")));
  EXPECT_TRUE(ReferenceFilterMayMatch(filter, "abc"));
  EXPECT_FALSE(reader.MayMatch(HashForFilter("abd")));
  for (const Bit& b : kBits) {
    std::string without = filter;
    without[b.byte] = static_cast<char>(without[b.byte] & ~(1 << b.bit));
    EXPECT_FALSE(
        FilterBitsReader(Slice(without)).MayMatch(HashForFilter("abc")));
  }
}

TEST(Bloom, KindsOfPayload) {
  using Kind = FilterBitsReader::Kind;
  const std::string line(64, '\0');
  const auto kind = [](const std::string& payload) {
    return FilterBitsReader(Slice(payload)).kind();
  };
  EXPECT_EQ(kind(""), Kind::kEmpty);
  EXPECT_EQ(kind(std::string("\xff\0\6\0\0", 5)), Kind::kEmpty);
  EXPECT_EQ(kind(line + std::string("\xff\0\6\0\0", 5)), Kind::kBloom);
  EXPECT_EQ(kind(line + std::string("\xff\0\x1e\0\0", 5)), Kind::kBloom);
  for (const char* meta :
       {"ff001f0000", "ff00000000", "ff01060000", "ff00060100", "ff00060001",
        "fd00060000", "0000000001"}) {
    EXPECT_EQ(kind(line + Unhex(meta)), Kind::kAlways) << meta;
    EXPECT_TRUE(FilterBitsReader(Slice(line + Unhex(meta))).MayMatch(1));
  }
  EXPECT_EQ(kind(line + "x" + std::string("\xff\0\6\0\0", 5)), Kind::kAlways);
  EXPECT_FALSE(FilterBitsReader(Slice("")).MayMatch(1));
  EXPECT_TRUE(FilterBitsReader().MayMatch(1));
}

TEST(Bloom, ProbesOfFormatMd) {
  constexpr std::array<int, 12> kUpTo = {2080,  3580,  5100,  6640,
                                         8300,  10070, 11720, 14001,
                                         16050, 18300, 22001, 25501};
  for (size_t i = 0; i < kUpTo.size(); ++i) {
    const int probes = static_cast<int>(i) + 1;
    EXPECT_EQ(BloomProbes(kUpTo[i]), probes);
    if (probes < 12) {
      EXPECT_EQ(BloomProbes(kUpTo[i] + 1), probes + 1);
    }
  }
  EXPECT_EQ(BloomProbes(25502), 11);
  EXPECT_EQ(BloomProbes(50000), 23);
  EXPECT_EQ(BloomProbes(50001), 24);
  EXPECT_EQ(BloomProbes(100000), 24);
  EXPECT_EQ(BloomProbes(1000), 1);
}

std::string BuildFilter(double bits, const std::vector<std::string>& keys) {
  FilterBitsBuilder builder(FilterType::kBloom, bits);
  for (const std::string& key : keys) builder.Add(HashForFilter(key));
  const uint64_t estimate = builder.SizeEstimate();
  Buffer buffer;
  EXPECT_TRUE(builder.Finish(&buffer).ok());
  EXPECT_EQ(buffer.size(), estimate);
  return buffer.slice().ToString();
}

std::vector<std::string> SomeKeys(size_t n, const std::string& prefix) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < n; ++i) keys.push_back(prefix + std::to_string(i));
  return keys;
}

TEST(Bloom, Sizes) {
  struct Case {
    double bits;
    size_t keys;
    size_t size;  // without the metadata
  };
  constexpr Case kCases[] = {
      {10, 1, 64},      {10, 51, 64},     {10, 52, 128},    {10, 1000, 1280},
      {10, 1024, 1280}, {10, 1025, 1344}, {0.5, 512, 64},   {0.5, 513, 128},
      {1, 512, 64},     {23.7, 100, 320}, {100, 100, 1280}, {200, 100, 1280}};
  for (const Case& c : kCases) {
    EXPECT_EQ(BuildFilter(c.bits, SomeKeys(c.keys, "k")).size(), c.size + 5)
        << c.bits << " bits, " << c.keys << " keys";
  }
  EXPECT_TRUE(BuildFilter(10, {}).empty());
}

TEST(Bloom, RepeatedHashesCountOnce) {
  FilterBitsBuilder builder(FilterType::kBloom, 10);
  for (const uint64_t hash : {0u, 0u, 7u, 7u, 7u, 0u}) builder.Add(hash);
  EXPECT_EQ(builder.num_hashes(), 3u);
}

// Each bound is twice the rate that RocksDB documents for its cache-local Bloom
// filters.
TEST(Bloom, FalsePositivesAndNoFalseNegatives) {
  struct Case {
    double bits;
    double most;
  };
  constexpr Case kCases[] = {{1, 0.9},    {5, 0.2},      {10, 0.02},
                             {16, 0.003}, {23.7, 0.001}, {100, 0.0005}};
  constexpr size_t kKeys = 20000;
  const std::vector<std::string> keys = SomeKeys(kKeys, "present");
  const std::vector<std::string> absent = SomeKeys(kKeys, "absent");
  for (const Case& c : kCases) {
    const std::string filter = BuildFilter(c.bits, keys);
    const FilterBitsReader reader{Slice(filter)};
    for (const std::string& key : keys) {
      ASSERT_TRUE(reader.MayMatch(HashForFilter(key))) << key;
    }
    size_t wrong = 0;
    for (const std::string& key : absent) {
      const bool may = reader.MayMatch(HashForFilter(key));
      wrong += may ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(wrong), c.most * kKeys) << c.bits;
  }
}

// The builder keeps the hashes of this many keys in huge pages.
TEST(Bloom, OfManyKeysHasEachOfThem) {
  constexpr uint64_t kHashes = 3'000'000;
  const auto hash_of = [](uint64_t i) {
    return (i + 1) * 0x9e3779b97f4a7c15U;  // spread over all 64 bits
  };
  FilterBitsBuilder builder(FilterType::kBloom, 8);
  for (uint64_t i = 0; i < kHashes; ++i) builder.Add(hash_of(i));
  EXPECT_EQ(builder.num_hashes(), kHashes);
  Buffer filter;
  ASSERT_TRUE(builder.Finish(&filter).ok());
  EXPECT_GE(filter.size(), kHashes);
  const FilterBitsReader reader{filter.slice()};
  uint64_t missing = 0;
  for (uint64_t i = 0; i < kHashes; ++i) {
    const bool may = reader.MayMatch(hash_of(i));
    missing += may ? 0U : 1U;
  }
  EXPECT_EQ(missing, 0u);
}

TEST(Bloom, AgreesWithTheReferenceReader) {
  for (const double bits : {1.0, 9.9, 30.0}) {
    const std::string filter = BuildFilter(bits, SomeKeys(3000, "k"));
    const FilterBitsReader reader{Slice(filter)};
    for (const std::string& key : SomeKeys(6000, "k")) {
      ASSERT_EQ(reader.MayMatch(HashForFilter(key)),
                ReferenceFilterMayMatch(filter, key))
          << key;
    }
  }
}

// FORMAT.md, "Legacy Bloom": the bits of the key abc with 5 lines and 6 probes.
TEST(LegacyBloom, BitsOfFormatMd) {
  struct Place {
    size_t byte;
    int bit;
  };
  constexpr Place kPlaces[] = {{293, 7}, {315, 5}, {273, 3},
                               {295, 1}, {316, 7}, {274, 5}};
  std::string filter(320, '\0');
  for (const Place& p : kPlaces) {
    filter[p.byte] = static_cast<char>(filter[p.byte] | 1 << p.bit);
  }
  filter += Unhex("0605000000");
  const FilterBitsReader reader{Slice(filter)};
  ASSERT_EQ(reader.kind(), FilterBitsReader::Kind::kLegacyBloom);
  EXPECT_TRUE(reader.MayMatchBytes("abc"));
  EXPECT_FALSE(reader.MayMatchBytes("abd"));
  const uint64_t hashes[] = {reader.Hash("abd"), reader.Hash("abc")};
  EXPECT_EQ(reader.MayMatchBatch(hashes), 2u);
  for (const Place& p : kPlaces) {
    std::string without = filter;
    without[p.byte] = static_cast<char>(without[p.byte] & ~(1 << p.bit));
    EXPECT_FALSE(FilterBitsReader(Slice(without)).MayMatchBytes("abc"));
  }
}

TEST(LegacyBloom, ImpossibleOnesMatchEverything) {
  const std::string line(64, '\0');
  // A filter of no lines, one whose 3 lines do not divide 64 bytes, and one
  // with lines of 24 bytes.
  for (const std::string& payload :
       {line + Unhex("0600000000"), line + Unhex("0603000000"),
        std::string(48, '\0') + Unhex("0602000000")}) {
    EXPECT_TRUE(FilterBitsReader::IsDamaged(Slice(payload)));
    EXPECT_TRUE(FilterBitsReader(Slice(payload)).MayMatch(1));
  }
  const std::string longer = line + line + Unhex("0601000000");
  EXPECT_EQ(FilterBitsReader(Slice(longer)).kind(),
            FilterBitsReader::Kind::kLegacyBloom);
}

TEST(LevelDbFilter, DamagedOnesMatchEverything) {
  EXPECT_FALSE(LevelDbFilter::Parse("").has_value());
  EXPECT_FALSE(LevelDbFilter::Parse(Unhex("00000000")).has_value());
  EXPECT_FALSE(LevelDbFilter::Parse(Unhex("010000000b")).has_value());
  EXPECT_FALSE(LevelDbFilter::Parse(Unhex("0000000040")).has_value());
  // Filter 0 is empty, filter 1 ends before it starts, and filter 2 ends
  // outside the block.
  const std::string block =
      Unhex("0000 01 03000000 03000000 00000000 ff000000 03000000 0b");
  const auto filter = LevelDbFilter::Parse(Slice(block));
  ASSERT_TRUE(filter.has_value());
  EXPECT_FALSE(filter->MayMatch(0, "k"));
  for (const uint64_t offset : {2048u, 4096u, 8192u, 1u << 31}) {
    EXPECT_TRUE(filter->MayMatch(offset, "k"));
  }
}

// Only bytes from 0x80 on distinguish LevelDB's hash from that of the legacy
// filter.
TEST(LevelDbFilter, HashTakesTheLastBytesUnsigned) {
  constexpr uint32_t kHash = 0xbeb3a8da;    // FORMAT.md, section 15
  constexpr uint32_t kSigned = 0x72791516;  // with signed bytes
  for (const uint32_t hash : {kHash, kSigned}) {
    std::string block(8, '\0');
    block[hash % 64 / 8] = static_cast<char>(1 << (hash % 8));
    block += Unhex("01 00000000 09000000 0b");
    const auto filter = LevelDbFilter::Parse(Slice(block));
    ASSERT_TRUE(filter.has_value());
    EXPECT_EQ(filter->MayMatch(0, "\xff\x80\x7f"), hash == kHash);
  }
}

// The filter does not depend on the order in which keys are added.
TEST(Bloom, OrderDoesNotCount) {
  // Enough keys that HashCollector deals them out to its parts.
  std::vector<std::string> keys = SomeKeys(50000, "k");
  const std::string filter = BuildFilter(10, keys);
  std::vector<std::string> reversed(keys.rbegin(), keys.rend());
  EXPECT_TRUE(BuildFilter(10, reversed) == filter);
}

// This holds for one chunk, for many chunks, for hashes dealt out to parts, and
// for huge pages.
TEST(HashCollector, KeepsEveryHashOnceInItsPart) {
  static constexpr HashParting kParting{0x5555, 0x9E3779B97F4A7C15};
  HashCollector hashes([](uint64_t) { return kParting; });
  Random random(3);
  for (const size_t n : {1u, 511u, 512u, 513u, 32768u, 32769u, 900000u}) {
    std::vector<uint64_t> added(n);
    for (uint64_t& hash : added) hash = random.Next();
    for (const uint64_t hash : added) hashes.Add(hash);
    ASSERT_EQ(hashes.size(), n);
    ASSERT_EQ(hashes.first(), added[0]);
    std::vector<uint64_t> found;
    for (size_t part = 0; part < HashCollector::kParts; ++part) {
      uint64_t in_part = 0;
      hashes.ForEachRun(part, [&](std::span<const uint64_t> run) {
        in_part += run.size();
        for (const uint64_t hash : run) {
          const uint64_t mixed = (hash ^ kParting.mask) * kParting.multiplier;
          const uint64_t owner = mixed >> HashCollector::kPartShift;
          ASSERT_EQ(part, n > 32768 ? owner : 0u);
          found.push_back(hash);
        }
      });
      ASSERT_EQ(hashes.PartSize(part), in_part);
    }
    std::sort(added.begin(), added.end());
    std::sort(found.begin(), found.end());
    ASSERT_TRUE(found == added) << n;
    hashes.Clear();
    ASSERT_TRUE(hashes.empty());
  }
}

// This holds wherever the payload begins in memory, prefetched or not.
TEST(Bloom, BatchesAnswerAsSingleQuestionsDo) {
  Random random(23);
  for (const double bits : {1.0, 10.0, 14.0, 30.0}) {
    const std::string filter = BuildFilter(bits, SomeKeys(500, "k"));
    for (const size_t shift : {0u, 1u, 63u}) {
      AlignedBytes copy;
      ASSERT_TRUE(copy.Assign(Slice(std::string(shift, '\0') + filter)));
      const FilterBitsReader reader(
          Slice(copy.slice().data() + shift, filter.size()));
      for (size_t n = 0; n <= kFilterBatchMax; ++n) {
        std::vector<uint64_t> hashes;
        uint64_t answers = 0;
        for (size_t i = 0; i < n; ++i) {
          const uint64_t key = random.Below(1000);
          hashes.push_back(HashForFilter("k" + std::to_string(key)));
          answers |= uint64_t{reader.MayMatch(hashes[i])} << i;
        }
        if (random.OneIn(2)) reader.Prefetch(hashes);
        ASSERT_EQ(reader.MayMatchBatch(hashes), answers) << n;
      }
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
