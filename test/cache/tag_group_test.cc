// Tests the tags of a group of slots, by the portable comparison and by that of
// the processor.

#include "cache/clock/tag_group.h"

#include <gtest/gtest.h>

#include <random>

namespace ashlar::testing {
namespace {

using namespace internal;

TEST(TagGroup, TellsEachSlotsTag) {
  std::mt19937_64 random(7);
  for (int round = 0; round < 1000; ++round) {
    TagGroup group;
    uint8_t tags[kSlotsPerGroup];
    uint64_t low = 0;
    uint64_t high = 0;
    for (uint32_t i = 0; i < kSlotsPerGroup; ++i) {
      // Few different tags, so that several match. Some slots have no tag.
      const uint64_t drawn = random() % 8;
      tags[i] = static_cast<uint8_t>(drawn < 4 ? drawn : 0x7c + drawn);
      if (tags[i] != 0) group.Set(i, tags[i]);
      (i < 8 ? low : high) |= uint64_t{tags[i]} << i % 8 * 8;
    }
    const uint64_t passed = random() % 300;
    for (uint64_t i = 0; i < passed; ++i) group.AddPassed();
    high |= passed << tags::kCountShift;
    for (int tag = 0; tag < 256; ++tag) {
      uint32_t expected = 0;
      for (uint32_t i = 0; i < kSlotsPerGroup; ++i) {
        if (tags[i] == tag) expected |= uint32_t{1} << i;
      }
      const auto byte = static_cast<uint8_t>(tag);
      ASSERT_EQ(group.Matches(byte), expected);
      ASSERT_EQ(tags::Matches(low, high, byte), expected);
      ASSERT_EQ(tags::MatchesByVectors(low, high, byte), expected);
    }
    EXPECT_EQ(group.Passed(), passed);
    for (uint32_t i = 0; i < kSlotsPerGroup; ++i) {
      if (tags[i] != 0) group.Clear(i, tags[i]);
    }
    for (uint64_t i = 0; i < passed; ++i) group.SubPassed();
    EXPECT_EQ(group.Empty(), tags::kAllSlots);
    EXPECT_EQ(group.Passed(), 0U);
  }
}

TEST(TagGroup, NoTagIsNone) {
  for (uint64_t hash = 0; hash < 256; ++hash) {
    EXPECT_NE(TagGroup::TagOf(hash << 8), 0);
    EXPECT_NE(TagGroup::TagOf(hash), 0);
  }
}

}  // namespace
}  // namespace ashlar::testing
