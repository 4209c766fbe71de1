// Reservations: what the cache charges for them, how many entries they take,
// and when they fail.

#include "ashlar/cache/memory_reservation.h"

#include <gtest/gtest.h>

#include "test/cache/cache_makers.h"
#include "test/cache/counted_values.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

constexpr size_t kKiB = size_t{1} << 10;
constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kGiB = size_t{1} << 30;
constexpr size_t kPiece = 256 * kKiB;

class Reservation : public ::testing::TestWithParam<CacheMaker> {
 protected:
  void MakeCache(size_t capacity, bool strict) {
    cache_ = GetParam()(
        {.capacity = capacity, .strict = strict, .entry_charge = kPiece});
  }

  std::shared_ptr<Cache> cache_;
};

TEST_P(Reservation, ChargesTheCache) {
  MakeCache(256 * kMiB, false);
  {
    MemoryReservation reservation(cache_, CacheEntryRole::kFilterConstruction);
    EXPECT_EQ(cache_->GetUsage(), 0u);
    EXPECT_TRUE(reservation.UpdateTo(1).ok());
    EXPECT_EQ(reservation.bytes(), 1u);
    EXPECT_EQ(cache_->GetUsage(), kPiece);
    EXPECT_EQ(cache_->GetPinnedUsage(), kPiece);
    EXPECT_TRUE(reservation.UpdateTo(kPiece).ok());
    EXPECT_EQ(reservation.entries(), 1u);
    EXPECT_TRUE(reservation.UpdateTo(10 * kPiece + 1).ok());
    EXPECT_EQ(reservation.bytes(), 10 * kPiece + 1);
    EXPECT_EQ(reservation.charged_bytes(), 11 * kPiece);
    EXPECT_EQ(cache_->GetUsage(), 11 * kPiece);
    const CacheEntryStats stats = cache_->CollectEntryStats();
    EXPECT_EQ(stats.of(CacheEntryRole::kFilterConstruction).charge,
              11 * kPiece);
    EXPECT_TRUE(reservation.UpdateTo(2 * kPiece).ok());
    EXPECT_EQ(cache_->GetUsage(), 2 * kPiece);
    EXPECT_EQ(cache_->GetOccupancyCount(), 2u);
  }
  EXPECT_EQ(cache_->GetUsage(), 0u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
}

// ForEachEntry holds a reference to the entry that it shows.
TEST_P(Reservation, WhatIsGivenBackWhileItIsLookedAtIsNotCharged) {
  MakeCache(256 * kMiB, false);
  MemoryReservation reservation(cache_);
  EXPECT_TRUE(reservation.UpdateTo(10 * kPiece).ok());
  cache_->ForEachEntry([&reservation](const CacheEntryView&) {
    EXPECT_TRUE(reservation.UpdateTo(0).ok());
  });
  EXPECT_EQ(cache_->GetUsage(), 0u);
  EXPECT_EQ(cache_->GetOccupancyCount(), 0u);
}

TEST_P(Reservation, SeveralStandSideBySide) {
  MakeCache(256 * kMiB, false);
  MemoryReservation a(cache_);
  MemoryReservation b(cache_, CacheEntryRole::kFileMetadata);
  EXPECT_TRUE(a.UpdateTo(3 * kPiece).ok());
  EXPECT_TRUE(b.UpdateTo(4 * kPiece).ok());
  EXPECT_EQ(cache_->GetUsage(), 7 * kPiece);
  EXPECT_EQ(cache_->GetOccupancyCount(), 7u);
  EXPECT_TRUE(a.UpdateTo(0).ok());
  EXPECT_EQ(cache_->GetUsage(), 4 * kPiece);
  EXPECT_EQ(b.entries(), 4u);
}

// The pieces are the same whatever the steps to a size, and never charge much
// more than that size.
TEST_P(Reservation, PiecesDependOnTheSizeAlone) {
  MakeCache(4 * kGiB, false);
  Random random(1);
  for (int i = 0; i < 200; ++i) {
    MemoryReservation stepwise(cache_);
    for (int step = 0; step < 5; ++step) {
      EXPECT_TRUE(
          stepwise.UpdateTo(random.Below(kMiB << random.Below(13))).ok());
      const size_t bytes = stepwise.bytes();
      EXPECT_GE(stepwise.charged_bytes(), bytes);
      EXPECT_LT(stepwise.charged_bytes() - bytes,
                std::max(kPiece, bytes / 64 + 1));
    }
    MemoryReservation direct(cache_);
    EXPECT_TRUE(direct.UpdateTo(stepwise.bytes()).ok());
    EXPECT_EQ(direct.charged_bytes(), stepwise.charged_bytes());
    EXPECT_EQ(direct.entries(), stepwise.entries());
    EXPECT_EQ(cache_->GetUsage(),
              direct.charged_bytes() + stepwise.charged_bytes());
  }
}

TEST_P(Reservation, LargeOnesTakeFewEntries) {
  MakeCache(4 * kGiB, false);
  MemoryReservation reservation(cache_);
  EXPECT_TRUE(reservation.UpdateTo(32 * kMiB).ok());
  EXPECT_EQ(reservation.entries(), 128u);
  EXPECT_TRUE(reservation.UpdateTo(kGiB).ok());
  EXPECT_EQ(reservation.entries(), 128u + 5 * 64);
  EXPECT_TRUE(reservation.UpdateTo(16 * kGiB).ok());
  EXPECT_EQ(reservation.entries(), 128u + 9 * 64);
}

TEST_P(Reservation, MakesRoomForItself) {
  MakeCache(64 * kMiB, true);
  CountedValues values;
  for (uint64_t n = 0; n < 500; ++n) {
    EXPECT_TRUE(cache_
                    ->Insert(TestKey(n), values.Make(TestKey(n), kPiece),
                             &kCountedOps, kPiece)
                    .ok());
  }
  const size_t ended = values.Ended();
  MemoryReservation reservation(cache_);
  EXPECT_TRUE(reservation.UpdateTo(32 * kMiB).ok());
  EXPECT_LE(cache_->GetUsage(), 64 * kMiB);
  EXPECT_GE(values.Ended(), ended + 64);
  cache_->EraseUnRefEntries();
}

TEST_P(Reservation, AStrictLimitRefusesAndChangesNothing) {
  MakeCache(64 * kMiB, true);
  MemoryReservation reservation(cache_);
  EXPECT_TRUE(reservation.UpdateTo(10 * kMiB).ok());
  const size_t usage = cache_->GetUsage();
  EXPECT_TRUE(reservation.UpdateTo(65 * kMiB).IsMemoryLimit());
  EXPECT_EQ(reservation.bytes(), 10 * kMiB);
  EXPECT_EQ(reservation.entries(), 40u);
  EXPECT_EQ(cache_->GetUsage(), usage);
  EXPECT_TRUE(reservation.UpdateTo(SIZE_MAX).IsMemoryLimit());
  EXPECT_EQ(cache_->GetUsage(), usage);
  // Reserve until one shard after the other is full.
  size_t bytes = 10 * kMiB;
  while (reservation.UpdateTo(bytes + kPiece).ok()) bytes += kPiece;
  EXPECT_GE(bytes, 48 * kMiB);
  EXPECT_LE(cache_->GetUsage(), 64 * kMiB);
}

TEST(ReservationWithoutACache, NeverFails) {
  MemoryReservation reservation(nullptr);
  EXPECT_TRUE(reservation.UpdateTo(SIZE_MAX).ok());
  EXPECT_EQ(reservation.bytes(), SIZE_MAX);
  EXPECT_EQ(reservation.charged_bytes(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Each, Reservation,
                         ::testing::ValuesIn(AllCacheMakers()), CacheMakerName);

}  // namespace
}  // namespace ashlar::testing
