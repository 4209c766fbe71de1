#include "table/index/separator_packer.h"

#include <cstring>
#include <span>
namespace ashlar::internal {

namespace {

void StoreWord(uint64_t word, int64_t* to) { *to = WordRun::Turn(word); }

}  // namespace

// Calls visit(i, suffix) for each separator.
template <typename Visit>
void SeparatorPacker::ForEachSuffix(Visit visit) const {
  const KeyOrder& order = checks_.order;
  const auto visit_block = [&](size_t i, uint64_t word, size_t depth) {
    const Slice key = UserKey(i);
    const size_t begin = depth + PackedSeparators::CutBytes(order.WordOf(word));
    visit(i, Slice(key.data() + begin, key.size() - begin));
  };
  const auto& words = words_->words();
  size_t i = 0;
  for (const SeparatorGroup& group : words_->groups()) {
    for (; i < group.first_block; ++i) {
      visit_block(i, words[i], words_->prefix_size());
    }
    for (; i < group.first_block + group.num_blocks; ++i) {
      visit_block(i, GroupWord(i, group.prefix_size), group.prefix_size);
    }
  }
  for (; i < words.size(); ++i) {
    visit_block(i, words[i], words_->prefix_size());
  }
}

// Returns the word of a separator in a group with prefixes of `depth` bytes.
uint64_t SeparatorPacker::GroupWord(size_t block, size_t depth) const {
  return checks_.order.WordOf(WordRun::WordOf(UserKey(block), depth));
}

void SeparatorPacker::MeasureSuffixes() {
  num_suffixes_ = 0;
  suffix_bytes_ = 0;
  ForEachSuffix([&](size_t, const Slice& suffix) {
    num_suffixes_ += suffix.empty() ? 0 : 1;
    suffix_bytes_ += suffix.size();
  });
  if (num_suffixes_ == 0) {
    has_suffixes_ = Suffixes::kNone;
  } else {
    has_suffixes_ =
        num_suffixes_ < entries_.size() / 2 ? Suffixes::kSome : Suffixes::kAll;
  }
}

void SeparatorPacker::MeasureTails() {
  tails_differ_ = false;
  if (checks_.form.user_keys) return;
  const uint64_t first = TailOf(entries_.separator(0));
  for (size_t i = 1; i < entries_.size(); ++i) {
    tails_differ_ |= TailOf(entries_.separator(i)) != first;
  }
}

bool SeparatorPacker::Begin(SeparatorGroups* groups) {
  if (entries_.size() == 0 || !checks_.order.known()) return true;
  if (!checks_.order.IsOfBytes()) return entries_.SeparatorsAscend(checks_);
  if (!groups->MakeWords(entries_, checks_)) return false;
  groups->FindGroups(entries_, checks_);
  words_ = groups;
  const size_t root =
      groups->items().empty() ? groups->words().size() : groups->items().size();
  num_inner_ = WordRun::NumInner(root);
  num_leaves_ = WordRun::NumLeaves(root);
  for (const SeparatorGroup& group : groups->groups()) {
    num_inner_ += WordRun::NumInner(group.num_blocks);
    num_leaves_ += WordRun::NumLeaves(group.num_blocks);
    group_prefix_bytes_ += group.prefix_size - groups->prefix_size();
  }
  MeasureSuffixes();
  MeasureTails();
  return true;
}

void SeparatorPacker::Plan(MemoryPlan* plan, PackedSeparators* packed) const {
  packed->size_ = entries_.size();
  if (words_ == nullptr) {
    packed->whole_.Plan(entries_.size(), entries_.separator_bytes(), plan);
    if (!plan->has_memory()) return;
    for (size_t i = 0; i < entries_.size(); ++i) {
      packed->whole_.Append(entries_.separator(i));
    }
    return;
  }
  packed->has_suffixes_ = has_suffixes_;
  PlanRoot(plan, packed);
  PlanSuffixes(plan, packed);
  PlanTails(plan, packed);
}

// Takes room for prefix, words, items and groups.
void SeparatorPacker::PlanRoot(MemoryPlan* plan,
                               PackedSeparators* packed) const {
  constexpr size_t kLine = 64;
  char* const prefix = plan->Take<char>(words_->prefix_size());
  auto* const inner = plan->Take<int64_t>(num_inner_ * WordRun::kWidth, kLine);
  auto* const leaves =
      plan->Take<int64_t>(num_leaves_ * WordRun::kLeafWidth, kLine);
  const size_t num_groups = words_->groups().size();
  const auto items = words_->items();
  auto* const packed_items = plan->Take<SeparatorItem>(items.size());
  auto* const groups = plan->Take<PackedSeparators::Group>(num_groups);
  auto* const prefixes = plan->Take<char>(group_prefix_bytes_);
  if (!plan->has_memory()) return;
  std::memcpy(prefix, entries_.separator(0).data(), words_->prefix_size());
  size_t root = 0;
  if (items.empty()) {
    for (const uint64_t word : words_->words()) {
      StoreWord(word, leaves + root++);
    }
  } else {
    std::memcpy(packed_items, items.data(), items.size_bytes());
    packed->items_ = packed_items;
    for (const SeparatorItem& item : items) {
      StoreWord(words_->words()[item.first_block], leaves + root++);
    }
  }
  packed->UseRoot(Slice(prefix, words_->prefix_size()), root, inner, leaves);
  if (num_groups != 0) StoreGroups(packed, inner, leaves, prefixes, groups);
}

void SeparatorPacker::StoreGroups(PackedSeparators* packed, int64_t* inner,
                                  int64_t* leaves, char* prefixes,
                                  PackedSeparators::Group* groups) const {
  const size_t root = words_->items().size();
  size_t node = WordRun::NumInner(root);
  size_t leaf = WordRun::NumLeaves(root);
  size_t prefix_end = 0;
  for (size_t g = 0; g < words_->groups().size(); ++g) {
    const SeparatorGroup& group = words_->groups()[g];
    const size_t more = group.prefix_size - words_->prefix_size();
    groups[g] = {.first_leaf = static_cast<uint32_t>(leaf),
                 .first_node = static_cast<uint32_t>(node),
                 .num_words = group.num_blocks,
                 .prefix_size = static_cast<uint32_t>(more),
                 .prefix_begin = prefix_end};
    std::memcpy(prefixes + prefix_end,
                UserKey(group.first_block).data() + words_->prefix_size(),
                more);
    prefix_end += more;
    int64_t* const own_leaves = leaves + leaf * WordRun::kLeafWidth;
    for (size_t i = 0; i < group.num_blocks; ++i) {
      StoreWord(GroupWord(group.first_block + i, group.prefix_size),
                own_leaves + i);
    }
    WordRun::Complete(own_leaves, group.num_blocks,
                      inner + node * WordRun::kWidth);
    node += WordRun::NumInner(group.num_blocks);
    leaf += WordRun::NumLeaves(group.num_blocks);
  }
  packed->groups_ = groups;
  packed->group_prefixes_ = prefixes;
}

void SeparatorPacker::PlanSuffixes(MemoryPlan* plan,
                                   PackedSeparators* packed) const {
  if (has_suffixes_ == Suffixes::kNone) return;
  const bool all = has_suffixes_ == Suffixes::kAll;
  auto* const numbers = plan->Take<uint32_t>(all ? 0 : num_suffixes_);
  packed->suffixes_.Plan(all ? entries_.size() : num_suffixes_, suffix_bytes_,
                         plan);
  if (!plan->has_memory()) return;
  size_t count = 0;
  ForEachSuffix([&](size_t i, const Slice& suffix) {
    if (!all) {
      if (suffix.empty()) return;
      numbers[count++] = static_cast<uint32_t>(i);
    }
    packed->suffixes_.Append(suffix);
  });
  packed->suffix_numbers_ = numbers;
  packed->num_suffixes_ = num_suffixes_;
}

void SeparatorPacker::PlanTails(MemoryPlan* plan,
                                PackedSeparators* packed) const {
  if (checks_.form.user_keys) return;
  packed->common_tail_ = TailOf(entries_.separator(0));
  if (!tails_differ_) return;
  char* const tails = plan->Take<char>(entries_.size() * kInternalKeyTailBytes);
  if (!plan->has_memory()) return;
  for (size_t i = 0; i < entries_.size(); ++i) {
    StoreFixed64(tails + i * kInternalKeyTailBytes,
                 TailOf(entries_.separator(i)));
  }
  packed->tails_ = tails;
}

}  // namespace ashlar::internal
