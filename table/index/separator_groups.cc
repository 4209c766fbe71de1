#include "table/index/separator_groups.h"

#include <algorithm>

#include "table/index/word_tree.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

// If all separators begin with what the first and the last have in common, and
// their words ascend, then the separators ascend. Only those with equal words
// are compared whole.
bool SeparatorGroups::MakeWords(const IndexEntries& entries,
                                const IndexChecks& checks) {
  Clear();
  const size_t n = entries.size();
  const KeyOrder& order = checks.order;
  const Slice first = entries.separator_user_key(0, checks.form);
  prefix_size_ =
      CommonPrefix(first, entries.separator_user_key(n - 1, checks.form));
  words_.resize(n);
  bool sound = true;
  uint64_t last = 0;
  size_t run = 1;
  const size_t prefix_size = prefix_size_;
  const char* const prefix = first.data();
  for (size_t i = 0; i < n; ++i) {
    const Slice key = entries.separator_user_key(i, checks.form);
    if (key.size() < prefix_size ||
        !SameBytes(key.data(), prefix, prefix_size)) {
      return false;
    }
    const uint64_t word = order.WordOf(WordRun::WordOf(key, prefix_size));
    words_[i] = word;
    if (word == last && i != 0) [[unlikely]] {
      if (!checks.Ascends(entries.separator(i - 1), entries.separator(i))) {
        return false;
      }
      longest_run_ = std::max(longest_run_, ++run);
    } else {
      run = 1;
    }
    sound &= word >= last;
    last = word;
  }
  return sound;
}

// Returns where the row of separators with the word of `begin` ends.
size_t SeparatorGroups::RunEnd(std::span<const uint64_t> words,
                               size_t begin) const {
  size_t end = begin + 1;
  while (end < words.size() && words[end] == words[begin]) ++end;
  return end;
}

// Adds separators whose words, after a prefix of this size, are used as they
// are: as a group, or one by one if they are few.
void SeparatorGroups::AddFlat(size_t begin, size_t end, size_t prefix_size) {
  const auto first = static_cast<uint32_t>(begin);
  const auto count = static_cast<uint32_t>(end - begin);
  if (count >= kLeast && prefix_size > prefix_size_) {
    items_.push_back({first, static_cast<uint32_t>(groups_.size())});
    groups_.push_back({first, count, static_cast<uint32_t>(prefix_size)});
    return;
  }
  for (uint32_t i = 0; i < count; ++i) items_.push_back({first + i});
}

// Makes groups of separators with one word.
void SeparatorGroups::Split(const Source& source, size_t begin, size_t end,
                            size_t depth) {
  const IndexForm& form = source.checks.form;
  const Slice first = source.entries.separator_user_key(begin, form);
  const size_t prefix_size =
      CommonPrefix(first, source.entries.separator_user_key(end - 1, form));
  if (depth == kMostDepth) return AddFlat(begin, end, prefix_size);
  std::vector<uint64_t> words(end - begin);
  for (size_t i = begin; i < end; ++i) {
    words[i - begin] = WordRun::WordOf(
        source.entries.separator_user_key(i, form), prefix_size);
  }
  size_t flat = 0;
  for (size_t at = 0; at < words.size();) {
    const size_t run_end = RunEnd(words, at);
    // A row of all of them cannot be told apart by words.
    if (run_end - at >= kLeast && run_end - at < words.size()) {
      AddFlat(begin + flat, begin + at, prefix_size);
      Split(source, begin + at, begin + run_end, depth + 1);
      flat = run_end;
    }
    at = run_end;
  }
  AddFlat(begin + flat, end, prefix_size);
}

void SeparatorGroups::FindGroups(const IndexEntries& entries,
                                 const IndexChecks& checks) {
  if (longest_run_ < kLeast) return;
  for (size_t at = 0; at < words_.size();) {
    const size_t run_end = RunEnd(words_, at);
    if (run_end - at >= kLeast) {
      Split({entries, checks}, at, run_end, 1);
    } else {
      AddFlat(at, run_end, prefix_size_);
    }
    at = run_end;
  }
  uint64_t grouped = 0;
  for (const SeparatorGroup& group : groups_) grouped += group.num_blocks;
  if (grouped < words_.size() / 4 || groups_.empty()) {
    items_.clear();
    groups_.clear();
  }
}

void SeparatorGroups::Clear() {
  constexpr size_t kMostKept = size_t{1} << 16;  // separators
  if (words_.capacity() > kMostKept) {
    *this = SeparatorGroups();
    return;
  }
  prefix_size_ = 0;
  longest_run_ = 0;
  words_.clear();
  items_.clear();
  groups_.clear();
}

}  // namespace ashlar::internal
