// The parts of admission: the memory of evicted keys (EvictedKeys), and the
// order of entries on probation (ProbationFifo).

#include <gtest/gtest.h>

#include <vector>

#include "cache/clock/admission/admission.h"

namespace ashlar::internal {
namespace {

// --- Evicted keys ---

constexpr uint64_t HashOf(uint64_t i) { return i * 0x9e3779b97f4a7c15; }

class EvictedKeysTest : public ::testing::Test {
 protected:
  static constexpr size_t kEntries = 1000;

  EvictedKeysTest()
      : memory_(EvictedKeys::BytesFor(kEntries) / sizeof(Line)),
        keys_(reinterpret_cast<char*>(memory_.data())) {
    keys_.SetEntries(kEntries);
  }

  struct alignas(64) Line {
    char bytes[64] = {};
  };
  std::vector<Line> memory_;
  EvictedKeys keys_;
};

TEST_F(EvictedKeysTest, TellWhatWasRecordedOnce) {
  keys_.Remember(HashOf(1), true, {.miss = 5, .of_kind = 3});
  keys_.Remember(HashOf(2), false, {.miss = 0x1ffff, .of_kind = 0xffff});
  EXPECT_FALSE(keys_.Find(HashOf(3)).has_value());
  const auto one = keys_.Find(HashOf(1));
  ASSERT_TRUE(one.has_value());
  EXPECT_TRUE(one->was_on_probation);
  EXPECT_EQ(one->when.miss, 5U);
  EXPECT_EQ(one->when.of_kind, 3U);
  EXPECT_FALSE(keys_.Find(HashOf(1)).has_value());
  const auto two = keys_.Find(HashOf(2));
  ASSERT_TRUE(two.has_value());
  EXPECT_FALSE(two->was_on_probation);
  EXPECT_EQ(two->when.miss, EvictedKeys::kMissMask);
  EXPECT_EQ(two->when.of_kind, EvictedKeys::kOfKindMask);
}

// Holds even if the count of misses wraps around.
TEST_F(EvictedKeysTest, KeepTheNewestOfTwiceTheEntries) {
  constexpr uint32_t kAll = 20 * kEntries;
  constexpr uint32_t kComesRound = EvictedKeys::kMissMask + 1;
  for (const uint32_t start : {0U, kComesRound - kAll + 500}) {
    for (uint32_t i = 0; i < kAll; ++i) {
      keys_.Remember(HashOf(start + i), true, {.miss = start + i});
    }
    size_t found_of_newest = 0;
    size_t found_of_old = 0;
    for (uint32_t i = kAll; i-- > 0;) {
      const bool found = keys_.Find(HashOf(start + i)).has_value();
      if (i >= kAll - kEntries) found_of_newest += found ? 1 : 0;
      if (i < kAll - 4 * kEntries) found_of_old += found ? 1 : 0;
    }
    EXPECT_GT(found_of_newest, kEntries * 97 / 100);
    EXPECT_LT(found_of_old, kEntries * 5 / 100);
  }
}

TEST_F(EvictedKeysTest, TakeSixteenBytesForEachEntry) {
  EXPECT_LE(keys_.bytes(), kEntries * 16 + 64);
  EXPECT_LE(ProbationFifo::BytesFor(kEntries) + keys_.bytes(),
            kEntries * Admission::kBytesOfEntry + 128);
}

// --- The order on probation ---

class ProbationFifoTest : public ::testing::Test {
 protected:
  static constexpr size_t kEntries = 16;

  ProbationFifoTest()
      : slots_(64),
        memory_(ProbationFifo::BytesFor(kEntries)),
        fifo_(memory_.data(), slots_.data()) {
    fifo_.SetEntries(kEntries);
  }

  std::vector<ClockSlot> slots_;
  std::vector<char> memory_;
  ProbationFifo fifo_;
};

TEST_F(ProbationFifoTest, TheFirstThatCameGoesFirst) {
  for (size_t i = 1; i <= 10; ++i) fifo_.Append(&slots_[i]);
  for (size_t i = 1; i <= 10; ++i) {
    EXPECT_FALSE(fifo_.HasLost(&slots_[i]));
    EXPECT_EQ(fifo_.PopOldest(), &slots_[i]);
    EXPECT_TRUE(fifo_.HasLost(&slots_[i]));
  }
  EXPECT_TRUE(fifo_.IsEmpty());
  EXPECT_EQ(fifo_.PopOldest(), nullptr);
}

TEST_F(ProbationFifoTest, ASlotThatCameAgainIsWhereItCameLast) {
  fifo_.Append(&slots_[1]);
  fifo_.Append(&slots_[2]);
  fifo_.Append(&slots_[1]);
  EXPECT_EQ(fifo_.PopOldest(), nullptr);
  EXPECT_EQ(fifo_.PopOldest(), &slots_[2]);
  EXPECT_EQ(fifo_.PopOldest(), &slots_[1]);
}

TEST_F(ProbationFifoTest, WhatItHasNoRoomForIsLost) {
  const size_t room = fifo_.bytes() / sizeof(uint32_t);
  for (size_t i = 0; i < room + 3; ++i) fifo_.Append(&slots_[i]);
  for (size_t i = 0; i < room + 3; ++i) {
    EXPECT_EQ(fifo_.HasLost(&slots_[i]), i < 3) << i;
  }
  EXPECT_EQ(fifo_.PopOldest(), &slots_[3]);
}

TEST_F(ProbationFifoTest, TheCursorIsAQuarterBehindTheYoungest) {
  for (size_t i = 0; i < 8; ++i) fifo_.Append(&slots_[i]);
  for (size_t i = 0; i < 6; ++i) EXPECT_EQ(fifo_.MoveCursor(), &slots_[i]);
  EXPECT_EQ(fifo_.MoveCursor(), nullptr);
  // The cursor skips entries that have left the FIFO.
  for (size_t i = 8; i < 16; ++i) fifo_.Append(&slots_[i]);
  for (size_t i = 0; i < 8; ++i) fifo_.PopOldest();
  EXPECT_EQ(fifo_.MoveCursor(), &slots_[8]);
}

}  // namespace
}  // namespace ashlar::internal
