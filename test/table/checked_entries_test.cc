// Tests CheckEntries: which blocks count as sound, and that a walk without
// checks over a sound block shows the same entries as a walk with checks.

#include "table/block/checked_entries.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "test/support/built_block.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"
#include "util/mem/buffer.h"

namespace ashlar::testing {
namespace {

using namespace internal;

constexpr BlockPlace kPlace{BlockKind::kData, {}};

// Keeps the bytes of a block and its view, as the cache does.
struct KeptBlock {
  explicit KeptBlock(const std::string& contents) {
    bytes.Append(contents);
    parsed = ParseBlock(bytes.slice(), kPlace, &view);
  }

  Buffer bytes;
  BlockView view;
  Status parsed;
};

CheckedEntries Check(const BlockView& view, KeyOrder order) {
  BlockIterator walker(order);
  return CheckEntries(view, kPlace, &walker);
}

void ExpectSame(const BlockIterator& checked, const BlockIterator& plain) {
  ASSERT_TRUE(plain.status().ok()) << plain.status().ToString();
  ASSERT_TRUE(checked.status().ok()) << checked.status().ToString();
  ASSERT_EQ(checked.Valid(), plain.Valid());
  if (!plain.Valid()) return;
  ASSERT_EQ(checked.offset(), plain.offset());
  ASSERT_TRUE(checked.key() == plain.key());
  ASSERT_TRUE(checked.value() == plain.value());
}

// Makes the same step with both iterators.
template <typename Step>
void Both(BlockIterator* checked, BlockIterator* plain, Step step) {
  ASSERT_EQ(step(checked), step(plain));
  ASSERT_NO_FATAL_FAILURE(ExpectSame(*checked, *plain));
}

void WalkAtRandom(const BlockView& view, CheckedEntries found,
                  const RandomTable& table, Random* random) {
  const KeyOrder order(table.options.comparator);
  BlockIterator plain(order);
  BlockIterator checked(order);
  plain.Reset(view, kPlace);
  BlockView known = view;
  known.checked = found;
  checked.Reset(known, kPlace);
  if (random->OneIn(2)) checked.FetchAlong(view, random->OneIn(2));
  for (int i = 0; i < 60; ++i) {
    const std::string target =
        MakeInternalKey(RandomTarget(table.model, random), random->Below(500),
                        ValueType::kTypeValue);
    const uint64_t kind = random->Below(plain.Valid() ? 12 : 3);
    ASSERT_NO_FATAL_FAILURE(Both(&checked, &plain, [&](BlockIterator* it) {
      if (kind == 0) return it->SeekToFirst();
      if (kind == 1) return it->SeekToLast();
      if (kind == 2) return it->Seek(target);
      return kind % 2 == 0 ? it->Next() : it->Prev();
    }));
    for (bool on = plain.Valid(); on && random->OneIn(4); on = plain.Valid()) {
      ASSERT_NO_FATAL_FAILURE(Both(&checked, &plain, [&](BlockIterator* it) {
        return kind % 2 == 0 ? it->Next() : it->Prev();
      }));
    }
  }
}

DataBlockForm RandomForm(Random* random) {
  constexpr int kIntervals[] = {1, 2, 3, 16, 1000};
  return {random->Pick(kIntervals), false, random->OneIn(2) ? 0.75 : 0};
}

TEST(CheckedEntries, AWalkWithoutChecksShowsTheSame) {
  ForEachSeed(21000, 300, [](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    const std::vector<Entry>& entries = table.model.entries();
    const KeptBlock block(BuildDataBlock(entries, RandomForm(&random)).bytes);
    Require(block.parsed);
    const CheckedEntries found =
        Check(block.view, KeyOrder(table.options.comparator));
    ASSERT_EQ(found.sound(), !entries.empty());
    ASSERT_NO_FATAL_FAILURE(WalkAtRandom(block.view, found, table, &random));
  });
}

// Returns whether walks with checks find no damage, in either direction.
bool WalksFindNothing(const BlockView& view, KeyOrder order) {
  BlockIterator it(order);
  it.Reset(view, kPlace);
  for (bool on = it.SeekToFirst(); on;) on = it.Next();
  if (!it.status().ok()) return false;
  for (bool on = it.SeekToLast(); on;) on = it.Prev();
  return it.status().ok();
}

// Any byte of the entries or restart points may have any value.
TEST(CheckedEntries, WhatIsSoundHasNoDamageThatAWalkFinds) {
  int sound = 0;
  int damaged = 0;
  ForEachSeed(22000, 700, [&](uint64_t seed) {
    Random random(seed);
    const RandomTable table = MakeRandomTable(&random);
    std::string bytes =
        BuildDataBlock(table.model.entries(), RandomForm(&random)).bytes;
    for (uint64_t n = random.Between(1, 3); n > 0; --n) {
      bytes[random.Below(bytes.size())] =
          static_cast<char>(random.OneIn(2) ? random.Below(4) : random.Next());
    }
    const KeptBlock block(bytes);
    if (!block.parsed.ok() || block.view.separated) return;
    const KeyOrder order(table.options.comparator);
    const CheckedEntries found = Check(block.view, order);
    if (!found.sound()) {
      ++damaged;
      return;
    }
    ++sound;
    ASSERT_TRUE(WalksFindNothing(block.view, order));
    ASSERT_NO_FATAL_FAILURE(WalkAtRandom(block.view, found, table, &random));
  });
  if (::testing::Test::HasFailure()) return;
  EXPECT_GT(sound, 100);
  EXPECT_GT(damaged, 100);
}

// A walk forward does not notice this damage, because it knows the previous
// key.
TEST(CheckedEntries, ARestartPointWithoutAWholeKeyIsNotSound) {
  const std::vector<Entry> entries = SomeEntries(4);
  std::string bytes = BuildDataBlock(entries, {1000, false, 0}).bytes;
  const KeyOrder order(BytewiseComparator());
  const KeptBlock good(bytes);
  BlockIterator it(order);
  it.Reset(good.view, kPlace);
  ASSERT_TRUE(it.SeekToFirst() && it.Next() && it.Next());
  // Adds a restart point at the third entry.
  bytes.resize(bytes.size() - 4);
  AppendFixed32(&bytes, it.offset());
  AppendFixed32(&bytes, 2);
  const KeptBlock block(bytes);
  Require(block.parsed);
  EXPECT_TRUE(Check(good.view, order).sound());
  EXPECT_FALSE(Check(block.view, order).sound());
}

// A walk backward would have to keep all keys of the restart interval in
// memory.
TEST(CheckedEntries, KeysThatTakeMuchMemoryAnIntervalAreNotSound) {
  std::vector<Entry> entries;
  for (int i = 100; i < 400; ++i) {
    entries.push_back(
        Value(std::string(10000, 'k') + std::to_string(i), 7, "v"));
  }
  const KeyOrder order(BytewiseComparator());
  const KeptBlock wide(BuildDataBlock(entries, {1000, false, 0}).bytes);
  EXPECT_FALSE(Check(wide.view, order).sound());
  const KeptBlock narrow(BuildDataBlock(entries, {16, false, 0}).bytes);
  EXPECT_TRUE(Check(narrow.view, order).sound());
}

}  // namespace
}  // namespace ashlar::testing
