#include "table/index/word_tree.h"

#include <algorithm>
#include <cassert>

#include "port/cpu.h"
#include "table/index/word_tree_kernels.h"

namespace ashlar::internal {

namespace {

struct CountPortable {
  size_t operator()(const int64_t* node, int64_t word) const {
    size_t smaller = 0;
    for (size_t i = 0; i < WordTree::kWidth; ++i) smaller += node[i] < word;
    return smaller;
  }
};

size_t FindLeafPortable(const WordLevels& levels, int64_t word) {
  return SearchLeaf(levels, word, CountPortable());
}

size_t FindInLeafPortable(const WordLeaf& leaf, int64_t word) {
  return CountPortable()(leaf.words.data(), word);
}

void LowerBoundsPortable(const WordLevels& levels, const int64_t* words,
                         size_t n, uint32_t* places) {
  SearchWordsTogether(levels, words, n, places, CountPortable());
}

}  // namespace

const WordTreeKernels kPortableWordTreeKernels = {
    FindLeafPortable, FindInLeafPortable, LowerBoundsPortable};

const WordTreeKernels& ThisCpusWordTreeKernels() {
#if defined(__x86_64__)
  static const bool has_avx2 = Cpu().avx2;
  if (has_avx2) return kAvx2WordTreeKernels;
#endif
  return kPortableWordTreeKernels;
}

void WordTree::Build(std::span<const uint64_t> words) {
  Build(words, ThisCpusWordTreeKernels());
}

void WordTree::Build(std::span<const uint64_t> words,
                     const WordTreeKernels& kernels) {
  assert(size_ == 0 && !words.empty());
  constexpr int64_t kPadding = std::numeric_limits<int64_t>::max();
  kernels_ = &kernels;
  size_ = words.size();
  last_ = words.back();
  const size_t num_leaves = (size_ + kWidth - 1) / kWidth;
  leaves_ = std::make_unique<WordLeaf[]>(num_leaves);
  levels_.leaves = leaves_.get();
  std::vector<int64_t> last_words;  // of the nodes below
  for (size_t i = 0; i < num_leaves * kWidth; ++i) {
    WordLeaf& leaf = leaves_[i / kWidth];
    leaf.words[i % kWidth] = i < size_ ? Turn(words[i]) : kPadding;
    leaf.slots[i % kWidth].Store(BlockHint::kNoSlot);
    if (i % kWidth == kWidth - 1) last_words.push_back(leaf.words.back());
  }
  // From the leaves up, each level in memory of its own.
  std::vector<const int64_t*> upwards;
  while (last_words.size() > 1) {
    const size_t nodes = (last_words.size() + kWidth - 1) / kWidth;
    last_words.resize(nodes * kWidth, kPadding);
    auto level = std::make_unique<Node[]>(nodes);
    std::vector<int64_t> above;
    for (size_t i = 0; i < nodes; ++i) {
      std::copy_n(last_words.begin() + static_cast<ptrdiff_t>(i * kWidth),
                  kWidth, level[i].words.begin());
      above.push_back(level[i].words.back());
    }
    upwards.push_back(level[0].words.data());
    inner_bytes_ += nodes * sizeof(Node);
    inner_.push_back(std::move(level));
    last_words = std::move(above);
  }
  levels_.num_inner = upwards.size();
  std::copy(upwards.rbegin(), upwards.rend(), levels_.inner.begin());
}

size_t WordTree::FindLeaf(uint64_t word) const {
  return kernels_->find_leaf(levels_, Turn(std::min(word, last_)));
}

size_t WordTree::FindInLeaf(size_t leaf, uint64_t word) const {
  if (word > last_) return size_;
  return leaf * kWidth + kernels_->find_in_leaf(leaves_[leaf], Turn(word));
}

void WordTree::LowerBounds(std::span<const uint64_t> words,
                           uint32_t* places) const {
  std::array<int64_t, kBatch> turned = {};
  for (size_t i = 0; i < words.size(); ++i) {
    turned[i] = Turn(std::min(words[i], last_));
  }
  kernels_->lower_bounds(levels_, turned.data(), words.size(), places);
  for (size_t i = 0; i < words.size(); ++i) {
    if (words[i] > last_) places[i] = static_cast<uint32_t>(size_);
  }
}

void WordTree::Note(size_t i, uint32_t slot, const void* address) const {
  const auto bytes = reinterpret_cast<uint64_t>(address);
  WordLeaf& leaf = leaves_[i / kWidth];
  RelaxedAtomic<uint32_t>& slot_there = leaf.slots[i % kWidth];
  RelaxedAtomic<uint32_t>& line_there = leaf.lines[i % kWidth];
  const auto line = static_cast<uint32_t>(bytes >> kLineBits);
  // Lines that threads share are written only where that changes them.
  if (slot_there.Load() != slot) slot_there.Store(slot);
  if (line_there.Load() == line) return;
  line_there.Store(line);
  const uint64_t region = bytes >> kRegionBits << kRegionBits;
  if (region_.Load() != region) region_.Store(region);
}

uint64_t WordTree::MemoryUsage() const {
  return (size_ + kWidth - 1) / kWidth * sizeof(WordLeaf) + inner_bytes_;
}

}  // namespace ashlar::internal
