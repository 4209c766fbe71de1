// Tests the search of a cached block by its entry words. It never contradicts a
// walk over the block, and in blocks of ordinary keys it gives the answer.

#include "table/block/entry_words.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "table/block/block_iterator.h"
#include "table/block/checked_entries.h"
#include "table/load/cached_data_block.h"
#include "test/support/built_block.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using namespace internal;

std::string BuildBlock(const std::vector<Entry>& entries,
                       int restart_interval) {
  return BuildDataBlock(entries, {.restart_interval = restart_interval}).bytes;
}

struct SearchedBlock {
  SearchedBlock(const std::string& bytes, const KeyOrder& order_in)
      : order(order_in) {
    // The block place needs only the size here.
    const BlockPlace place{BlockKind::kData, {0, bytes.size()}};
    uint32_t interval = 0;
    BlockRoom room(nullptr, CachedDataBlock::FrontBytes(0));
    status =
        CachedDataBlock::Make(place, bytes, &order, &interval, &room, &block);
    if (!status.ok() || block == nullptr) return;
    EXPECT_FALSE(block->words().any()) << "words of a block that nobody found";
    block->MakeWordsOfFound(order);
    EXPECT_FALSE(block->words().any()) << "found once";
    block->MakeWordsOfFound(order);
  }

  WordPlace Find(const std::string& key, EntryMatch* match, bool* matches) {
    *matches = false;
    const WordPlace found = block->words().Find(block->view(), order, key);
    if (found.tells == WordPlace::Tells::kEntry) {
      *matches = block->words().Matches(block->view(), found.entry, key, match);
    }
    return found;
  }

  KeyOrder order;
  Status status;
  std::unique_ptr<CachedDataBlock> block;
};

// What a walk over the block finds for the newest version of a key.
enum class Walked : uint8_t { kThere, kAbsent, kBeyond, kDamaged };
Walked Walk(const SearchedBlock& searched, const std::string& key,
            EntryMatch* match) {
  BlockIterator it(searched.order);
  it.Reset(searched.block->view(), {});
  const std::string target =
      MakeInternalKey(key, kMaxSequenceNumber, ValueType{0xff});
  if (!it.Seek(target)) {
    return it.status().ok() ? Walked::kBeyond : Walked::kDamaged;
  }
  if (UserKeyOf(it.key()) != Slice(key)) return Walked::kAbsent;
  *match = {it.value(), TailOf(it.key())};
  return Walked::kThere;
}

std::vector<Entry> RandomEntries(Random* random, const Comparator* comparator) {
  std::vector<Entry> entries;
  const std::string prefix = random->Text(random->Below(30));
  const int n = static_cast<int>(1 + random->Below(150));
  for (int i = 0; i < n; ++i) {
    std::string key = prefix;
    key += random->OneIn(4) ? std::string(random->Below(5), '\0')
                            : random->Text(random->Below(9));
    const SequenceNumber newest = 1 + random->Below(300);
    const SequenceNumber versions = random->OneIn(8) ? 3 : 1;
    for (SequenceNumber v = 0; v < versions; ++v) {
      entries.push_back(Value(key, newest + v, random->Bytes(60)));
    }
  }
  return Model(comparator, entries).entries();
}

TEST(EntryWords, NeverTellOtherwiseThanTheBlock) {
  int told = 0;
  int absent = 0;
  int untold = 0;
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    const Comparator* const comparator =
        random.OneIn(2) ? BytewiseComparator() : ReverseBytewiseComparator();
    const std::vector<Entry> entries = RandomEntries(&random, comparator);
    SearchedBlock searched(
        BuildBlock(entries, static_cast<int>(1 + random.Below(20))),
        KeyOrder(comparator));
    ASSERT_TRUE(searched.status.ok());
    ASSERT_NE(searched.block, nullptr);
    if (!searched.block->words().any()) return;
    for (int i = 0; i < 100; ++i) {
      const Entry& entry = entries[random.Below(entries.size())];
      std::string key = UserKeyOf(entry.key).ToString();
      if (random.OneIn(3)) key.resize(random.Below(key.size() + 1));
      if (random.OneIn(3)) key += random.OneIn(2) ? std::string(1, '\0') : "b";
      EntryMatch walked;
      EntryMatch found;
      bool matches;
      const Walked expected = Walk(searched, key, &walked);
      const WordPlace place = searched.Find(key, &found, &matches);
      if (place.tells == WordPlace::Tells::kAbsent) {
        ASSERT_EQ(expected, Walked::kAbsent) << Hex(key);
        ++absent;
      } else if (matches) {
        ASSERT_EQ(expected, Walked::kThere) << Hex(key);
        ASSERT_EQ(found.tail, walked.tail);
        ASSERT_EQ(found.value.data(), walked.value.data());
        ASSERT_EQ(found.value.size(), walked.value.size());
        ++told;
      } else {
        ++untold;
      }
    }
  });
  EXPECT_GT(told, 8000);
  EXPECT_GT(absent, 1500);
  EXPECT_GT(untold, 1000);
}

void ExpectSamePlace(const BlockIterator& a, const BlockIterator& b) {
  ASSERT_EQ(a.Valid(), b.Valid());
  ASSERT_TRUE(a.status().ok() && b.status().ok());
  if (!a.Valid()) return;
  ASSERT_EQ(a.offset(), b.offset());
  ASSERT_EQ(Hex(a.key().ToString()), Hex(b.key().ToString()));
  ASSERT_EQ(a.value().data(), b.value().data());
}

// Expects that both iterators are at the same entry, and stay together for a
// few steps in either direction.
void ExpectSameWalk(BlockIterator* a, BlockIterator* b, Random* random) {
  ASSERT_NO_FATAL_FAILURE(ExpectSamePlace(*a, *b));
  for (uint64_t steps = random->Below(6); steps > 0 && a->Valid(); --steps) {
    const bool forward = random->OneIn(2);
    ASSERT_EQ(forward ? a->Next() : a->Prev(), forward ? b->Next() : b->Prev());
    ASSERT_NO_FATAL_FAILURE(ExpectSamePlace(*a, *b));
  }
}

TEST(EntryWords, ASeekByThemEndsWhereAnyDoes) {
  int told = 0;
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    const Comparator* const comparator =
        random.OneIn(2) ? BytewiseComparator() : ReverseBytewiseComparator();
    const KeyOrder order(comparator);
    const std::vector<Entry> entries = RandomEntries(&random, comparator);
    const SearchedBlock searched(
        BuildBlock(entries, static_cast<int>(1 + random.Below(20))), order);
    ASSERT_TRUE(searched.status.ok());
    const EntryWords words = searched.block->words();
    if (!words.any()) return;
    const BlockPlace place{BlockKind::kData, {}};
    BlockView view = searched.block->view();
    BlockIterator by_words(order);
    view.checked = CheckEntries(view, place, &by_words);
    ASSERT_TRUE(view.checked.sound());
    by_words.Reset(view, place);
    BlockIterator plain(order);
    plain.Reset(searched.block->view(), place);
    for (int i = 0; i < 60; ++i) {
      const Entry& entry = entries[random.Below(entries.size())];
      std::string key = UserKeyOf(entry.key).ToString();
      if (random.OneIn(3)) key.resize(random.Below(key.size() + 1));
      if (random.OneIn(3)) key += random.OneIn(2) ? std::string(1, '\0') : "b";
      const std::string target =
          MakeInternalKey(key, random.Below(310), ValueType{0xff});
      told += words.Seek(view, order, key).ends == WordSeek::Ends::kHere;
      ASSERT_EQ(by_words.Seek(target, words), plain.Seek(target)) << Hex(key);
      ASSERT_NO_FATAL_FAILURE(ExpectSameWalk(&by_words, &plain, &random));
    }
  });
  EXPECT_GT(told, 3000);
}

TEST(EntryWords, TellAllOfOrdinaryBlocks) {
  std::vector<Entry> entries;
  for (int i = 0; i < 35; ++i) {
    char key[17];
    std::snprintf(key, sizeof key, "%016d", 7000 + 2 * i);
    entries.push_back(Value(key, 1, std::string(100, 'v')));
  }
  SearchedBlock searched(BuildBlock(entries, 16),
                         KeyOrder(BytewiseComparator()));
  ASSERT_TRUE(searched.block->words().any());
  EXPECT_LT(searched.block->ApproximateMemoryUsage(), 35 * 135u);
  for (int i = 0; i < 70; ++i) {
    char key[17];
    std::snprintf(key, sizeof key, "%016d", 7000 + i);
    EntryMatch match;
    bool matches;
    const WordPlace place = searched.Find(key, &match, &matches);
    EXPECT_EQ(matches, i % 2 == 0) << key;
    // The block cannot say whether a later block has a key after its last one.
    if (i % 2 == 1 && i < 69) {
      EXPECT_EQ(place.tells, WordPlace::Tells::kAbsent) << key;
    }
  }
}

// A block measures the restart interval of its table, and the next block need
// then walk through its last interval only. If the interval of another table is
// used by mistake, FillEntryWords makes no words.
TEST(EntryWords, AreMeasuredByTheLastInterval) {
  int believed = 0;
  ForEachSeed(1, 300, [&](uint64_t seed) {
    Random random(seed);
    const Comparator* const comparator =
        random.OneIn(2) ? BytewiseComparator() : ReverseBytewiseComparator();
    const KeyOrder order(comparator);
    const auto interval = static_cast<uint32_t>(1 + random.Below(20));
    const std::string bytes = BuildBlock(RandomEntries(&random, comparator),
                                         static_cast<int>(interval));
    BlockView view;
    Require(ParseBlock(bytes, {BlockKind::kData, {0, bytes.size()}}, &view));
    uint32_t told = 0;
    const EntryWordsShape shape = MeasureEntryWords(view, order, &told);
    EXPECT_EQ(told, view.num_restarts > 1 ? interval : 0u);
    told = interval;
    const EntryWordsShape quick = MeasureEntryWords(view, order, &told);
    EXPECT_EQ(quick.num_entries, shape.num_entries);
    EXPECT_EQ(quick.prefix_size, shape.prefix_size);
    told = interval + 1;
    const EntryWordsShape wrong = MeasureEntryWords(view, order, &told);
    if (view.num_restarts == 1 || wrong.num_entries == 0) return;
    ++believed;
    alignas(4) char arrays[size_t{1} << 14];
    ASSERT_LE(wrong.bytes(), sizeof arrays);
    EXPECT_FALSE(FillEntryWords(view, order, wrong, arrays));
  });
  EXPECT_GT(believed, 50);
}

// A block gets no entry words if they would take too much of it (6 bytes per
// entry, at most an eighth of the block), or if its order is not bytewise.
TEST(EntryWords, OnlyWhereTheyPay) {
  std::vector<Entry> entries = {Value("a", 1, "1"), Value("b", 1, "2")};
  const std::string small = BuildBlock(entries, 16);
  EXPECT_FALSE(SearchedBlock(small, KeyOrder(BytewiseComparator()))
                   .block->words()
                   .any());
  entries = {Value("a", 1, std::string(400, 'x'))};
  const std::string large = BuildBlock(entries, 16);
  EXPECT_TRUE(SearchedBlock(large, KeyOrder(BytewiseComparator()))
                  .block->words()
                  .any());
  EXPECT_FALSE(SearchedBlock(large, KeyOrder(ShorterFirstComparator()))
                   .block->words()
                   .any());
}

// A block with values apart from the keys gets no entry words, even if the keys
// alone leave room for them. With whole keys and values of one byte, as here,
// its entries can be taken for those of any other block.
TEST(EntryWords, NotWhereValuesAreApart) {
  const std::string long_end(400, 'k');
  const std::vector<Entry> entries = {Value("a" + long_end, 1, "v"),
                                      Value("b" + long_end, 1, "w")};
  for (const bool separated : {false, true}) {
    SearchedBlock searched(
        BuildDataBlock(entries, {.restart_interval = 1, .separated = separated})
            .bytes,
        KeyOrder(BytewiseComparator()));
    ASSERT_TRUE(searched.status.ok());
    ASSERT_NE(searched.block, nullptr);
    EXPECT_EQ(searched.block->view().separated, separated);
    EXPECT_EQ(searched.block->words().any(), !separated);
    EntryMatch match;
    EXPECT_EQ(Walk(searched, UserKeyOf(entries[0].key).ToString(), &match),
              Walked::kThere);
    EXPECT_EQ(match.value, Slice("v"));
  }
}

// Any bytes of the block are changed. Nothing crashes, and a match has the key
// that was asked for, by the bytes of the entry itself.
TEST(EntryWords, DamagedBlocksAreSearchedWithoutHarm) {
  int matched = 0;
  ForEachSeed(1, 2000, [&](uint64_t seed) {
    Random random(seed);
    const std::vector<Entry> entries =
        RandomEntries(&random, BytewiseComparator());
    std::string bytes = BuildBlock(entries, 8);
    for (uint64_t n = 1 + random.Below(3); n > 0; --n) {
      bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    }
    SearchedBlock searched(bytes, KeyOrder(BytewiseComparator()));
    if (!searched.status.ok() || !searched.block->words().any()) return;
    for (int i = 0; i < 20; ++i) {
      const Entry& entry = entries[random.Below(entries.size())];
      const std::string key = UserKeyOf(entry.key).ToString();
      EntryMatch found;
      bool matches;
      searched.Find(key, &found, &matches);
      if (!matches) continue;
      ++matched;
      const BlockView& view = searched.block->view();
      ASSERT_GE(found.value.data(), view.entries);
      ASSERT_LE(found.value.end(), view.limit());
    }
  });
  EXPECT_GT(matched, 1000);
}

}  // namespace
}  // namespace ashlar::testing
