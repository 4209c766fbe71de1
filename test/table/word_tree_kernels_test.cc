// Compares the searches of a tree of words with std::lower_bound, by each
// kernel that this processor has.

#include "table/index/word_tree_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <vector>

#include "port/cpu.h"
#include "table/index/word_tree.h"
#include "test/support/random.h"

namespace ashlar::testing {
namespace {

using namespace internal;

std::vector<const WordTreeKernels*> AllKernels() {
  std::vector<const WordTreeKernels*> all = {&kPortableWordTreeKernels};
#if defined(__x86_64__)
  if (Cpu().avx2) all.push_back(&kAvx2WordTreeKernels);
#elif defined(__aarch64__)
  all.push_back(&kNeonWordTreeKernels);
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

}  // namespace
}  // namespace ashlar::testing
