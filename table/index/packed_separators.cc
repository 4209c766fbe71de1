#include "table/index/packed_separators.h"

#include <algorithm>
#include <array>
#include <limits>

#include "table/index/word_tree_kernels.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

namespace {

constexpr size_t kWordBytes = sizeof(uint64_t);

// Returns the first of [low, high) for which `smaller` is false; high if there
// is none.
template <typename Smaller>
size_t FirstNot(size_t low, size_t high, Smaller smaller) {
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (smaller(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

void PackedSeparators::UseRoot(const Slice& prefix, size_t words,
                               int64_t* inner, int64_t* leaves) {
  WordRun::Complete(leaves, words, inner);
  prefix_ = prefix;
  kernels_ = &ThisCpusWordTreeKernels();
  root_ = WordRun(kernels_, inner, leaves, words);
  inner_ = inner;
  leaves_ = leaves;
}

bool PackedSeparators::HasPrefix(const Slice& user_key) const {
  return user_key.size() >= prefix_.size() &&
         SameBytes(user_key.data(), prefix_.data(), prefix_.size());
}

size_t PackedSeparators::ItemOf(size_t block) const {
  return FirstNot(
             0, root_.size(),
             [&](size_t item) { return items_[item].first_block <= block; }) -
         1;
}

PackedSeparators::WordAt PackedSeparators::WordOfBlock(size_t i) const {
  if (!has_groups()) return {root_.word(i), prefix_.size()};
  const size_t item = ItemOf(i);
  const uint32_t number = items_[item].group;
  if (number == SeparatorItem::kNoGroup) {
    return {root_.word(item), prefix_.size()};
  }
  const Group& group = groups_[number];
  const size_t at =
      group.first_leaf * WordRun::kLeafWidth + (i - items_[item].first_block);
  return {WordRun::Turn(leaves_[at]), prefix_.size() + group.prefix_size};
}

Slice PackedSeparators::Suffix(size_t i) const {
  if (has_suffixes_ == Suffixes::kNone) return {};
  if (has_suffixes_ == Suffixes::kAll) return suffixes_[i];
  const uint32_t* const end = suffix_numbers_ + num_suffixes_;
  const uint32_t* const at = std::lower_bound(suffix_numbers_, end, i);
  return at == end || *at != i
             ? Slice()
             : suffixes_[static_cast<size_t>(at - suffix_numbers_)];
}

uint64_t PackedSeparators::Tail(size_t i) const {
  if (!has_words()) return TailOf(whole_[i]);
  return tails_ == nullptr ? common_tail_
                           : LoadFixed64(tails_ + i * kInternalKeyTailBytes);
}

int PackedSeparators::CompareTail(size_t i, uint64_t tail) const {
  if (user_keys_) return 1;
  const uint64_t own = Tail(i);
  if (own == tail) return 0;
  return own > tail ? -1 : 1;
}

// Compares the user key of separator i with that of a key whose word is the
// same. `after` is what the key has after the bytes that are before its word.
int PackedSeparators::CompareAfterWord(size_t i, uint64_t word,
                                       const Slice& after) const {
  const size_t cut = CutBytes(order_.WordOf(word));
  Slice suffix = Suffix(i);
  const size_t size = cut + suffix.size();
  int order;
  if (size <= kWordBytes || after.size() <= kWordBytes) {
    // The longer one goes on with zeros at least to the end of its word.
    order = size < after.size() ? -1 : size > after.size() ? 1 : 0;
  } else {
    suffix.remove_prefix(kWordBytes - cut);
    order = suffix.compare(
        Slice(after.data() + kWordBytes, after.size() - kWordBytes));
  }
  return order_.WordOf(uint64_t{0}) == 0 ? order : -order;
}

int PackedSeparators::CompareUserKey(size_t i, const Slice& user_key) const {
  if (!has_words()) return order_.CompareUserKeys(WholeUserKey(i), user_key);
  if (!HasPrefix(user_key)) return order_.CompareUserKeys(prefix_, user_key);
  const WordAt own = WordOfBlock(i);
  if (own.depth != prefix_.size()) {
    const Slice more = GroupPrefix(groups_[items_[ItemOf(i)].group]);
    const Slice after(user_key.data() + prefix_.size(),
                      user_key.size() - prefix_.size());
    if (!after.starts_with(more)) return order_.CompareUserKeys(more, after);
  }
  const uint64_t word = order_.WordOf(WordRun::WordOf(user_key, own.depth));
  if (own.word != word) return own.word < word ? -1 : 1;
  return CompareAfterWord(
      i, word, Slice(user_key.data() + own.depth, user_key.size() - own.depth));
}

bool PackedSeparators::HasUserKey(size_t i, const Slice& user_key) const {
  if (has_words()) return CompareUserKey(i, user_key) == 0;
  return WithoutTimestamp(WholeUserKey(i), order_.timestamp_size()) == user_key;
}

int PackedSeparators::Compare(size_t i, const Slice& user_key,
                              uint64_t tail) const {
  const int order = CompareUserKey(i, user_key);
  return order != 0 ? order : CompareTail(i, tail);
}

Slice PackedSeparators::Get(size_t i, std::string* memory) const {
  if (!has_words()) return whole_[i];
  memory->assign(prefix_.data(), prefix_.size());
  const WordAt own = WordOfBlock(i);
  if (own.depth != prefix_.size()) {
    memory->append(
        GroupPrefix(groups_[items_[ItemOf(i)].group]).ToStringView());
  }
  const uint64_t bytes = order_.WordOf(own.word);
  const uint64_t in_memory = __builtin_bswap64(bytes);
  memory->append(reinterpret_cast<const char*>(&in_memory), CutBytes(bytes));
  memory->append(Suffix(i).ToStringView());
  if (!user_keys_) {
    const uint64_t tail = Tail(i);
    memory->append(reinterpret_cast<const char*>(&tail), sizeof tail);
  }
  return *memory;
}

[[gnu::always_inline]] inline PackedSeparators::Search
PackedSeparators::WordsOn(const Slice& user_key) const {
  using Found = Search::Found;
  if (HasPrefix(user_key)) [[likely]] {
    return {.found = Found::kLeaf,
            .word = order_.WordOf(WordRun::WordOf(user_key, prefix_.size()))};
  }
  // The key differs from all separators within what they have in common, or
  // ends there.
  const bool before = order_.CompareUserKeys(user_key, prefix_) < 0;
  return {.found = Found::kBlock, .block = before ? 0 : size_};
}

PackedSeparators::Search PackedSeparators::BeginFind(
    const Slice& user_key) const {
  // One object for all returns: a copy would wait for its single stores.
  Search search;
  if (!has_words()) return search;
  search = WordsOn(user_key);
  if (search.found == Search::Found::kBlock) return search;
  search.leaf = root_.FindLeaf(search.word);
  if (has_groups()) {
    FindItem(user_key, &search);
  } else {
    search.block = search.leaf * WordRun::kLeafWidth;
  }
  return search;
}

// Goes from a leaf of the root to the item, and into its group.
void PackedSeparators::FindItem(const Slice& user_key, Search* search) const {
  const size_t item = root_.FindInLeaf(search->leaf, search->word);
  if (item == root_.size() || root_.word(item) != search->word) {
    search->found = Search::Found::kBlock;
    search->block = item == root_.size() ? size_ : items_[item].first_block;
    return;
  }
  search->item = static_cast<uint32_t>(item);
  search->block = items_[item].first_block;
  const bool shares_word =
      item + 1 < root_.size() && root_.word(item + 1) == search->word;
  if (shares_word || items_[item].group == SeparatorItem::kNoGroup) {
    search->found = Search::Found::kItem;
  } else {
    EnterGroup(search->item, user_key, search);
  }
}

// Requires: the key has the prefix of all, and the item is a group.
void PackedSeparators::EnterGroup(uint32_t item, const Slice& user_key,
                                  Search* search) const {
  const Group& group = groups_[items_[item].group];
  const Slice more = GroupPrefix(group);
  const Slice after(user_key.data() + prefix_.size(),
                    user_key.size() - prefix_.size());
  if (after.size() < more.size() ||
      !SameBytes(after.data(), more.data(), more.size())) {
    search->found = Search::Found::kBlock;
    search->block = order_.CompareUserKeys(after, more) < 0
                        ? items_[item].first_block
                        : ItemEnd(item);
    return;
  }
  search->found = Search::Found::kGroup;
  search->item = item;
  search->word = order_.WordOf(WordRun::WordOf(after, more.size()));
  search->leaf = RunOf(group).FindLeaf(search->word);
  search->block = items_[item].first_block + search->leaf * WordRun::kLeafWidth;
}

size_t PackedSeparators::EndFind(const Search& search, const Slice& user_key,
                                 uint64_t tail) const {
  if (search.found == Search::Found::kLeaf) [[likely]] {
    const size_t place = root_.FindInLeaf(search.leaf, search.word);
    if (place == size_ || root_.word(place) != search.word) [[likely]]
      return place;
    return FindAmongEqual(root_, place, 0, prefix_.size(), search.word,
                          user_key, tail);
  }
  switch (search.found) {
    case Search::Found::kNothing:
      return FindBetween(0, size_, user_key, tail);
    case Search::Found::kBlock:
      return search.block;
    case Search::Found::kGroup: {
      const Group& group = groups_[items_[search.item].group];
      const WordRun run = RunOf(group);
      return FindAmongEqual(run, run.FindInLeaf(search.leaf, search.word),
                            items_[search.item].first_block,
                            prefix_.size() + group.prefix_size, search.word,
                            user_key, tail);
    }
    case Search::Found::kLeaf:
    case Search::Found::kItem:
      break;
  }
  return FindAmongItems(search, user_key, tail);
}

// Searches the items that share the key's word: for the first one whose last
// separator is not smaller than the key.
size_t PackedSeparators::FindAmongItems(const Search& search,
                                        const Slice& user_key,
                                        uint64_t tail) const {
  const size_t end = search.word == std::numeric_limits<uint64_t>::max()
                         ? root_.size()
                         : root_.LowerBound(search.word + 1);
  const size_t item = FirstNot(search.item, end, [&](size_t i) {
    return Compare(ItemEnd(i) - 1, user_key, tail) < 0;
  });
  if (item == end) return ItemEnd(end - 1);
  if (items_[item].group == SeparatorItem::kNoGroup) {
    return items_[item].first_block;
  }
  Search within;
  EnterGroup(static_cast<uint32_t>(item), user_key, &within);
  return EndFind(within, user_key, tail);
}

// Goes on from the first separator whose word is not smaller to the right one,
// which is another only if words are equal.
size_t PackedSeparators::FindAmongEqual(const WordRun& run, size_t place,
                                        size_t first_block, size_t depth,
                                        uint64_t word, const Slice& user_key,
                                        uint64_t tail) const {
  if (place == run.size() || run.word(place) != word) [[likely]]
    return first_block + place;
  const Slice after(user_key.data() + depth, user_key.size() - depth);
  const auto smaller = [&](size_t block) {
    const int order = CompareAfterWord(block, word, after);
    return (order != 0 ? order : CompareTail(block, tail)) < 0;
  };
  const size_t block = first_block + place;
  if (!smaller(block)) return block;
  const size_t end = word == std::numeric_limits<uint64_t>::max()
                         ? run.size()
                         : run.LowerBound(word + 1);
  return FirstNot(block + 1, first_block + end, smaller);
}

size_t PackedSeparators::FindBetween(size_t low, size_t high,
                                     const Slice& user_key,
                                     uint64_t tail) const {
  return FirstNot(low, high, [&](size_t block) {
    return Compare(block, user_key, tail) < 0;
  });
}

void PackedSeparators::FindBatch(std::span<const Slice> user_keys,
                                 uint64_t tail, uint32_t* places) const {
  std::array<Search, WordRun::kBatch> searches;
  const size_t n = user_keys.size();
  if (!has_words() || has_groups()) {
    for (size_t k = 0; k < n; ++k) searches[k] = BeginFind(user_keys[k]);
    for (size_t k = 0; k < n; ++k) {
      places[k] =
          static_cast<uint32_t>(EndFind(searches[k], user_keys[k], tail));
    }
    return;
  }
  std::array<uint64_t, WordRun::kBatch> words;
  for (size_t k = 0; k < n; ++k) {
    searches[k] = WordsOn(user_keys[k]);
    words[k] = searches[k].word;
  }
  root_.LowerBounds(std::span(words).first(n), places);
  for (size_t k = 0; k < n; ++k) {
    const size_t block =
        searches[k].found == Search::Found::kBlock
            ? searches[k].block
            : FindAmongEqual(root_, places[k], 0, prefix_.size(), words[k],
                             user_keys[k], tail);
    places[k] = static_cast<uint32_t>(block);
  }
}

}  // namespace ashlar::internal
