// The compressed tier alone: what it returns, what it charges, and that its
// capacity holds at every step.

#include "cache/secondary/compressed_secondary_cache.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "test/cache/counted_values.h"
#include "test/cache/pieces_of_tier.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

std::shared_ptr<SecondaryCache> Make(
    size_t capacity, CompressionType type = CompressionType::kLZ4Compression,
    int bits = 0) {
  return NewCompressedSecondaryCache({.capacity = capacity,
                                      .num_shard_bits = bits,
                                      .compression_type = type,
                                      .hash_seed = 1})
      .value();
}

std::optional<std::string> Find(SecondaryCache* tier, uint64_t n) {
  const auto result = tier->Lookup(TestKey(n));
  if (result == nullptr) return std::nullopt;
  EXPECT_TRUE(result->IsReady());
  result->Wait();
  const auto bytes = result->Value();
  if (!bytes.has_value()) return std::nullopt;
  return bytes->ToString();
}

// Compares the usage with the memory that the pieces really take.
void ExpectUsageIsThePieces(SecondaryCache* tier) {
  size_t entries = 0;
  static_cast<internal::CompressedSecondaryCache*>(tier)->pieces().ForEachEntry(
      [&entries](const CacheEntryView&) { ++entries; });
  const size_t bytes = BytesOfPieces(tier);
  EXPECT_EQ(tier->GetUsage(), bytes);
  EXPECT_EQ(tier->GetStats().usage, bytes);
  EXPECT_EQ(tier->GetStats().entries, entries);
  EXPECT_LE(bytes, tier->GetCapacity());
}

TEST(CompressedSecondaryCache, EachCodecGivesBackWhatCame) {
  for (const CompressionType type : SupportedCompressionTypes()) {
    SCOPED_TRACE(CompressionTypeName(type));
    const auto tier = Make(1 << 20, type);
    Random random(1);
    std::map<uint64_t, std::string> put;
    for (uint64_t n = 0; n < 40; ++n) {
      const size_t size = n < 20 ? n : random.Below(9000);
      put[n] = random.OneIn(3) ? random.Bytes(size) : random.Text(size);
      ASSERT_TRUE(tier->Insert(TestKey(n), put[n]).ok());
      ExpectUsageIsThePieces(tier.get());
    }
    for (const auto& [n, bytes] : put) EXPECT_EQ(Find(tier.get(), n), bytes);
    EXPECT_EQ(Find(tier.get(), 99), std::nullopt);
    EXPECT_EQ(tier->GetStats().hits, 40u);
    EXPECT_EQ(tier->GetStats().lookups, 41u);
    const bool smaller =
        tier->GetStats().bytes_stored < tier->GetStats().bytes_in;
    EXPECT_EQ(smaller, type != CompressionType::kNoCompression);
  }
}

TEST(CompressedSecondaryCache, CapacityChangesAtOnce) {
  for (const int bits : {0, 3}) {
    const auto tier = Make(1 << 20, CompressionType::kLZ4Compression, bits);
    Random random(1);
    for (uint64_t n = 0; n < 100; ++n) {
      ASSERT_TRUE(tier->Insert(TestKey(n), random.Bytes(3000)).ok());
    }
    ExpectUsageIsThePieces(tier.get());
    const size_t before = tier->GetStats().entries;
    EXPECT_EQ(before, 100u);
    tier->SetCapacity(100000);
    ExpectUsageIsThePieces(tier.get());
    EXPECT_GT(tier->GetStats().entries, 16u);
    tier->SetCapacity(0);
    EXPECT_EQ(tier->GetUsage(), 0u);
    // The tier is off.
    EXPECT_TRUE(tier->Insert(TestKey(1), "something").ok());
    EXPECT_EQ(tier->GetStats().inserts, 100u);
    EXPECT_EQ(Find(tier.get(), 1), std::nullopt);
    EXPECT_EQ(tier->GetStats().lookups, 0u);
    tier->SetCapacity(1 << 20);
    EXPECT_TRUE(tier->Insert(TestKey(1), "something").ok());
    EXPECT_EQ(Find(tier.get(), 1), "something");
  }
}

TEST(CompressedSecondaryCache, TheLeastRecentlyUsedGoesFirst) {
  const auto tier = Make(10000, CompressionType::kNoCompression);
  for (uint64_t n = 0; n < 3; ++n) {
    ASSERT_TRUE(tier->Insert(TestKey(n), std::string(2900, 'x')).ok());
  }
  EXPECT_TRUE(tier->Touch(TestKey(0)));
  ASSERT_TRUE(tier->Insert(TestKey(3), std::string(2900, 'x')).ok());
  EXPECT_FALSE(tier->Touch(TestKey(1)));
  for (const uint64_t n : {0, 2, 3}) EXPECT_TRUE(tier->Touch(TestKey(n)));
  tier->Erase(TestKey(2));
  EXPECT_FALSE(tier->Touch(TestKey(2)));
  ExpectUsageIsThePieces(tier.get());
}

TEST(CompressedSecondaryCache, ResultsOutliveTheirPieces) {
  for (const CompressionType type :
       {CompressionType::kNoCompression, CompressionType::kLZ4Compression}) {
    const auto tier = Make(1 << 20, type);
    const std::string bytes(5000, 'x');
    ASSERT_TRUE(tier->Insert(TestKey(1), bytes).ok());
    const auto result = tier->Lookup(TestKey(1));
    tier->Erase(TestKey(1));
    tier->SetCapacity(0);
    ASSERT_NE(result, nullptr);
    EXPECT_EQ(result->Value()->ToString(), bytes);
  }
}

// A damaged piece is erased at once. Otherwise Touch would report for ever that
// the value need not be saved again.
TEST(CompressedSecondaryCache, DamagedPiecesAreErasedAndTakenAgain) {
  for (const CompressionType type : SupportedCompressionTypes()) {
    if (type == CompressionType::kNoCompression) continue;
    SCOPED_TRACE(CompressionTypeName(type));
    const auto tier = Make(1 << 20, type);
    const std::string bytes(5000, 'x');
    ASSERT_TRUE(tier->Insert(TestKey(1), bytes).ok());
    ASSERT_TRUE(tier->Insert(TestKey(2), bytes).ok());
    ASSERT_EQ(Find(tier.get(), 1), bytes);
    ASSERT_EQ(DamagePieces(tier.get()), 2u);

    EXPECT_EQ(Find(tier.get(), 1), std::nullopt);
    EXPECT_FALSE(tier->Touch(TestKey(1)));
    EXPECT_TRUE(tier->Touch(TestKey(2)));
    EXPECT_EQ(tier->GetStats().failures, 1u);
    EXPECT_EQ(tier->GetStats().hits, 1u);
    ExpectUsageIsThePieces(tier.get());
    EXPECT_EQ(Find(tier.get(), 2), std::nullopt);
    EXPECT_EQ(tier->GetUsage(), 0u);

    ASSERT_TRUE(tier->Insert(TestKey(1), bytes).ok());
    EXPECT_EQ(Find(tier.get(), 1), bytes);
    EXPECT_EQ(tier->GetStats().failures, 2u);
  }
}

// An uncompressed piece has no codec that would notice the damage. The cache in
// front of this tier compares a checksum.
TEST(CompressedSecondaryCache, DamageOfUncompressedPiecesIsHandedOut) {
  const auto tier = Make(1 << 20, CompressionType::kNoCompression);
  const std::string bytes(5000, 'x');
  ASSERT_TRUE(tier->Insert(TestKey(1), bytes).ok());
  ASSERT_EQ(DamagePieces(tier.get()), 1u);
  EXPECT_EQ(Find(tier.get(), 1), std::string(bytes.size(), '\xff'));
}

// A piece that became another's gives back no more than came. The limit of what
// a codec may make is thus the size of each value, however large that is.
TEST(CompressedSecondaryCache, NoPieceGivesBackMoreThanCame) {
  for (const CompressionType type : SupportedCompressionTypes()) {
    if (type == CompressionType::kNoCompression) continue;
    SCOPED_TRACE(CompressionTypeName(type));
    const auto tier = Make(1 << 20, type);
    const auto other = Make(1 << 20, type);
    ASSERT_TRUE(tier->Insert(TestKey(1), std::string(5000, 'x')).ok());
    ASSERT_TRUE(other->Insert(TestKey(1), std::string(5001, 'x')).ok());
    ReplacePieces(tier.get(), other.get());
    EXPECT_FALSE(Find(tier.get(), 1).has_value());
    EXPECT_EQ(tier->GetStats().failures, 1u);
  }
}

TEST(CompressedSecondaryCache, OptionsAreChecked) {
  EXPECT_FALSE(NewCompressedSecondaryCache(
                   {.capacity = 1,
                    .compression_type = CompressionType::kXpressCompression})
                   .ok());
  EXPECT_FALSE(
      NewCompressedSecondaryCache({.capacity = 1, .num_shard_bits = 99}).ok());
  if (!IsCompressionSupported(CompressionType::kZlibCompression)) return;
  for (const CompressionOptions& codec : {CompressionOptions{.window_bits = 15},
                                          CompressionOptions{.window_bits = 0},
                                          CompressionOptions{.window_bits = -8},
                                          CompressionOptions{.strategy = 9},
                                          CompressionOptions{.strategy = -1}}) {
    CompressedSecondaryCacheOptions options;
    options.compression_opts = codec;
    options.compression_type = CompressionType::kZlibCompression;
    const Status status = NewCompressedSecondaryCache(options).status();
    EXPECT_TRUE(status.IsInvalidArgument()) << status.ToString();
    // Other codecs ignore these options.
    options.compression_type = CompressionType::kNoCompression;
    EXPECT_TRUE(NewCompressedSecondaryCache(options).ok());
  }
}

}  // namespace
}  // namespace ashlar::testing
