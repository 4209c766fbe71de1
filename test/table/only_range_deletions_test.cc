// Tests tables that have range deletions and no other entry, with every index
// type and filter in every format version. Such a table has an index without
// separators and a filter without keys.

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr SequenceNumber kSequence = 9;

std::vector<Entry> Deletions() {
  return {RangeDeleted("apple", kSequence, "cherry"),
          RangeDeleted("banana", kSequence + 1, "date"),
          RangeDeleted("fig", kSequence, "grape")};
}

struct Form {
  const char* name;
  IndexType index;
  FilterType filter;
  bool partition_filters = false;
  bool decouple = true;
};
void PrintTo(const Form& form, std::ostream* out) { *out << form.name; }

constexpr Form kForms[] = {
    {"binary", IndexType::kBinarySearch, FilterType::kNone},
    {"binary, bloom", IndexType::kBinarySearch, FilterType::kBloom},
    {"binary, ribbon", IndexType::kBinarySearch, FilterType::kRibbon},
    {"hash", IndexType::kHashSearch, FilterType::kNone},
    {"hash, bloom", IndexType::kHashSearch, FilterType::kBloom},
    {"partitioned", IndexType::kTwoLevelIndexSearch, FilterType::kNone},
    {"partitioned, bloom", IndexType::kTwoLevelIndexSearch, FilterType::kBloom},
    {"partitioned, filter too", IndexType::kTwoLevelIndexSearch,
     FilterType::kBloom, true},
    {"partitioned together", IndexType::kTwoLevelIndexSearch,
     FilterType::kBloom, true, false},
    {"first key", IndexType::kBinarySearchWithFirstKey, FilterType::kNone},
    {"first key, bloom", IndexType::kBinarySearchWithFirstKey,
     FilterType::kBloom},
};

TableOptions OptionsOf(const Form& form, uint32_t version) {
  TableOptions options;
  options.format_version = version;
  options.index_type = form.index;
  options.filter = form.filter;
  options.partition_filters = form.partition_filters;
  options.decouple_partitioned_filters = form.decouple;
  if (form.index == IndexType::kHashSearch) {
    options.prefix_extractor = NewFixedPrefixExtractor(3);
  }
  return options;
}

// Expects that in every way of reading no entry is found, and that Get and
// MultiGet agree on which keys are deleted.
void ExpectNothingButDeletions(const TableReader& reader) {
  EXPECT_EQ(RangeDeletionsOf(reader), Deletions());
  std::vector<Entry> entries;
  Require(ReadForward(reader, {}, &entries));
  Require(ReadBackward(reader, {}, &entries));
  EXPECT_TRUE(entries.empty());
  Iterator it = reader.NewIterator();
  for (const char* const key : {"", "apple", "cat", "grape", "zebra"}) {
    it.Seek(key);
    EXPECT_FALSE(it.Valid());
    it.SeekForPrev(key);
    EXPECT_FALSE(it.Valid());
  }
  Require(it.status());

  const std::vector<Slice> keys = {"apple", "cat", "date", "fig", "grape", ""};
  std::vector<GetResult> together(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(keys, together, statuses);
  for (size_t i = 0; i < keys.size(); ++i) {
    GetResult alone;
    Require(reader.Get(keys[i], &alone));
    Require(statuses[i]);
    EXPECT_EQ(alone.state, together[i].state) << keys[i].ToStringView();
    EXPECT_NE(alone.state, GetResult::State::kFound);
  }
}

class OnlyRangeDeletions : public ::testing::TestWithParam<Form> {
 protected:
  static constexpr uint32_t kLeast = 2;
  static constexpr uint32_t kMost = 7;

  // Calls `check` with a table of each format version.
  template <typename Check>
  void ForEachTable(Check check) {
    for (uint32_t version = kLeast; version <= kMost; ++version) {
      SCOPED_TRACE("format version " + std::to_string(version));
      check(BuildTable(OptionsOf(GetParam(), version), Deletions()));
    }
  }
};

TEST_P(OnlyRangeDeletions, AreReadHoweverPartsAreHeld) {
  ForEachTable([](const std::string& table) {
    for (const bool cached : {false, true}) {
      for (const PinningTier pinning :
           {PinningTier::kNone, PinningTier::kAll}) {
        ReaderOptions options;
        options.block_cache = NewLruCache({.hash_seed = 1}).value();
        options.cache_index_and_filter_blocks = cached;
        options.partition_pinning = pinning;
        options.unpartitioned_pinning = pinning;
        ExpectNothingButDeletions(*OpenTable(table, options));
      }
    }
    ExpectNothingButDeletions(*OpenTable(table));
  });
}

TEST_P(OnlyRangeDeletions, AreReadByTheReferenceReader) {
  ForEachTable([](const std::string& table) {
    const ReferenceTable read = ReadReferenceTable(table);
    EXPECT_TRUE(read.entries.empty());
    EXPECT_TRUE(read.index.empty());
    EXPECT_EQ(CanonicalDump(read), CanonicalDump(Deletions()));
  });
}

TEST_P(OnlyRangeDeletions, AreSound) {
  ForEachTable([](const std::string& table) {
    TableInspection found;
    Require(InspectTable(*NewMemoryFile("t", table), {}, &found));
    EXPECT_EQ(found.blocks_bad, 0u);
    EXPECT_GT(found.blocks_ok, 0u);
    for (const TableFault& fault : found.faults) {
      ADD_FAILURE() << fault.status.ToString();
    }
    ASSERT_TRUE(found.properties.has_value());
    EXPECT_EQ(found.properties->num_entries, Deletions().size());
    EXPECT_EQ(found.properties->num_range_deletions, Deletions().size());
    EXPECT_EQ(found.properties->num_data_blocks, 0u);
    EXPECT_EQ(found.properties->index_type,
              static_cast<uint32_t>(GetParam().index));
  });
}

INSTANTIATE_TEST_SUITE_P(EveryIndex, OnlyRangeDeletions,
                         ::testing::ValuesIn(kForms), [](const auto& test) {
                           std::string name = test.param.name;
                           for (char& c : name) {
                             if (c == ' ' || c == ',') c = '_';
                           }
                           return name;
                         });

}  // namespace
}  // namespace ashlar::testing
