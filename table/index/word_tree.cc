#include "table/index/word_tree.h"

#include <algorithm>
#include <cassert>

#include "port/cpu.h"
#include "table/index/word_tree_kernels.h"

namespace ashlar::internal {

namespace {

struct CountPortable {
  template <size_t kWidth>
  static size_t In(const int64_t* node, int64_t word) {
    size_t smaller = 0;
    for (size_t i = 0; i < kWidth; ++i) smaller += node[i] < word;
    return smaller;
  }
};

}  // namespace

const WordTreeKernels kPortableWordTreeKernels = {
    SearchLeaf<CountPortable>, SearchInLeaf<CountPortable>,
    SearchWordsTogether<CountPortable>};

const WordTreeKernels& ThisCpusWordTreeKernels() {
#if defined(__x86_64__)
  static const bool has_avx2 = Cpu().avx2;
  return has_avx2 ? kAvx2WordTreeKernels : kPortableWordTreeKernels;
#elif defined(__aarch64__)
  return kNeonWordTreeKernels;
#else
  return kPortableWordTreeKernels;
#endif
}

size_t WordRun::NumInner(size_t words) {
  if (NumLeaves(words) <= kMostBareLeaves) return 0;
  size_t sum = 0;
  for (size_t nodes = NumLeaves(words); nodes > 1;) {
    nodes = (nodes + kWidth - 1) / kWidth;
    sum += nodes;
  }
  return sum;
}

// Goes from the leaves up, so the nodes are written from the last to the first.
void WordRun::Complete(int64_t* leaves, size_t words, int64_t* inner) {
  std::fill(leaves + words, leaves + NumLeaves(words) * kLeafWidth, kPadding);
  if (NumLeaves(words) <= kMostBareLeaves) return;
  int64_t* level = inner + NumInner(words) * kWidth;
  const int64_t* below = leaves;
  size_t below_width = kLeafWidth;
  for (size_t children = NumLeaves(words); children > 1;) {
    const size_t nodes = (children + kWidth - 1) / kWidth;
    level -= nodes * kWidth;
    for (size_t i = 0; i + 1 < children; ++i) {
      level[i] = below[i * below_width + below_width - 1];
    }
    std::fill(level + children - 1, level + nodes * kWidth, kPadding);
    below = level;
    below_width = kWidth;
    children = nodes;
  }
  assert(level == inner);
}

WordRun::WordRun(const WordTreeKernels* kernels, const int64_t* inner,
                 const int64_t* leaves, size_t words)
    : kernels_(kernels), size_(words) {
  levels_.leaves = leaves;
  if (NumLeaves(words) <= kMostBareLeaves) return;
  std::array<size_t, WordLevels::kMost> nodes_upwards;
  size_t num_inner = 0;
  for (size_t nodes = NumLeaves(words); nodes > 1; ++num_inner) {
    nodes = (nodes + kWidth - 1) / kWidth;
    nodes_upwards[num_inner] = nodes;
  }
  levels_.num_inner = num_inner;
  for (size_t i = 0; i < num_inner; ++i) {
    levels_.inner[i] = inner;
    inner += nodes_upwards[num_inner - 1 - i] * kWidth;
  }
}

size_t WordRun::FindBareLeaf(int64_t word) const {
  const size_t last = (size_ - 1) / kLeafWidth;
  size_t smaller = 0;
  for (size_t leaf = 0; leaf < last; ++leaf) {
    smaller += levels_.leaves[leaf * kLeafWidth + kLeafWidth - 1] < word;
  }
  return smaller;
}

size_t WordRun::FindLeaf(uint64_t word) const {
  if (levels_.num_inner == 0) return FindBareLeaf(Turn(word));
  return kernels_->find_leaf(levels_, Turn(word));
}

size_t WordRun::FindInLeaf(size_t leaf, uint64_t word) const {
  return leaf * kLeafWidth +
         kernels_->find_in_leaf(levels_.leaves + leaf * kLeafWidth, Turn(word));
}

void WordRun::LowerBounds(std::span<const uint64_t> words,
                          uint32_t* places) const {
  if (levels_.num_inner == 0) {
    for (size_t i = 0; i < words.size(); ++i) {
      places[i] = static_cast<uint32_t>(LowerBound(words[i]));
    }
    return;
  }
  std::array<int64_t, kBatch> turned;
  for (size_t i = 0; i < words.size(); ++i) turned[i] = Turn(words[i]);
  kernels_->lower_bounds(levels_, turned.data(), words.size(), places);
}

}  // namespace ashlar::internal
