// Tests ReadOptions::auto_prefix_mode: a seek shows what it shows without it,
// and reads no block where the filter rules out all keys up to the bound.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/statistics.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Keys of two or three letters of few, also around a carry.
std::string AnyKey(Random* random) {
  static constexpr char kLetters[] = {'a', 'b', 'c', '\xfe', '\xff', '\0'};
  std::string key;
  for (uint64_t n = random->Between(1, 4); n > 0; --n) {
    key += random->Pick(kLetters);
  }
  return key;
}

std::shared_ptr<const PrefixExtractor> AnyExtractor(Random* random) {
  switch (random->Below(3)) {
    case 0:
      return NewFixedPrefixExtractor(random->Between(1, 3));
    case 1:
      return NewCappedPrefixExtractor(random->Between(1, 3));
    default:
      return NewNoopPrefixExtractor();
  }
}

TEST(AutoPrefixMode, ChangesNoResult) {
  uint64_t saved = 0;
  ForEachSeed(1, 3000, [&](uint64_t seed) {
    Random random(seed);
    TableOptions options;
    options.block_size = 40;
    options.filter = FilterType::kBloom;
    options.bloom_bits_per_key = 20;
    options.prefix_extractor = AnyExtractor(&random);
    options.whole_key_filtering = random.OneIn(2);
    if (random.OneIn(4)) options.comparator = ReverseBytewiseComparator();
    if (random.OneIn(2)) {
      options.index_type = IndexType::kTwoLevelIndexSearch;
      options.partition_filters = random.OneIn(2);
      options.metadata_block_size = 30;
    }
    const Comparator& order = *options.comparator;
    const auto less = [&](const std::string& a, const std::string& b) {
      return order.Compare(a, b) < 0;
    };
    std::vector<std::string> keys;
    for (uint64_t n = random.Between(1, 60); n > 0; --n) {
      keys.push_back(AnyKey(&random));
    }
    std::sort(keys.begin(), keys.end(), less);
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    std::vector<Entry> entries;
    entries.reserve(keys.size());
    for (const std::string& key : keys) entries.push_back(Value(key, 5, key));
    FaultPlan plan;
    ReaderOptions reader_options;
    reader_options.partition_pinning = PinningTier::kAll;
    reader_options.load_index_and_filter = LoadTime::kAtOpen;
    const auto reader = std::move(
        TableReader::Open(
            NewFaultyFile("t.sst", BuildTable(options, entries), &plan),
            reader_options)
            .value());
    for (int i = 0; i < 30; ++i) {
      const std::string target = AnyKey(&random);
      std::string bound = random.OneIn(2) ? AnyKey(&random) : target;
      if (random.OneIn(2)) ++bound.back();
      const Slice upper(bound);
      ReadOptions plain;
      plain.iterate_upper_bound = &upper;
      ReadOptions automatic = plain;
      automatic.auto_prefix_mode = true;
      Iterator expected = reader->NewIterator(plain);
      Iterator it = reader->NewIterator(automatic);
      uint64_t before = plan.operations;
      expected.Seek(target);
      const uint64_t reads = plan.operations - before;
      before = plan.operations;
      it.Seek(target);
      if (plan.operations - before < reads) ++saved;
      EXPECT_LE(plan.operations - before, reads);
      for (; expected.Valid(); expected.Next(), it.Next()) {
        ASSERT_TRUE(it.Valid()) << Hex(target) << " to " << Hex(bound);
        ASSERT_EQ(it.key(), expected.key());
      }
      ASSERT_FALSE(it.Valid()) << Hex(target) << " to " << Hex(bound);
      Require(it.status());
      it.SeekForPrev(target);
      expected.SeekForPrev(target);
      ASSERT_EQ(it.Valid(), expected.Valid());
      ASSERT_TRUE(!it.Valid() || it.key() == expected.key());
    }
  });
  EXPECT_GT(saved, 1000u);
}

class AutoPrefixSaves : public ::testing::Test {
 protected:
  AutoPrefixSaves() {
    TableOptions options;
    options.block_size = 256;
    options.filter = FilterType::kBloom;
    options.bloom_bits_per_key = 30;
    options.prefix_extractor = NewFixedPrefixExtractor(6);
    std::vector<Entry> entries;
    for (const Entry& entry : SomeEntries(3000)) {
      if ((entry.key[5] - '0') % 2 == 0) entries.push_back(entry);
    }
    ReaderOptions reader_options;
    reader_options.load_index_and_filter = LoadTime::kAtOpen;
    reader_options.statistics = statistics_;
    reader_ = std::move(
        TableReader::Open(
            NewFaultyFile("t.sst", BuildTable(options, entries), &plan_),
            reader_options)
            .value());
  }

  // Returns how many reads of the file a seek takes that finds nothing.
  uint64_t ReadsOf(const Slice& target, const Slice& upper) {
    ReadOptions options;
    options.auto_prefix_mode = true;
    options.iterate_upper_bound = &upper;
    Iterator it = reader_->NewIterator(options);
    const uint64_t before = plan_.operations;
    it.Seek(target);
    Require(it.status());
    return plan_.operations - before;
  }

  FaultPlan plan_;
  std::shared_ptr<Statistics> statistics_ = std::make_shared<Statistics>();
  std::unique_ptr<TableReader> reader_;
};

TEST_F(AutoPrefixSaves, TheBlockWhereTheBoundHasThePrefix) {
  EXPECT_EQ(ReadsOf("key00100", "key00177"), 0u);
  EXPECT_EQ(statistics_->GetTickerCount(Ticker::kBloomFilterPrefixUseful), 1u);
}

TEST_F(AutoPrefixSaves, TheBlockWhereTheBoundIsTheNextPrefix) {
  EXPECT_EQ(ReadsOf("key00100", "key002"), 0u);
}

TEST_F(AutoPrefixSaves, NothingWhereOtherPrefixesMayFollow) {
  EXPECT_EQ(ReadsOf("key00100", "key0021"), 1u);
  EXPECT_EQ(ReadsOf("key00100", "key00300"), 1u);
}

TEST_F(AutoPrefixSaves, AFilterThatFailsIsReported) {
  TableOptions options;
  options.block_size = 256;
  options.filter = FilterType::kBloom;
  options.prefix_extractor = NewFixedPrefixExtractor(6);
  options.index_type = IndexType::kTwoLevelIndexSearch;
  options.partition_filters = true;
  using Kind = FaultPlan::Kind;
  for (const Kind kind : {Kind::kError, Kind::kNothing, Kind::kOneShort}) {
    FaultPlan plan;
    ReaderOptions reader_options;
    reader_options.load_index_and_filter = LoadTime::kAtOpen;
    const auto reader = std::move(
        TableReader::Open(
            NewFaultyFile("t.sst", BuildTable(options, SomeEntries(500)),
                          &plan),
            reader_options)
            .value());
    ReadOptions automatic;
    const Slice upper("key00299");
    automatic.iterate_upper_bound = &upper;
    automatic.auto_prefix_mode = true;
    Iterator it = reader->NewIterator(automatic);
    plan.kind = kind;
    plan.fail_at = plan.operations + 1;
    it.Seek("key00200");
    EXPECT_FALSE(it.Valid());
    EXPECT_EQ(it.status().IsIOError(), kind == Kind::kError);
    EXPECT_FALSE(it.status().ok());
    it.Seek("key00200");
    EXPECT_TRUE(it.Valid());
  }
}

}  // namespace
}  // namespace ashlar::testing
