// Tests the search of an index by words. The tree is compared with
// std::lower_bound for every kernel, and an index of random keys is compared
// with a search through all keys.

#include "table/index/word_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "port/cpu.h"
#include "table/index/slot_hints.h"
#include "table/index/word_tree_kernels.h"
#include "test/support/random.h"
#include "test/support/random_table.h"
#include "test/support/tables.h"
#include "util/mem/aligned_bytes.h"

namespace ashlar::testing {
namespace {

using namespace internal;

std::vector<const WordTreeKernels*> AllKernels() {
  std::vector<const WordTreeKernels*> all = {&kPortableWordTreeKernels};
#if defined(__x86_64__)
  if (Cpu().avx2) all.push_back(&kAvx2WordTreeKernels);
#endif
  return all;
}

std::vector<uint64_t> RandomWords(size_t n, uint64_t range, Random* random) {
  std::vector<uint64_t> words(n);
  for (uint64_t& word : words) {
    word = range == 0 ? random->Next() : random->Below(range);
    // Words near both ends of the range of integers.
    if (random->OneIn(9)) word = ~word;
  }
  std::sort(words.begin(), words.end());
  return words;
}

// The memory of a WordRun, without a byte more than it needs.
struct Words {
  explicit Words(const std::vector<uint64_t>& words)
      : leaves(WordRun::NumLeaves(words.size()) * WordRun::kLeafWidth),
        inner(WordRun::NumInner(words.size()) * WordRun::kWidth) {
    for (size_t i = 0; i < words.size(); ++i) {
      leaves[i] = WordRun::Turn(words[i]);
    }
    WordRun::Complete(leaves.data(), words.size(), inner.data());
  }

  std::vector<int64_t> leaves;
  std::vector<int64_t> inner;
};

TEST(WordTree, FindsWhatABinarySearchFinds) {
  const std::vector<const WordTreeKernels*> kernels = AllKernels();
  ForEachSeed(1, 60, [&](uint64_t seed) {
    Random random(seed);
    const size_t sizes[] = {1, 2, 15, 16, 17, 255, 256, 257, 4096, 5000};
    const size_t n =
        random.OneIn(2) ? random.Pick(sizes) : 1 + random.Below(700);
    const uint64_t ranges[] = {0, 3, 100, 100000};
    const std::vector<uint64_t> words =
        RandomWords(n, random.Pick(ranges), &random);
    for (const WordTreeKernels* kernel : kernels) {
      const Words laid_out(words);
      const WordRun tree(kernel, laid_out.inner.data(), laid_out.leaves.data(),
                         n);
      ASSERT_EQ(tree.size(), n);
      std::vector<uint64_t> asked = RandomWords(40, 100, &random);
      for (int i = 0; i < 40; ++i) {
        const uint64_t word = words[random.Below(n)];
        asked.insert(asked.end(), {word, word + 1, word - 1});
      }
      asked.push_back(~uint64_t{0});
      for (size_t i = 0; i < asked.size(); i += WordRun::kBatch) {
        const size_t some = std::min(WordRun::kBatch, asked.size() - i);
        std::vector<uint32_t> places(some);
        tree.LowerBounds(std::span(asked).subspan(i, some), places.data());
        for (size_t j = 0; j < some; ++j) {
          const auto expected = static_cast<size_t>(
              std::lower_bound(words.begin(), words.end(), asked[i + j]) -
              words.begin());
          EXPECT_EQ(tree.LowerBound(asked[i + j]), expected);
          EXPECT_EQ(places[j], expected);
        }
      }
      for (size_t i = 0; i < n; ++i) EXPECT_EQ(tree.word(i), words[i]);
    }
  });
}

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
