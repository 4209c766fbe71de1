// Tests ReadOptions::prefix_same_as_start: what it asks the filter, and where
// it is not available. iterator_bounds_test.cc tests that walks end with their
// prefix.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

TableOptions PrefixOptions(bool partitioned) {
  TableOptions options;
  options.block_size = 256;
  options.prefix_extractor = NewFixedPrefixExtractor(6);
  options.filter = FilterType::kBloom;
  options.bloom_bits_per_key = 30;
  if (partitioned) {
    options.index_type = IndexType::kTwoLevelIndexSearch;
    options.partition_filters = true;
    options.metadata_block_size = 256;
  }
  return options;
}

// Returns entries with the prefixes "key000", "key002", and so on. Every other
// prefix is left out.
std::vector<Entry> EveryOtherPrefix() {
  std::vector<Entry> entries;
  for (const Entry& entry : SomeEntries(3000)) {
    if ((entry.key[5] - '0') % 2 == 0) entries.push_back(entry);
  }
  return entries;
}

class IteratorPrefix : public ::testing::TestWithParam<bool> {
 protected:
  IteratorPrefix() {
    ReaderOptions options;
    options.partition_pinning = PinningTier::kAll;
    reader_ = std::move(
        TableReader::Open(NewFaultyFile("t.sst",
                                        BuildTable(PrefixOptions(GetParam()),
                                                   EveryOtherPrefix()),
                                        &plan_),
                          options)
            .value());
    same_prefix_.prefix_same_as_start = true;
    plan_.operations = 0;
  }

  FaultPlan plan_;
  std::unique_ptr<TableReader> reader_;
  ReadOptions same_prefix_;
};

TEST_P(IteratorPrefix, AnAbsentPrefixCostsNoBlock) {
  Iterator it = reader_->NewIterator(same_prefix_);
  for (int prefix = 1; prefix < 29; prefix += 2) {
    std::string key = "key000";
    key[4] = static_cast<char>('0' + prefix / 10);
    key[5] = static_cast<char>('0' + prefix % 10);
    it.Seek(key);
    EXPECT_FALSE(it.Valid()) << key;
    it.Seek(key + "55");
    EXPECT_FALSE(it.Valid()) << key;
    Require(it.status());
  }
  EXPECT_EQ(plan_.operations, 0u);
  it.Seek("key002");
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("key00200"));
  EXPECT_GT(plan_.operations, 0u);
  int found = 0;
  for (; it.Valid(); it.Next()) ++found;
  Require(it.status());
  EXPECT_EQ(found, 100);
}

// Wherever a walk over a prefix begins, the filter must let it pass, also where
// filter partitions and index partitions are cut at different keys.
TEST_P(IteratorPrefix, WhatIsThereIsFoundFromAnyKey) {
  const std::vector<Entry> entries = EveryOtherPrefix();
  Iterator it = reader_->NewIterator(same_prefix_);
  for (const Entry& entry : entries) {
    const std::string key = UserKeyOf(entry.key).ToString();
    it.Seek(key);
    ASSERT_TRUE(it.Valid() && it.key() == Slice(entry.key)) << key;
    // A key just before this one, with the same prefix.
    std::string before = key;
    before.back() = static_cast<char>(before.back() - 1);
    before += "~";
    it.Seek(before);
    ASSERT_TRUE(it.Valid() && it.key() == Slice(entry.key)) << before;
    it.SeekForPrev(key + "x");
    ASSERT_TRUE(it.Valid() && it.key() == Slice(entry.key)) << key;
  }
}

TEST_P(IteratorPrefix, TotalOrderGoesOnToTheNextPrefix) {
  same_prefix_.total_order_seek = true;
  Iterator it = reader_->NewIterator(same_prefix_);
  it.Seek("key001");
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("key00200"));
  it = reader_->NewIterator();
  it.Seek("key001");
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(it.user_key(), Slice("key00200"));
}

INSTANTIATE_TEST_SUITE_P(Filter, IteratorPrefix, ::testing::Bool(),
                         [](const auto& made_with) {
                           return made_with.param ? "InParts" : "InOnePiece";
                         });

// The extractor need not be that of the file. The filter is not asked then.
TEST(IteratorPrefixExtractor, AnyThatIsGiven) {
  ReaderOptions options;
  options.prefix_extractor = NewFixedPrefixExtractor(7);
  const auto reader =
      OpenTable(BuildTable(PrefixOptions(false), EveryOtherPrefix()), options);
  ReadOptions same_prefix;
  same_prefix.prefix_same_as_start = true;
  Iterator it = reader->NewIterator(same_prefix);
  it.Seek("key00201");
  int found = 0;
  for (; it.Valid(); it.Next()) ++found;
  EXPECT_EQ(found, 9);
  it.Seek("short");
  EXPECT_FALSE(it.Valid());  // no prefix, and after all keys
  it.Seek("key");
  EXPECT_TRUE(it.Valid());
  Require(it.status());
}

TEST(IteratorPrefixExtractor, WithoutOneItIsRefused) {
  TableOptions options;
  const auto reader = OpenTable(BuildTable(options, SomeEntries(9)));
  ReadOptions same_prefix;
  same_prefix.prefix_same_as_start = true;
  Iterator it = reader->NewIterator(same_prefix);
  for (int way = 0; way < 4; ++way) {
    if (way == 0) it.SeekToFirst();
    if (way == 1) it.SeekToLast();
    if (way == 2) it.Seek("key");
    if (way == 3) it.SeekForPrev("key");
    EXPECT_FALSE(it.Valid());
    EXPECT_TRUE(it.status().IsInvalidArgument()) << it.status().ToString();
  }
  same_prefix.total_order_seek = true;
  it = reader->NewIterator(same_prefix);
  it.SeekToFirst();
  EXPECT_TRUE(it.Valid());
}

}  // namespace
}  // namespace ashlar::testing
