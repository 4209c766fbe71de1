#include "table/block/entry_words.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "table/block/entry.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

namespace {

constexpr size_t kWordBytes = sizeof(uint32_t);

// Turns bytes of a key into a word: signed comparisons order words as the
// comparator orders keys.
int32_t Turn(uint32_t bytes, const KeyOrder& order) {
  return static_cast<int32_t>(order.WordOf(bytes) ^ uint32_t{1} << 31);
}

// Returns four bytes of a key from `at` on; bytes after its end are 0.
uint32_t WordOf(const Slice& key, size_t at) {
  if (key.size() >= at + kWordBytes) {
    return __builtin_bswap32(LoadFixed32(key.data() + at));
  }
  uint32_t word = 0;
  for (size_t i = 0; i < kWordBytes; ++i) {
    word = word << 8 |
           (at + i < key.size() ? static_cast<uint8_t>(key[at + i]) : 0);
  }
  return word;
}

// Returns the word of a key that has only this many bytes from the word's
// beginning on.
uint32_t FirstBytes(uint32_t word, size_t bytes) {
  if (bytes >= kWordBytes) return word;
  return bytes == 0 ? 0 : word >> (32 - bytes * 8) << (32 - bytes * 8);
}

// Returns how many of n words are smaller. The words ascend and are padded.
size_t CountSmaller(const int32_t* words, size_t n, int32_t word) {
  constexpr size_t kFew = 64;
  constexpr size_t kPadding = EntryWordsShape::kPadding;
  size_t begin = 0;
  while (n > kFew) {
    const size_t half = n / 2 / kPadding * kPadding;
    begin += words[begin + half - 1] < word ? half : 0;
    n -= half;
  }
  int32_t smaller = 0;
  for (size_t i = 0; i < n; i += kPadding) {
    for (size_t j = 0; j < kPadding; ++j) {
      smaller += words[begin + i + j] < word ? 1 : 0;
    }
  }
  return begin + static_cast<size_t>(smaller);
}

// Walks over the entries of a block, from one with a whole key on, without
// putting their keys together. Calls `bool visit(const char* entry, const
// EntryHeader&, const char* suffix)`. Returns false if that does, or if an
// entry's key is shorter than a tail.
template <typename Visit>
bool WalkHeaders(const BlockView& view, const char* p, const Visit& visit) {
  size_t last_size = 0;
  while (p < view.limit()) {
    EntryHeader header;
    const char* const suffix = DecodeEntryHeader(p, view.limit(), &header);
    if (suffix == nullptr || header.shared > last_size) return false;
    last_size = size_t{header.shared} + header.non_shared;
    if (last_size < kInternalKeyTailBytes) return false;
    if (!visit(p, header, suffix)) return false;
    p = suffix + header.non_shared + header.value_size;
  }
  return true;
}

// Returns the first user key; empty if the first entry has no whole internal
// key.
Slice FirstUserKey(const BlockView& view) {
  EntryHeader header;
  const char* const suffix =
      DecodeEntryHeader(view.entries, view.limit(), &header);
  if (suffix == nullptr || header.shared != 0 ||
      header.non_shared < kInternalKeyTailBytes) {
    return {};
  }
  return Slice(suffix, header.non_shared - kInternalKeyTailBytes);
}

}  // namespace

EntryWordsShape MeasureEntryWords(const BlockView& view, const KeyOrder& order,
                                  uint32_t* interval) {
  constexpr size_t kMostShare = 8;
  if (view.separated || view.entries_size == 0 ||
      view.entries_size > EntryWordsShape::kMostBytes || !order.known() ||
      !order.IsOfBytes()) {
    return {};
  }
  const uint32_t last = view.num_restarts - 1;
  const bool skips = *interval != 0;
  const char* const begin =
      view.entries + (skips ? view.RestartOffset(last) : 0);
  const char* const second =
      last == 0 ? nullptr : view.entries + view.RestartOffset(1);
  const Slice first_key = FirstUserKey(view);
  EntryWordsShape shape;
  size_t same = 0;       // bytes that the key has in common with the first one
  size_t user_size = 0;  // of the key
  const bool walked = WalkHeaders(
      view, begin,
      [&](const char* entry, const EntryHeader& header, const char* suffix) {
        if (!skips && entry == second) *interval = shape.num_entries;
        ++shape.num_entries;
        if (header.shared <= same) {
          const Slice rest(first_key.data() + header.shared,
                           first_key.size() - header.shared);
          same = header.shared +
                 CommonPrefix(rest, Slice(suffix, header.non_shared));
        }
        user_size =
            size_t{header.shared} + header.non_shared - kInternalKeyTailBytes;
        return true;
      });
  if (!walked) return {};
  const uint64_t before = skips ? uint64_t{last} * *interval : 0;
  if (before > view.entries_size) return {};
  shape.num_entries += static_cast<uint32_t>(before);
  shape.prefix_size = static_cast<uint32_t>(std::min(same, user_size));
  return shape.bytes() <= view.entries_size / kMostShare ? shape
                                                         : EntryWordsShape();
}

bool FillEntryWords(const BlockView& view, const KeyOrder& order,
                    const EntryWordsShape& shape, char* arrays) {
  auto* const words = reinterpret_cast<int32_t*>(arrays + shape.words_at());
  auto* const offsets =
      reinterpret_cast<uint16_t*>(arrays + shape.offsets_at());
  const size_t prefix = shape.prefix_size;
  std::memset(arrays, 0, shape.words_at());
  uint32_t word = 0;  // of the entry before, with its tail
  int32_t last = std::numeric_limits<int32_t>::min();
  uint32_t i = 0;
  const bool filled = WalkHeaders(
      view, view.entries,
      [&](const char* entry, const EntryHeader& header, const char* suffix) {
        if (i == shape.num_entries) return false;
        // The suffix with its tail: the next key may share bytes of the tail.
        const Slice own(suffix, header.non_shared);
        if (header.shared + own.size() < prefix + kInternalKeyTailBytes) {
          return false;
        }
        if (header.shared <= prefix) {
          const size_t rest = prefix - header.shared;
          if (own.size() < rest) return false;
          char* const shared_by_all = arrays + header.shared;
          if (i == 0) std::memcpy(arrays, own.data(), prefix);
          if (std::memcmp(shared_by_all, own.data(), rest) != 0) return false;
          word = WordOf(own, rest);
        } else if (header.shared < prefix + kWordBytes) {
          const size_t kept = (header.shared - prefix) * 8;
          word = (word >> (32 - kept) << (32 - kept)) | WordOf(own, 0) >> kept;
        }
        const size_t user_bytes =
            header.shared + own.size() - kInternalKeyTailBytes - prefix;
        words[i] = Turn(FirstBytes(word, user_bytes), order);
        offsets[i] = static_cast<uint16_t>(entry - view.entries);
        if (words[i] < last) return false;
        last = words[i++];
        return true;
      });
  if (!filled || i != shape.num_entries) return false;
  std::fill(words + i, words + shape.num_words(),
            std::numeric_limits<int32_t>::max());
  return true;
}

bool EntryWords::Matches(const BlockView& view, uint32_t entry,
                         const Slice& user_key, EntryMatch* match) const {
  EntryHeader header;
  const char* const suffix =
      DecodeEntryHeader(view.entries + offsets()[entry], view.limit(), &header);
  const size_t proved = shape_.prefix_size + kWordBytes;
  if (suffix == nullptr || header.non_shared < kInternalKeyTailBytes ||
      header.shared > proved) {
    return false;
  }
  const size_t size =
      size_t{header.shared} + header.non_shared - kInternalKeyTailBytes;
  if (size != user_key.size()) return false;
  if (size > proved &&
      !SameBytes(user_key.data() + proved, suffix + (proved - header.shared),
                 size - proved)) {
    return false;
  }
  const char* const value = suffix + header.non_shared;
  match->tail = LoadFixed64(value - kInternalKeyTailBytes);
  match->value = Slice(value, header.value_size);
  return true;
}

void EntryWords::FetchEntry(const BlockView& view, size_t i) const {
  constexpr size_t kLine = 64;
  const char* const entry = view.entries + offsets()[i];
  // Some processors drop a prefetch from a page that they have not used lately.
  static_cast<void>(*static_cast<const volatile char*>(entry));
  __builtin_prefetch(entry + kLine);
}

// Sets *word to the key's word, and *smaller to the number of entries with
// smaller words. Returns false if the key has not the prefix that all keys
// have.
bool EntryWords::PlaceOf(const Slice& user_key, const KeyOrder& order,
                         int32_t* word, size_t* smaller) const {
  if (user_key.size() < shape_.prefix_size ||
      !SameBytes(user_key.data(), arrays_, shape_.prefix_size)) {
    return false;
  }
  *word = Turn(WordOf(user_key, shape_.prefix_size), order);
  *smaller = CountSmaller(words(), shape_.num_words(), *word);
  return true;
}

WordPlace EntryWords::Find(const BlockView& view, const KeyOrder& order,
                           const Slice& user_key) const {
  int32_t word = 0;
  size_t i = 0;
  if (!PlaceOf(user_key, order, &word, &i) || i >= shape_.num_entries) {
    return {};
  }
  if (words()[i] != word) return {WordPlace::Tells::kAbsent};
  FetchEntry(view, i);
  return {WordPlace::Tells::kEntry, static_cast<uint32_t>(i)};
}

WordSeek EntryWords::Seek(const BlockView& view, const KeyOrder& order,
                          const Slice& user_key) const {
  int32_t word = 0;
  size_t i = 0;
  if (!PlaceOf(user_key, order, &word, &i)) return {};
  if (i >= shape_.num_entries) return {.ends = WordSeek::Ends::kBehind};
  const int32_t found = words()[i];
  const bool same = found == word;
  // If several entries have that word, the block's own search finds the right
  // one.
  if (same && i + 1 < shape_.num_entries && words()[i + 1] == word) return {};
  FetchEntry(view, i);
  const auto turned = static_cast<uint32_t>(found) ^ uint32_t { 1 } << 31;
  return {.ends = WordSeek::Ends::kHere,
          .maybe_next = same,
          .offset = offsets()[i],
          .prefix = Slice(arrays_, shape_.prefix_size),
          .bytes = order.WordOf(turned)};
}

void EntryWords::Fetch(const BlockView& view, const KeyOrder& order,
                       const Slice& user_key) const {
  int32_t word = 0;
  size_t i = 0;
  if (!any() || !PlaceOf(user_key, order, &word, &i) ||
      i >= shape_.num_entries) {
    return;
  }
  FetchEntry(view, i);
}

}  // namespace ashlar::internal
