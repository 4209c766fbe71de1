// Tests tables in an order that the reader does not know: what it shows, checks
// and refuses.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/folder.h"
#include "test/support/random_table.h"
#include "test/support/resign.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

const ReaderOptions kAnyOrder = {.allow_unknown_comparator = true};

constexpr const char* kRefusal =
    " needs the order of keys: comparator test.ShorterFirst is neither given "
    "nor built in";

// Returns entries in an order that is not bytewise.
std::vector<Entry> EntriesInOwnOrder() {
  std::vector<Entry> entries;
  for (int i = 0; i < 500; ++i) {
    const std::string key = "key" + std::to_string(i);
    if (i % 7 == 0) entries.push_back(Value(key, 9, "newer"));
    entries.push_back(Value(key, 5, "value " + key));
  }
  return entries;
}

TableOptions OwnOrder(IndexType index_type) {
  TableOptions options;
  options.comparator = ShorterFirstComparator();
  options.index_type = index_type;
  options.block_size = 300;
  options.metadata_block_size = 100;
  options.compression = CompressionType::kNoCompression;
  return options;
}

constexpr IndexType kIndexTypes[] = {IndexType::kBinarySearch,
                                     IndexType::kTwoLevelIndexSearch,
                                     IndexType::kBinarySearchWithFirstKey};

TEST(UnknownComparator, IsRefusedUnlessAllowed) {
  const auto opened = OpenBytes(
      BuildTable(OwnOrder(IndexType::kBinarySearch), EntriesInOwnOrder()));
  EXPECT_TRUE(opened.status().IsNotSupported());
  EXPECT_NE(opened.status().message().find(
                "comparator test.ShorterFirst is not built in"),
            std::string_view::npos);
}

TEST(UnknownComparator, EntriesAreWalkedAsTheyAreStored) {
  const std::vector<Entry> entries = EntriesInOwnOrder();
  for (const IndexType index_type : kIndexTypes) {
    const std::string table = BuildTable(OwnOrder(index_type), entries);
    const auto reader = OpenTable(table, kAnyOrder);
    EXPECT_FALSE(reader->knows_order());
    EXPECT_EQ(reader->comparator()->Name(), "test.ShorterFirst");
    std::vector<Entry> found;
    Require(ReadForward(*reader, {}, &found));
    EXPECT_TRUE(found == entries);
    found.clear();
    Require(ReadBackward(*reader, {}, &found));
    std::reverse(found.begin(), found.end());
    EXPECT_TRUE(found == entries);
    // Hiding entries from a snapshot needs no order of keys.
    found.clear();
    Require(ReadForward(*reader, {.snapshot = 5}, &found));
    EXPECT_EQ(found.size(), 500u);
    Require(reader->VerifyChecksum());
    // If the comparator is passed or built in, the option changes nothing.
    EXPECT_TRUE(OpenTable(table, {.comparator = ShorterFirstComparator(),
                                  .allow_unknown_comparator = true})
                    ->knows_order());
    EXPECT_TRUE(
        OpenTable(BuildTable({}, SomeEntries(3)), kAnyOrder)->knows_order());
  }
}

TEST(UnknownComparator, WhatNeedsTheOrderIsRefused) {
  const auto reader = OpenTable(
      BuildTable(OwnOrder(IndexType::kBinarySearch), EntriesInOwnOrder()),
      kAnyOrder);
  GetResult result;
  const Status get = reader->Get("key1", &result);
  EXPECT_TRUE(get.IsNotSupported());
  EXPECT_EQ(get.message(), "test.sst: Get" + std::string(kRefusal));
  for (const bool hides : {false, true}) {
    ReadOptions options;
    if (hides) options.snapshot = 5;
    Iterator it = reader->NewIterator(options);
    it.Seek("key1");
    EXPECT_FALSE(it.Valid());
    EXPECT_TRUE(it.status().IsNotSupported());
    EXPECT_EQ(it.status().message(),
              "test.sst: a seek" + std::string(kRefusal));
    it.SeekForPrev("key1");
    EXPECT_FALSE(it.Valid());
    EXPECT_TRUE(it.status().IsNotSupported());
    // A walk starts over after the error.
    it.SeekToLast();
    EXPECT_TRUE(it.Valid());
    EXPECT_TRUE(it.status().ok());
  }
  EXPECT_EQ(reader->ApproximateOffsetOf("key1"), 0u);
}

TEST(UnknownComparator, RangeDeletionsAreListedNotHonoured) {
  std::vector<Entry> entries = EntriesInOwnOrder();
  const size_t points = entries.size();
  entries.push_back(RangeDeleted("key9", 7, "key10"));
  const auto reader = OpenTable(
      BuildTable(OwnOrder(IndexType::kBinarySearch), entries), kAnyOrder);
  EXPECT_EQ(RangeDeletionsOf(*reader).size(), 1u);
  reader->VisitRangeDeletionFragments([](const RangeDeletionFragment&) {
    ADD_FAILURE();
    return true;
  });
  Iterator it = reader->NewIterator();
  it.SeekToFirst();
  EXPECT_FALSE(it.Valid());
  EXPECT_EQ(it.status().message(),
            "test.sst: an iterator that honours range deletions" +
                std::string(kRefusal));
  std::vector<Entry> found;
  Require(ReadForward(*reader, {.ignore_range_deletions = true}, &found));
  EXPECT_EQ(found.size(), points);
}

// Some damage shows without the order: the versions of one key must have
// descending sequence numbers.
TEST(UnknownComparator, DamageIsStillFound) {
  const std::string sound =
      BuildTable(OwnOrder(IndexType::kBinarySearch), EntriesInOwnOrder());
  const BlockInfo data = FindBlock(BlocksOf(sound), BlockKind::kData);
  std::string bad = sound;
  // Changes the sequence number 9 of the first entry, key0. It follows three
  // bytes of header, the key and the type.
  const size_t at = data.offset + 3 + 4 + 1;
  ASSERT_EQ(bad[at], 9);
  bad[at] = 5;
  Resign(data, &bad);
  std::vector<Entry> found;
  const Status status = ReadForward(*OpenTable(bad, kAnyOrder), {}, &found);
  EXPECT_TRUE(status.IsCorruption());
  EXPECT_NE(status.message().find("key is not larger than the one before it"),
            std::string_view::npos)
      << status.ToString();
}

TEST(UnknownComparator, InspectionSaysThatItDoesNotLook) {
  const std::string table = BuildTable(
      OwnOrder(IndexType::kTwoLevelIndexSearch), EntriesInOwnOrder());
  TableInspection inspection;
  Require(InspectTable(*NewMemoryFile("t", table), {}, &inspection));
  EXPECT_FALSE(inspection.knows_order);
  EXPECT_TRUE(inspection.faults.empty());
  InspectOptions options;
  options.comparator = ShorterFirstComparator();
  Require(InspectTable(*NewMemoryFile("t", table), options, &inspection));
  EXPECT_TRUE(inspection.knows_order);
  EXPECT_TRUE(inspection.faults.empty());
}

}  // namespace
}  // namespace ashlar::testing
