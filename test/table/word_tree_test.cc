// Tests the search of an index by words: an index of random keys is compared
// with a search through all keys.

#include "table/index/word_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "table/index/slot_hints.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"
#include "util/mem/aligned_bytes.h"

namespace ashlar::testing {
namespace {

using namespace internal;

TEST(WordTree, WordsAreBytesInOrder) {
  const std::string text = "abcdefghij";
  for (size_t size = 0; size <= text.size(); ++size) {
    const Slice key(text.data(), size);
    for (size_t at = 0; at <= size; ++at) {
      uint64_t expected = 0;
      for (size_t i = at; i < at + 8; ++i) {
        expected =
            expected << 8 | (i < size ? static_cast<uint8_t>(text[i]) : 0);
      }
      EXPECT_EQ(WordRun::WordOf(key, at), expected) << size << " " << at;
    }
  }
}

TEST(SlotHints, AreMadeWhenTheyAreFirstUsed) {
  constexpr size_t kBlocks = 2 * SlotHints::kPerRun + 3;
  MemoryPlan measured;
  SlotHints().Plan(kBlocks, &measured);
  AlignedBytes memory;
  ASSERT_TRUE(memory.Assign(std::string(measured.bytes(), 'x')));
  MemoryPlan plan(const_cast<char*>(memory.slice().data()));
  SlotHints hints;
  hints.Plan(kBlocks, &plan);
  EXPECT_EQ(hints.MemoryUsage(), 0u);
  alignas(64) static char blocks[kBlocks][64];
  for (size_t i = 0; i < kBlocks; ++i) {
    EXPECT_EQ(hints.hint(i).slot, BlockHint::kNoSlot);
    EXPECT_EQ(hints.hint(i).address, nullptr);
  }
  // The last run is shorter.
  hints.Note(kBlocks - 1, 7, blocks[0]);
  EXPECT_EQ(hints.MemoryUsage(), 3 * sizeof(uint64_t));
  for (size_t i = 0; i < kBlocks; ++i) {
    hints.Note(i, static_cast<uint32_t>(i * 7), blocks[i]);
  }
  EXPECT_EQ(hints.MemoryUsage(), kBlocks * sizeof(uint64_t));
  EXPECT_EQ(hints.MostMemoryUsage(), hints.MemoryUsage());
  const SlotHints moved = std::move(hints);
  // Hints that were moved away answer as if none had been noted.
  EXPECT_EQ(hints.hint(0).slot,  // NOLINT(bugprone-use-after-move)
            BlockHint::kNoSlot);
  for (size_t i = 0; i < kBlocks; ++i) {
    EXPECT_EQ(moved.hint(i).slot, i * 7);
    EXPECT_EQ(moved.hint(i).address, blocks[i]);
  }
  moved.Note(3, BlockHint::kNoSlot, blocks[4]);
  EXPECT_EQ(moved.hint(3).slot, BlockHint::kNoSlot);
  EXPECT_EQ(moved.hint(3).address, blocks[4]);
}

// Some keys are prefixes of others, share words, or are outside of what all
// separators share. Both byte orders are tested, and separators with and
// without sequence numbers.
TEST(WordTree, IndexesOfAnyKeysAreSearchedRight) {
  ForEachSeed(1, 120, [](uint64_t seed) {
    Random random(seed);
    const bool reverse = random.OneIn(2);
    const std::string prefix = random.Text(random.Below(12));
    std::vector<Entry> entries;
    for (int i = 0; i < 300; ++i) {
      std::string key = prefix;
      if (random.OneIn(2)) key += "a long part that many keys share";
      key += random.OneIn(4) ? std::string(random.Below(4), '\0')
                             : random.Text(random.Below(12));
      for (SequenceNumber s = 5 - random.Below(4); s <= 5; ++s) {
        entries.push_back(Value(key, s, "value"));
      }
    }
    TableOptions options;
    options.comparator =
        reverse ? ReverseBytewiseComparator() : BytewiseComparator();
    options.block_size = 1 + random.Below(200);
    Model model(options.comparator, entries);
    const auto reader = OpenTable(BuildTable(options, model.entries()));
    Iterator it = reader->NewIterator();
    for (int i = 0; i < 60; ++i) {
      std::string key =
          model.entries()[random.Below(model.entries().size())].key;
      key.resize(key.size() - kInternalKeyTailBytes);
      if (random.OneIn(3)) key.resize(random.Below(key.size() + 1));
      if (random.OneIn(3)) key += random.Text(random.Below(3));
      const SequenceNumber snapshot = random.Below(7);
      it.Seek(key, snapshot);
      const std::string target =
          MakeInternalKey(key, snapshot, ValueType{0xff});
      const Entry* expected = nullptr;
      for (const Entry& entry : model.entries()) {
        const int order =
            options.comparator->Compare(UserKeyOf(entry.key), key);
        if (order > 0 || (order == 0 && SequenceOf(entry.key) <= snapshot)) {
          expected = &entry;
          break;
        }
      }
      ASSERT_TRUE(it.status().ok());
      ASSERT_EQ(it.Valid(), expected != nullptr) << Hex(target);
      if (expected == nullptr) continue;
      EXPECT_EQ(it.key().ToString(), expected->key);
    }
  });
}

}  // namespace
}  // namespace ashlar::testing
