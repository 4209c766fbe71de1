// Tests ReadOptions::allow_unprepared_value: keys from the index, and blocks
// that are read only for their values.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

TableOptions WithFirstKeys() {
  TableOptions options;
  options.block_size = 200;
  options.index_type = IndexType::kBinarySearchWithFirstKey;
  return options;
}

struct CountedTable {
  CountedTable(const TableOptions& options, const std::vector<Entry>& entries) {
    ReaderOptions reader_options;
    reader_options.comparator = options.comparator;
    reader_options.load_index_and_filter = LoadTime::kAtOpen;
    reader = std::move(
        TableReader::Open(
            NewFaultyFile("t.sst", BuildTable(options, entries), &plan),
            reader_options)
            .value());
    opened = plan.operations;
  }
  uint64_t reads() const { return plan.operations - opened; }

  FaultPlan plan;
  uint64_t opened;
  std::unique_ptr<TableReader> reader;
};

// Each block is read alone.
ReadOptions Unprepared() {
  ReadOptions options;
  options.readahead_size = 1;
  options.allow_unprepared_value = true;
  return options;
}

// Returns the first keys of the blocks, with their values.
std::vector<Entry> FirstEntries(const TableReader& reader) {
  std::vector<Entry> all;
  Require(ReadForward(reader, {}, &all));
  std::vector<Entry> firsts;
  uint64_t last = ~uint64_t{0};
  for (const Entry& entry : all) {
    const uint64_t offset = reader.ApproximateOffsetOf(UserKeyOf(entry.key));
    if (offset != last) firsts.push_back(entry);
    last = offset;
  }
  return firsts;
}

TEST(UnpreparedValue, ASeekToAFirstKeyReadsNoBlock) {
  CountedTable table(WithFirstKeys(), SomeEntries(300));
  const std::vector<Entry> firsts = FirstEntries(*table.reader);
  ASSERT_GT(firsts.size(), 10u);
  table.opened = table.plan.operations;
  Iterator it = table.reader->NewIterator(Unprepared());
  for (const Entry& first : firsts) {
    std::string before = UserKeyOf(first.key).ToString();
    before.back() = static_cast<char>(before.back() - 1);
    before += '~';
    for (const std::string& target :
         {UserKeyOf(first.key).ToString(), before}) {
      it.Seek(target);
      ASSERT_TRUE(it.Valid());
      EXPECT_EQ(it.key(), Slice(first.key));
    }
  }
  it.SeekToFirst();
  EXPECT_TRUE(it.Valid());
  EXPECT_FALSE(it.IsValuePrepared());
  EXPECT_EQ(table.reads(), 0u);
  ASSERT_TRUE(it.PrepareValue());
  EXPECT_TRUE(it.IsValuePrepared());
  EXPECT_EQ(table.reads(), 1u);
  EXPECT_EQ(it.value(), Slice("value0"));
  // Once is enough.
  ASSERT_TRUE(it.PrepareValue());
  EXPECT_EQ(table.reads(), 1u);
}

// A walk backward over a first key leaves the block of that key alone.
TEST(UnpreparedValue, AStepBackDoesNotReadTheBlockThatItLeaves) {
  CountedTable table(WithFirstKeys(), SomeEntries(300));
  const std::vector<Entry> firsts = FirstEntries(*table.reader);
  table.opened = table.plan.operations;
  Iterator it = table.reader->NewIterator(Unprepared());
  it.Seek(UserKeyOf(firsts[5].key));
  it.Prev();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(table.reads(), 1u);
  EXPECT_LT(it.key().ToString(), firsts[5].key);
  EXPECT_FALSE(it.value().empty());
  EXPECT_TRUE(it.PrepareValue());
  it.SeekToFirst();
  it.Prev();
  EXPECT_FALSE(it.Valid());
  Require(it.status());
  EXPECT_EQ(table.reads(), 1u);
}

TEST(UnpreparedValue, WithoutTheOptionOrFirstKeysValuesAreThere) {
  TableOptions plain;
  plain.block_size = 200;
  CountedTable without(plain, SomeEntries(300));
  Iterator it = without.reader->NewIterator(Unprepared());
  it.SeekToFirst();
  EXPECT_EQ(it.value(), Slice("value0"));
  EXPECT_TRUE(it.PrepareValue());
  CountedTable with(WithFirstKeys(), SomeEntries(300));
  it = with.reader->NewIterator();
  it.SeekToFirst();
  EXPECT_EQ(it.value(), Slice("value0"));
  EXPECT_EQ(with.reads(), 1u);
}

TEST(UnpreparedValue, ABlockThatCannotBeReadEndsTheWalk) {
  using Kind = FaultPlan::Kind;
  for (const Kind kind : {Kind::kError, Kind::kNothing, Kind::kOneByte}) {
    CountedTable table(WithFirstKeys(), SomeEntries(300));
    for (const bool has_snapshot : {false, true}) {
      ReadOptions options = Unprepared();
      if (has_snapshot) options.snapshot = 1000;
      for (int way = 0; way < 4; ++way) {
        // A block that an iterator has loaded is not put off again.
        Iterator it = table.reader->NewIterator(options);
        table.plan = {};
        it.SeekToFirst();
        ASSERT_TRUE(it.Valid());
        table.plan.fail_at = 1;
        table.plan.kind = kind;
        table.plan.operations = 0;
        PinnableSlice pinned;
        if (way == 0) {
          EXPECT_FALSE(it.PrepareValue());
        }
        if (way == 1) it.Next();
        if (way == 2) {
          EXPECT_FALSE(it.PinValue(&pinned).ok());
        }
        if (way == 3) {
          it.Seek("key00100");
          if (it.Valid()) it.Next();
        }
        EXPECT_FALSE(it.Valid());
        EXPECT_EQ(it.status().IsIOError(), kind == Kind::kError);
        EXPECT_EQ(it.status().IsCorruption(), kind != Kind::kError);
        // A seek starts again.
        it.SeekToFirst();
        ASSERT_TRUE(it.Valid());
        ASSERT_TRUE(it.PrepareValue());
        EXPECT_EQ(it.value(), Slice("value0"));
      }
    }
  }
}

// What a child reads for a value, or fails to read, its parent shows.
TEST(UnpreparedValue, IsPinnedThroughAMergingIterator) {
  for (const bool fails : {false, true}) {
    CountedTable table(WithFirstKeys(), SomeEntries(300));
    std::vector<Iterator> children;
    children.push_back(table.reader->NewIterator(Unprepared()));
    MergingIterator it(BytewiseComparator(), std::move(children));
    it.SeekToFirst();
    ASSERT_TRUE(it.Valid());
    EXPECT_TRUE(it.value().empty());
    if (fails) table.plan = {.fail_at = 1};
    PinnableSlice pinned;
    EXPECT_EQ(it.PinValue(&pinned).ok(), !fails);
    EXPECT_EQ(it.Valid(), !fails);
    EXPECT_EQ(it.status().IsIOError(), fails);
    if (fails) continue;
    EXPECT_EQ(pinned.slice(), Slice("value0"));
    EXPECT_EQ(it.value(), Slice("value0"));
  }
}

// Two walks over one table, of which one prepares its values, or not.
class TwoWalks {
 public:
  TwoWalks(Iterator expected, Iterator it)
      : expected_(std::move(expected)), it_(std::move(it)) {}

  template <typename Move>
  void Do(const Move& move) {
    move(expected_);
    move(it_);
  }
  bool Valid() const { return expected_.Valid(); }
  void Compare(Random* random) {
    ASSERT_EQ(it_.Valid(), expected_.Valid()) << it_.status().ToString();
    if (!it_.Valid()) return Require(it_.status());
    ASSERT_EQ(it_.key(), expected_.key());
    if (it_.IsValuePrepared()) {
      ASSERT_EQ(it_.value(), expected_.value());
    }
    if (random->OneIn(3)) {
      PinnableSlice pinned;
      Require(it_.PinValue(&pinned));
      ASSERT_EQ(pinned.slice(), expected_.value());
      ASSERT_EQ(it_.key(), expected_.key());
    } else if (random->OneIn(2)) {
      ASSERT_TRUE(it_.PrepareValue());
      ASSERT_EQ(it_.value(), expected_.value());
      ASSERT_EQ(it_.key(), expected_.key());
    }
  }

 private:
  Iterator expected_;
  Iterator it_;
};

TEST(UnpreparedValue, WalksShowWhatTheyShowWithValues) {
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    RandomTable made = MakeRandomTable(&random);
    made.options.index_type = IndexType::kBinarySearchWithFirstKey;
    if (!made.options.Validate().ok()) return;
    ReaderOptions reader_options;
    reader_options.comparator = made.options.comparator;
    reader_options.block_cache = AnyBlockCache(random.Next());
    const auto reader = OpenTable(
        BuildTable(made.options, made.model.entries()), reader_options);
    ReadOptions options;
    options.ignore_range_deletions = random.OneIn(2);
    if (random.OneIn(2)) options.snapshot = random.Below(200);
    options.pin_data = random.OneIn(4);
    const std::string low = RandomTarget(made.model, &random);
    const std::string high = RandomTarget(made.model, &random);
    const Slice lower(low);
    const Slice upper(high);
    if (random.OneIn(3)) options.iterate_lower_bound = &lower;
    if (random.OneIn(3)) options.iterate_upper_bound = &upper;
    Iterator expected = reader->NewIterator(options);
    options.allow_unprepared_value = true;
    TwoWalks walks(std::move(expected), reader->NewIterator(options));
    for (int i = 0; i < 40; ++i) {
      const std::string target = RandomTarget(made.model, &random);
      switch (random.Below(6)) {
        case 0:
          walks.Do([](Iterator& it) { it.SeekToFirst(); });
          break;
        case 1:
          walks.Do([](Iterator& it) { it.SeekToLast(); });
          break;
        case 2:
          walks.Do([&](Iterator& it) { it.SeekForPrev(target); });
          break;
        default:
          walks.Do([&](Iterator& it) { it.Seek(target); });
      }
      walks.Compare(&random);
      for (uint64_t n = random.Below(8); n > 0 && walks.Valid(); --n) {
        const bool forward = !random.OneIn(3);
        walks.Do([&](Iterator& it) { forward ? it.Next() : it.Prev(); });
        walks.Compare(&random);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  });
}

// Seeks of many tables: only the block of the winner is read.
TEST(UnpreparedValue, AMergeReadsTheBlockOfItsWinner) {
  std::vector<std::unique_ptr<CountedTable>> tables;
  const std::vector<Entry> all = SomeEntries(400);
  for (size_t t = 0; t < 4; ++t) {
    std::vector<Entry> some(
        all.begin() + static_cast<ptrdiff_t>(100 * t),
        all.begin() + static_cast<ptrdiff_t>(100 * t + 100));
    tables.push_back(std::make_unique<CountedTable>(WithFirstKeys(), some));
  }
  std::vector<Iterator> children;
  children.reserve(tables.size());
  for (const auto& table : tables) {
    children.push_back(table->reader->NewIterator(Unprepared()));
  }
  MergingIterator it(BytewiseComparator(), std::move(children));
  const auto reads = [&] {
    uint64_t n = 0;
    for (const auto& table : tables) n += table->reads();
    return n;
  };
  it.SeekToFirst();
  ASSERT_TRUE(it.Valid());
  EXPECT_EQ(reads(), 0u);
  ASSERT_TRUE(it.PrepareValue());
  EXPECT_EQ(it.value(), Slice("value0"));
  EXPECT_EQ(reads(), 1u);
  size_t i = 0;
  for (; it.Valid(); it.Next(), ++i) {
    ASSERT_TRUE(it.PrepareValue());
    ASSERT_EQ(it.key(), Slice(all[i].key));
    ASSERT_EQ(it.value(), Slice(all[i].value));
  }
  Require(it.status());
  EXPECT_EQ(i, all.size());
  it.SeekToFirst();
  tables[0]->plan.fail_at = tables[0]->plan.operations + 1;
  EXPECT_FALSE(it.PrepareValue());
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsIOError());
}

}  // namespace
}  // namespace ashlar::testing
