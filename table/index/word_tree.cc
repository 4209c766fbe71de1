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
  constexpr size_t kLeaf = WordLeaf::kWidth;
  const size_t num_leaves = (size_ + kLeaf - 1) / kLeaf;
  leaves_ = std::make_unique<WordLeaf[]>(num_leaves);
  levels_.leaves = leaves_.get();
  std::vector<int64_t> last_words;  // the last word of each node below
  last_words.reserve(num_leaves);
  for (size_t i = 0; i < num_leaves * kLeaf; ++i) {
    WordLeaf& leaf = leaves_[i / kLeaf];
    leaf.words[i % kLeaf] = i < size_ ? Turn(words[i]) : kPadding;
    leaf.slots[i % kLeaf].Store(BlockHint::kNoSlot);
    if (i % kLeaf == kLeaf - 1) last_words.push_back(leaf.words.back());
  }
  // From the leaves up; each level has memory of its own.
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
  return leaf * WordLeaf::kWidth +
         kernels_->find_in_leaf(leaves_[leaf], Turn(word));
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
  constexpr size_t kLeaf = WordLeaf::kWidth;
  WordLeaf& leaf = leaves_[i / kLeaf];
  RelaxedAtomic<uint32_t>& slot_there = leaf.slots[i % kLeaf];
  RelaxedAtomic<uint32_t>& line_there = leaf.lines[i % kLeaf];
  const auto line = static_cast<uint32_t>(bytes >> kLineBits);
  // A cache line that threads share is written only if that changes it.
  if (slot_there.Load() != slot) slot_there.Store(slot);
  if (line_there.Load() == line) return;
  line_there.Store(line);
  const uint64_t region = bytes >> kRegionBits << kRegionBits;
  if (region_.Load() != region) region_.Store(region);
}

uint64_t WordTree::MemoryUsage() const {
  return (size_ + WordLeaf::kWidth - 1) / WordLeaf::kWidth * sizeof(WordLeaf) +
         inner_bytes_;
}

}  // namespace ashlar::internal
