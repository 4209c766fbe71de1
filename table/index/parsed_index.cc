#include "table/index/parsed_index.h"

#include <array>
#include <limits>
#include <string>

#include "util/coding/word_compare.h"

namespace ashlar::internal {

Status ParsedIndex::CheckHandle(const BlockHandle& handle,
                                const BlockPlace& place,
                                uint64_t file_limit) const {
  const auto which = [this] { return "entry " + std::to_string(size()); };
  if (!handle.FitsBelow(file_limit)) {
    return place.Corruption(
        "bad block handle",
        which() + " names offset " + std::to_string(handle.offset) + " size " +
            std::to_string(handle.size) + ", expected to end by " +
            std::to_string(file_limit));
  }
  if (size() != 0 && handle.offset < handles_.back().End()) {
    return place.Corruption("bad block handle",
                            which() + " names offset " +
                                std::to_string(handle.offset) + ", expected " +
                                std::to_string(handles_.back().End()) +
                                " or more, where the block before it ends");
  }
  return {};
}

// Returns the separator that a stored one stands for. *whole has its bytes if
// they differ from those that are stored. Separators keep their sequence
// numbers.
Slice ParsedIndex::RestoreSeparator(const Slice& stored,
                                    std::string* whole) const {
  const size_t timestamp = form_.keys.stripped_timestamp;
  const size_t tail = form_.user_keys ? 0 : kInternalKeyTailBytes;
  if (timestamp == 0 || stored.size() < tail) return stored;
  form_.keys.RestoreUserKey(Slice(stored.data(), stored.size() - tail), whole);
  whole->append(stored.end() - tail, tail);
  return *whole;
}

Status ParsedIndex::Add(const Slice& stored, const IndexEntry& entry,
                        const BlockPlace& place, uint64_t file_limit) {
  const auto which = [this] { return "entry " + std::to_string(size()); };
  std::string whole;
  const Slice key = RestoreSeparator(stored, &whole);
  const size_t smallest =
      order_.smallest_key() - (form_.user_keys ? kInternalKeyTailBytes : 0);
  if (key.size() < smallest) {
    return place.Corruption(
        "bad index entry",
        which() +
            (order_.timestamp_size() == 0
                 ? " has a key that is not an internal key"
                 : " has a key that is shorter than its timestamp and tail"));
  }
  Status status = CheckHandle(entry.handle, place, file_limit);
  if (!status.ok()) return status;
  // Filters may be cut between the versions of a key: of equal keys the first
  // one counts.
  const int most = place.kind == BlockKind::kFilter ? 1 : 0;
  if (size() != 0 && order_.known() &&
      CompareSeparators(separator(size() - 1), key) >= most) {
    return place.Corruption("bad index entry",
                            which() + " is not larger than the one before it");
  }
  keys_.Append(key);
  key_ends_.push_back(keys_.size());
  handles_.push_back(entry.handle);
  return form_.first_keys ? AddFirstKey(entry.first_key, place) : Status();
}

// Adds the first key of the entry that was added last.
Status ParsedIndex::AddFirstKey(const Slice& stored, const BlockPlace& place) {
  const size_t i = size() - 1;
  const char* wrong = nullptr;
  Slice first_key = stored;
  std::string whole;
  if (!form_.keys.IsAsStored() && stored.size() >= kInternalKeyTailBytes) {
    form_.keys.Restore(stored, &whole);
    first_key = whole;
  }
  if (first_key.size() < order_.smallest_key()) {
    wrong = " has a first key that is not an internal key";
  } else if (order_.known() && CompareSeparator(i, first_key) < 0) {
    wrong = " has a first key after its separator";
  } else if (i != 0 && order_.known() &&
             CompareSeparator(i - 1, first_key) >= 0) {
    wrong = " has a first key not after the separator before it";
  }
  if (wrong != nullptr) {
    return place.Corruption("bad index entry",
                            "entry " + std::to_string(i) + wrong);
  }
  first_keys_.Append(first_key);
  first_key_ends_.push_back(first_keys_.size());
  return {};
}

Status ParsedIndex::Parse(const Slice& contents, const BlockPlace& place,
                          uint64_t file_limit) {
  BlockView view;
  Status status = ParseBlock(contents, place, &view);
  if (!status.ok()) return status;
  status = ForEachIndexEntry(view, place, form_,
                             [&](const Slice& key, const IndexEntry& entry) {
                               return Add(key, entry, place, file_limit);
                             });
  if (status.ok()) MakeWords();
  return status;
}

int ParsedIndex::CompareSeparator(size_t i, const Slice& user_key,
                                  uint64_t tail) const {
  const int order = order_.CompareUserKeys(SeparatorUserKey(i), user_key);
  if (order != 0) return order;
  if (form_.user_keys) return 1;
  const uint64_t own = TailOf(separator(i));
  if (own == tail) return 0;
  return own > tail ? -1 : 1;
}

// Only for orders of bytes: in others a word means nothing.
void ParsedIndex::MakeWords() {
  if (!order_.known() || !order_.IsOfBytes() || size() == 0) return;
  const size_t prefix_size =
      CommonPrefix(SeparatorUserKey(0), SeparatorUserKey(size() - 1));
  prefix_ = Slice(keys_.data(), prefix_size);
  std::vector<uint64_t> words;
  words.reserve(size());
  for (size_t i = 0; i < size(); ++i) {
    words.push_back(
        order_.WordOf(WordTree::WordOf(SeparatorUserKey(i), prefix_.size())));
  }
  words_ = std::make_unique<WordTree>();
  words_->Build(words);
}

ParsedIndex::Search ParsedIndex::WordsOn(const Slice& user_key) const {
  if (user_key.size() >= prefix_.size() &&
      SameBytes(user_key.data(), prefix_.data(), prefix_.size())) [[likely]] {
    return {.word = order_.WordOf(WordTree::WordOf(user_key, prefix_.size()))};
  }
  // The key differs from all separators within what they have in common, or
  // ends there.
  const bool before = order_.CompareUserKeys(user_key, prefix_) < 0;
  return {.before_all = before, .behind_all = !before};
}

ParsedIndex::Search ParsedIndex::BeginFind(const Slice& user_key) const {
  if (words_ == nullptr) return {};
  Search search = WordsOn(user_key);
  search.leaf = words_->FindLeaf(search.word);
  return search;
}

size_t ParsedIndex::EndFind(const Search& search, const Slice& user_key,
                            uint64_t tail) const {
  if (words_ == nullptr) return FindBetween(0, size(), user_key, tail);
  if (search.before_all) return 0;
  if (search.behind_all) return size();
  return PlaceAmongEqual(words_->FindInLeaf(search.leaf, search.word),
                         search.word, user_key, tail);
}

void ParsedIndex::FindBatch(std::span<const Slice> user_keys, uint64_t tail,
                            uint32_t* places) const {
  const size_t n = user_keys.size();
  if (words_ == nullptr) {
    for (size_t i = 0; i < n; ++i) {
      places[i] =
          static_cast<uint32_t>(FindBetween(0, size(), user_keys[i], tail));
    }
    return;
  }
  std::array<Search, WordTree::kBatch> searches;
  std::array<uint64_t, WordTree::kBatch> words;
  for (size_t i = 0; i < n; ++i) {
    searches[i] = WordsOn(user_keys[i]);
    words[i] = searches[i].word;
  }
  words_->LowerBounds(std::span(words).first(n), places);
  for (size_t i = 0; i < n; ++i) {
    if (searches[i].before_all) {
      places[i] = 0;
    } else if (searches[i].behind_all) {
      places[i] = static_cast<uint32_t>(size());
    } else {
      places[i] = static_cast<uint32_t>(
          PlaceAmongEqual(places[i], words[i], user_keys[i], tail));
    }
  }
}

// Goes on from the first separator whose word is not smaller to the right one,
// which is another only if words are equal.
size_t ParsedIndex::PlaceAmongEqual(size_t place, uint64_t word,
                                    const Slice& user_key,
                                    uint64_t tail) const {
  if (place == size() || words_->word(place) != word) [[likely]]
    return place;
  if (CompareSeparator(place, user_key, tail) >= 0) return place;
  const size_t end = word == std::numeric_limits<uint64_t>::max()
                         ? size()
                         : words_->LowerBound(word + 1);
  return FindBetween(place + 1, end, user_key, tail);
}

size_t ParsedIndex::FindBetween(size_t low, size_t high, const Slice& user_key,
                                uint64_t tail) const {
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (CompareSeparator(middle, user_key, tail) < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

uint64_t ParsedIndex::MemoryUsage() const {
  return keys_.capacity() + first_keys_.capacity() +
         (key_ends_.capacity() + first_key_ends_.capacity()) *
             sizeof(uint64_t) +
         handles_.capacity() * sizeof(BlockHandle) +
         (words_ == nullptr ? 0 : words_->MemoryUsage());
}

}  // namespace ashlar::internal
