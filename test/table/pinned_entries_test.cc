// Tests keys and values that stay valid when their iterator moves on, and
// values that outlive the iterator and its reader.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/iterator.h"
#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/table_reader.h"
#include "test/support/faulty_file.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

constexpr int kEntries = 600;

std::shared_ptr<Cache> LruOf(size_t capacity) {
  LruCacheOptions options;
  options.capacity = capacity;
  return std::move(NewLruCache(options)).value();
}

// Where the bytes of a block may be.
enum class Home { kLargeCache, kTinyCache, kOwn, kWindow, kMapping };
constexpr Home kHomes[] = {Home::kLargeCache, Home::kTinyCache, Home::kOwn,
                           Home::kWindow, Home::kMapping};

TableOptions SmallBlocks() {
  TableOptions options;
  options.block_size = 512;
  options.compression = CompressionType::kNoCompression;
  return options;
}

struct Table {
  explicit Table(Home home, TableOptions options = SmallBlocks(),
                 const std::vector<Entry>& entries = SomeEntries(kEntries)) {
    ReaderOptions reader_options;
    if (home == Home::kOwn) options.compression = CompressionType::kZSTD;
    if (home == Home::kLargeCache) cache = LruOf(size_t{8} << 20);
    if (home == Home::kTinyCache) cache = LruOf(2000);
    reader_options.block_cache = cache;
    reader_options.allow_mmap_reads = home == Home::kMapping;
    WriteFile(folder / "a.sst", BuildTable(options, entries));
    auto opened = TableReader::Open(folder / "a.sst", reader_options);
    Require(opened.status());
    reader = std::move(opened).value();
  }

  TestFolder folder;
  std::shared_ptr<Cache> cache;
  std::unique_ptr<TableReader> reader;
};

// Evicts everything that the iterator does not hold.
void Disturb(const Table& table) {
  if (table.cache != nullptr) table.cache->EraseUnRefEntries();
}

TEST(PinnedEntries, AValueOutlivesTheMoveTheIteratorAndTheReader) {
  const std::vector<Entry> expected = SomeEntries(kEntries);
  for (const Home home : kHomes) {
    for (const bool pin_data : {false, true}) {
      // With the second snapshot the iterator decides for each entry whether to
      // show it.
      for (const SequenceNumber snapshot :
           {kMaxSequenceNumber, SequenceNumber{7}}) {
        SCOPED_TRACE(static_cast<int>(home) * 10 + (pin_data ? 1 : 0));
        std::vector<PinnableSlice> values(expected.size());
        std::shared_ptr<Cache> cache;
        {
          Table table(home);
          cache = table.cache;
          ReadOptions options;
          options.pin_data = pin_data;
          options.snapshot = snapshot;
          Iterator it = table.reader->NewIterator(options);
          size_t i = 0;
          for (it.SeekToFirst(); it.Valid(); it.Next()) {
            Require(it.PinValue(&values.at(i++)));
          }
          ASSERT_EQ(i, expected.size());
        }
        if (cache != nullptr) cache->EraseUnRefEntries();
        for (size_t i = 0; i < values.size(); ++i) {
          ASSERT_EQ(values[i].ToStringView(), expected[i].value);
          values[i].Reset();
        }
        if (cache != nullptr) {
          cache->EraseUnRefEntries();
          EXPECT_EQ(cache->GetUsage(), 0u) << "a block is held for good";
        }
      }
    }
  }
}

// PinValue copies no bytes, unless they are in a read-ahead window or a mapping
// of the file.
TEST(PinnedEntries, AValueStaysWhereItIs) {
  for (const Home home : kHomes) {
    for (const bool pin_data : {false, true}) {
      Table table(home);
      ReadOptions options;
      options.pin_data = pin_data;
      Iterator it = table.reader->NewIterator(options);
      it.Seek("key00300");
      ASSERT_TRUE(it.Valid());
      PinnableSlice value;
      Require(it.PinValue(&value));
      const bool is_files =
          !pin_data && (home == Home::kWindow || home == Home::kMapping);
      EXPECT_EQ(value.data() == it.value().data(), !is_files)
          << static_cast<int>(home);
    }
  }
}

struct Shown {
  Slice key;
  Slice value;
  bool is_key_pinned;
};

// Returns what a walk to the end and back shows, without copying keys or
// values.
std::vector<Shown> WalkBothWays(Iterator* it, const Table& table) {
  std::vector<Shown> shown;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    EXPECT_TRUE(it->IsValuePinned());
    shown.push_back({it->key(), it->value(), it->IsKeyPinned()});
    if (shown.size() % 50 == 0) Disturb(table);
  }
  for (it->SeekToLast(); it->Valid(); it->Prev()) {
    shown.push_back({it->key(), it->value(), it->IsKeyPinned()});
  }
  Require(it->status());
  Disturb(table);
  return shown;
}

TEST(PinnedEntries, PinDataKeepsValuesAndWholeKeysWithTheIterator) {
  const std::vector<Entry> expected = SomeEntries(kEntries);
  TableOptions every_key_whole = SmallBlocks();
  every_key_whole.use_delta_encoding = false;
  TableOptions restarts_only = SmallBlocks();
  restarts_only.block_restart_interval = 1;
  TableOptions apart = SmallBlocks();
  apart.separate_key_value_in_data_block = true;
  apart.format_version = 7;
  TableOptions apart_and_whole = apart;
  apart_and_whole.use_delta_encoding = false;
  const std::pair<TableOptions, bool> layouts[] = {
      {SmallBlocks(), false}, {every_key_whole, true}, {restarts_only, true},
      {apart, false},         {apart_and_whole, true},
  };
  for (const auto& [layout, all_whole] : layouts) {
    for (const Home home : kHomes) {
      Table table(home, layout);
      ReadOptions options;
      options.pin_data = true;
      Iterator it = table.reader->NewIterator(options);
      const std::vector<Shown> shown = WalkBothWays(&it, table);
      ASSERT_EQ(shown.size(), 2 * expected.size());
      size_t whole = 0;
      for (size_t i = 0; i < shown.size(); ++i) {
        const Entry& entry =
            expected[i < kEntries ? i : 2 * expected.size() - 1 - i];
        ASSERT_EQ(shown[i].value.ToStringView(), entry.value);
        if (!shown[i].is_key_pinned) continue;
        ++whole;
        ASSERT_EQ(shown[i].key.ToStringView(), entry.key);
      }
      if (all_whole) {
        EXPECT_EQ(whole, shown.size());
      } else {
        EXPECT_GT(whole, shown.size() / 20);
        EXPECT_LT(whole, shown.size() / 5);
      }
    }
  }
}

TEST(PinnedEntries, WithoutTheOptionNothingIsPinned) {
  Table table(Home::kLargeCache);
  Iterator it = table.reader->NewIterator();
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    EXPECT_FALSE(it.IsKeyPinned());
    EXPECT_FALSE(it.IsValuePinned());
  }
  EXPECT_EQ(table.cache->GetPinnedUsage(), 0u);
}

// Each block is held once, however often the walk reaches it. None is held when
// the iterator is destroyed.
TEST(PinnedEntries, EachBlockIsReadAndHeldOnce) {
  FaultPlan plan;
  // The table is larger than a read-ahead window.
  const std::string bytes = BuildTable(SmallBlocks(), SomeEntries(20000));
  auto opened = TableReader::Open(NewFaultyFile("a.sst", bytes, &plan), {});
  Require(opened.status());
  ReadOptions options;
  options.pin_data = true;
  Iterator it = opened.value()->NewIterator(options);
  for (it.SeekToFirst(); it.Valid();) it.Next();
  const uint64_t once = plan.operations;
  for (it.SeekToLast(); it.Valid();) it.Prev();
  for (it.Seek("key00300"); it.Valid();) it.Next();
  EXPECT_EQ(plan.operations, once);

  Table table(Home::kLargeCache);
  size_t held = 0;
  {
    Iterator cached = table.reader->NewIterator(options);
    for (cached.SeekToFirst(); cached.Valid();) cached.Next();
    held = table.cache->GetPinnedUsage();
    EXPECT_EQ(held, table.cache->GetUsage());
    for (cached.SeekToFirst(); cached.Valid();) cached.Next();
    EXPECT_EQ(table.cache->GetPinnedUsage(), held);
  }
  EXPECT_GT(held, 0u);
  EXPECT_EQ(table.cache->GetPinnedUsage(), 0u);
}

// After a failed read the block is read again, and nothing of the failed read
// is kept.
TEST(PinnedEntries, ABlockThatFailedIsNotKept) {
  FaultPlan plan;
  const std::string bytes = BuildTable(SmallBlocks(), SomeEntries(kEntries));
  auto opened = TableReader::Open(NewFaultyFile("a.sst", bytes, &plan), {});
  Require(opened.status());
  ReadOptions options;
  options.pin_data = true;
  Iterator it = opened.value()->NewIterator(options);
  plan.fail_at = plan.operations + 1;
  it.Seek("key00300");
  EXPECT_FALSE(it.Valid());
  EXPECT_TRUE(it.status().IsIOError());
  it.Seek("key00300");
  ASSERT_TRUE(it.Valid()) << it.status().ToString();
  EXPECT_EQ(it.user_key().ToStringView(), "key00300");
}

TEST(PinnedEntries, AMergingIteratorPinsAsItsChildrenDo) {
  std::vector<Entry> some[2];
  const std::vector<Entry> expected = SomeEntries(kEntries);
  for (size_t i = 0; i < expected.size(); ++i) {
    some[i % 2].push_back(expected[i]);
  }
  std::vector<PinnableSlice> values(expected.size());
  {
    TableOptions whole = SmallBlocks();
    whole.use_delta_encoding = false;
    const Table even(Home::kWindow, whole, some[0]);
    const Table odd(Home::kLargeCache, SmallBlocks(), some[1]);
    ReadOptions options;
    options.pin_data = true;
    std::vector<Iterator> children;
    children.push_back(even.reader->NewIterator(options));
    children.push_back(odd.reader->NewIterator());
    MergingIterator it =
        NewMergingIterator(BytewiseComparator(), std::move(children));
    size_t i = 0;
    for (it.SeekToFirst(); it.Valid(); it.Next()) {
      EXPECT_EQ(it.IsKeyPinned(), i % 2 == 0);
      EXPECT_EQ(it.IsValuePinned(), i % 2 == 0);
      Require(it.PinValue(&values.at(i++)));
    }
    ASSERT_EQ(i, expected.size());
    // Values of the second table pin blocks of its cache, which ends with this
    // scope, so they are released here.
    for (size_t k = 1; k < values.size(); k += 2) {
      ASSERT_EQ(values[k].ToStringView(), expected[k].value);
      values[k].Reset();
    }
  }
  for (size_t i = 0; i < values.size(); i += 2) {
    ASSERT_EQ(values[i].ToStringView(), expected[i].value);
  }
}

}  // namespace
}  // namespace ashlar::testing
