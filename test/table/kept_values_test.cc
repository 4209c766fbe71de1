// Tests Iterator::KeepValue and DelegatePinsTo: values outlive the moves of an
// iterator, the iterator and the reader, until what keeps them is released.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/entry_source.h"
#include "ashlar/table/table_reader.h"
#include "test/support/map_source.h"
#include "test/support/random_table.h"
#include "test/support/small_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// What an iterator has passed to its keeper, and values that this keeps.
struct Kept {
  std::vector<Cleanable> blocks;
  std::vector<Slice> values;
  std::vector<std::string> expected;

  ValueKeeper Keeper() {
    return [this](Cleanable block) { blocks.push_back(std::move(block)); };
  }
  void Note(const Slice& value) {
    values.push_back(value);
    expected.push_back(value.ToString());
  }
  void Check() const {
    for (size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(values[i].ToString(), expected[i]) << i;
    }
  }
};

ReadOptions RandomOptions(Random* random) {
  ReadOptions options;
  options.ignore_range_deletions = random->OneIn(2);
  options.pin_data = random->OneIn(4);
  options.allow_unprepared_value = random->OneIn(4);
  options.fill_cache = !random->OneIn(4);
  return options;
}

void Move(const std::vector<std::string>& keys, Random* random, Iterator* it) {
  switch (random->Below(it->Valid() ? 10 : 3)) {
    case 0:
      return it->SeekToFirst();
    case 1:
      return it->SeekToLast();
    case 2:
      return it->SeekInternal(keys[random->Below(keys.size())]);
    case 3:
    case 4:
    case 5:
      return it->Prev();
    default:
      return it->Next();
  }
}

// Walks at random, keeps values, and checks that the walk goes on as if it had
// kept none.
void WalkAndKeep(const TableReader& reader, Random* random, Kept* kept) {
  const ReadOptions options = RandomOptions(random);
  std::vector<std::string> keys;
  Iterator plain = reader.NewIterator(options);
  for (plain.SeekToFirst(); plain.Valid(); plain.Next()) {
    keys.push_back(plain.key().ToString());
  }
  if (keys.empty()) return;
  Iterator it = reader.NewIterator(options);
  it.SetValueKeeper(kept->Keeper());
  for (int i = 0; i < 60; ++i) {
    Random same = *random;
    Move(keys, random, &it);
    Move(keys, &same, &plain);
    ASSERT_EQ(it.Valid(), plain.Valid());
    if (!it.Valid()) continue;
    ASSERT_EQ(it.key(), plain.key());
    if (random->OneIn(3)) {
      const Slice shown = it.key();
      const std::string key = shown.ToString();
      Require(it.KeepValue());
      ASSERT_TRUE(it.Valid());
      ASSERT_EQ(shown, key);
      ASSERT_EQ(it.key(), plain.key());
      kept->Note(it.value());
    }
    Require(plain.PrepareValue() ? Status() : plain.status());
    ASSERT_TRUE(it.PrepareValue());
    ASSERT_EQ(it.value(), plain.value());
  }
}

// A block of the file's bytes is copied to be kept, and walked over again from
// its first key, which needs more memory than the key that is shown.
TEST(KeptValues, TheKeyThatIsShownStaysWhereItIs) {
  std::vector<Entry> entries = {Value("a" + std::string(3000, 'x'), 7, "long")};
  entries.reserve(501);
  for (int i = 1000; i < 1500; ++i) {
    entries.push_back(Value("k" + std::to_string(i), 7, "value"));
  }
  TableOptions options;
  options.block_size = 1 << 16;
  options.compression = CompressionType::kNoCompression;
  const auto reader = OpenTable(BuildTable(options, entries));
  const auto keep = [&](bool backward) {
    Kept kept;
    Iterator it = reader->NewIterator();
    it.SetValueKeeper(kept.Keeper());
    it.SeekInternal(entries[300].key);
    ASSERT_TRUE(it.Valid());
    if (backward) it.Prev();
    const Slice shown = it.key();
    const std::string key = shown.ToString();
    Require(it.KeepValue());
    EXPECT_EQ(shown, key);
    EXPECT_EQ(it.key(), key);
  };
  // Threads keep memory for keys: this one has none.
  std::thread([&] { keep(false); }).join();
  std::thread([&] { keep(true); }).join();
}

TEST(KeptValues, OutliveTheIterator) {
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.comparator = table.options.comparator;
    options.block_cache = AnyBlockCache(random.Next());
    auto reader =
        OpenTable(BuildTable(table.options, table.model.entries()), options);
    Kept kept;
    for (int i = 0; i < 4; ++i) WalkAndKeep(*reader, &random, &kept);
    reader.reset();
    kept.Check();
  });
}

// Range deletions, restored keys, every type of value.
TEST(KeptValues, OfTablesOfEveryForm) {
  ForEachSeed(1, 500, [&](uint64_t seed) {
    Random random(seed);
    const SmallTable table = MakeSmallTable(&random);
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.block_cache = AnyBlockCache(random.Next());
    auto reader = OpenBytes(table.bytes, options);
    if (reader.status().IsNotSupported()) {
      options.comparator = ShorterFirstComparator();
      reader = OpenBytes(table.bytes, options);
    }
    Require(reader.status());
    Kept kept;
    for (int i = 0; i < 3; ++i) WalkAndKeep(**reader, &random, &kept);
    reader->reset();
    kept.Check();
  });
}

TEST(KeptValues, OfTablesWithEmbeddedBlobs) {
  ForEachSeed(1, 30, [&](uint64_t seed) {
    Random random(seed);
    TableOptions options;
    options.format_version = 7;
    options.block_size = 400;
    options.embedded_blob_options = {.enable = true, .min_blob_size = 60};
    std::vector<Entry> entries;
    entries.reserve(100);
    for (int i = 0; i < 100; ++i) {
      entries.push_back(Value("key" + std::to_string(1000 + i), 7,
                              random.Text(random.Below(120))));
    }
    ReaderOptions reader_options;
    reader_options.block_cache = AnyBlockCache(random.Next());
    auto reader = OpenTable(BuildTable(options, entries), reader_options);
    Kept kept;
    WalkAndKeep(*reader, &random, &kept);
    reader.reset();
    kept.Check();
  });
}

// However many values of a block are kept, there is one piece to release.
TEST(KeptValues, ABlockIsPassedOnce) {
  TableOptions options;
  options.block_size = 1000;
  const std::string table = BuildTable(options, SomeEntries(1000));
  for (const bool cached : {false, true}) {
    ReaderOptions reader_options;
    if (cached) reader_options.block_cache = NewLruCache({}).value();
    const auto reader = OpenTable(table, reader_options);
    const uint64_t blocks = reader->properties().num_data_blocks;
    ASSERT_GT(blocks, 3U);
    Kept kept;
    {
      Iterator it = reader->NewIterator();
      it.SetValueKeeper(kept.Keeper());
      for (it.SeekToFirst(); it.Valid(); it.Next()) {
        Require(it.KeepValue());
        kept.Note(it.value());
      }
      // Blocks of which nothing is kept are not passed.
      it.SeekToFirst();
      it.SeekToLast();
    }
    EXPECT_EQ(kept.blocks.size(), blocks);
    kept.Check();
  }
}

TEST(KeptValues, OfASource) {
  const EntryMap entries = MapOf(SomeEntries(20));
  Kept kept;
  {
    Iterator it = NewSourceIterator(BytewiseComparator(),
                                    std::make_unique<MapSource>(&entries), {});
    it.SetValueKeeper(kept.Keeper());
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      Require(it.KeepValue());
      kept.Note(it.value());
    }
  }
  EXPECT_EQ(kept.values.size(), 20U);
  kept.Check();
}

TEST(KeptValues, NeedAKeeper) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(3)));
  Iterator it = reader->NewIterator();
  it.SeekToFirst();
  EXPECT_TRUE(it.KeepValue().IsInvalidArgument());
  Kept kept;
  it.SetValueKeeper(kept.Keeper());
  Require(it.KeepValue());
  it.SetValueKeeper({});
  EXPECT_EQ(kept.blocks.size(), 1U);
  EXPECT_TRUE(it.KeepValue().IsInvalidArgument());
  EXPECT_TRUE(it.Valid());
}

// With pin_data, all that was walked over goes to one owner.
TEST(DelegatedPins, OutliveTheIterator) {
  ForEachSeed(1, 150, [&](uint64_t seed) {
    Random random(seed);
    RandomTable table = MakeRandomTable(&random);
    if (random.OneIn(4)) {
      table.options.format_version = 7;
      table.options.block_align = false;
      table.options.embedded_blob_options = {.enable = true,
                                             .min_blob_size = 20};
    }
    if (!table.options.Validate().ok()) return;
    SCOPED_TRACE(table.description);
    ReaderOptions options;
    options.comparator = table.options.comparator;
    options.block_cache = AnyBlockCache(random.Next());
    auto reader =
        OpenTable(BuildTable(table.options, table.model.entries()), options);
    Kept kept;
    Cleanable keeper;
    {
      Iterator it = reader->NewIterator({.pin_data = true});
      for (it.SeekToFirst(); it.Valid(); it.Next()) {
        kept.Note(it.value());
        if (it.IsKeyPinned()) kept.Note(it.key());
      }
      Require(it.status());
      it.SeekToFirst();
      Require(it.DelegatePinsTo(&keeper));
      EXPECT_FALSE(it.Valid());
      // A new walk has pins of its own.
      it.SeekToFirst();
      EXPECT_EQ(it.Valid(), !table.model.entries().empty());
    }
    reader.reset();
    kept.Check();
    EXPECT_EQ(keeper.HasCleanups(), !table.model.entries().empty());
  });
}

TEST(DelegatedPins, NeedPinData) {
  const auto reader = OpenTable(BuildTable({}, SomeEntries(3)));
  Iterator it = reader->NewIterator();
  Cleanable keeper;
  it.SeekToFirst();
  EXPECT_TRUE(it.DelegatePinsTo(&keeper).IsInvalidArgument());
  EXPECT_TRUE(it.Valid());
}

}  // namespace
}  // namespace ashlar::testing
