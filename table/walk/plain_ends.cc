#include "table/walk/plain_ends.h"

#include <algorithm>

#include "ashlar/table/internal_key.h"
#include "table/block/block.h"
#include "table/block/entry.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

constexpr uint64_t kWord = sizeof(uint32_t);
// The longest header: four numbers of five bytes.
constexpr uint64_t kLongestHeader = 20;
constexpr uint64_t kMostBlockBytes = uint64_t{1} << 31;

// Returns whether a block may begin with this key: an internal key, or the name
// of a property or block.
bool CanBeFirstKey(const Slice& key) {
  if (key.size() >= kInternalKeyTailBytes &&
      ValueTypeName(TypeOf(key)) != "unknown") {
    return true;
  }
  return std::all_of(key.data(), key.end(),
                     [](char c) { return c >= ' ' && c <= '~'; });
}

// A place between two entries of a block whose values come after all keys.
struct SeparatedPlace {
  uint64_t offset = 0;
  uint64_t entry = 0;     // the number of the entry that begins there
  uint64_t key_size = 0;  // of the entry before
  uint64_t values = 0;    // bytes of the values before
};

// One look for an end.
class PlainWalk {
 public:
  PlainWalk(uint64_t offset, WalkBytes* bytes, int64_t* steps)
      : begin_(offset), bytes_(*bytes), steps_(*steps) {}

  std::optional<uint64_t> Find();
  std::optional<uint64_t> FindSeparated();
  std::optional<uint64_t> FindIndex(bool first_keys);

 private:
  std::optional<uint64_t> FindSeparatedBy(uint64_t interval, SeparatedPlace at);
  std::optional<uint64_t> EndOfKeys(const SeparatedPlace& at);
  bool PassSeparated(bool is_restart, SeparatedPlace* at);
  bool ReadHeader(uint64_t at, EntryHeader* header, uint32_t* value_offset,
                  uint64_t* size);
  bool IsFirstKey(uint64_t at, uint32_t size);
  uint32_t WordAt(uint64_t at) {
    const Slice word = bytes_.Peek(at, kWord);
    return word.size() < kWord ? ~uint32_t{0} : LoadFixed32(word.data());
  }
  std::optional<uint64_t> EndOfRestarts(uint64_t at, uint64_t entries_size,
                                        bool separated);
  std::optional<uint64_t> EndOfHashIndex(uint64_t at, uint64_t entries_size,
                                         bool separated);

  const uint64_t begin_;
  WalkBytes& bytes_;
  int64_t& steps_;
  Slice piece_;  // bytes from piece_at_ on
  uint64_t piece_at_ = 0;
};

// Reads the header at `at`, the number value_offset after it too if that is not
// null. A piece of bytes serves many headers.
bool PlainWalk::ReadHeader(uint64_t at, EntryHeader* header,
                           uint32_t* value_offset, uint64_t* size) {
  if (at < piece_at_ || at - piece_at_ + kLongestHeader > piece_.size()) {
    piece_ = bytes_.Peek(at, kLongestHeader);
    piece_at_ = at;
  }
  const char* const from = piece_.data() + (at - piece_at_);
  const char* p = DecodeEntryNumbers(from, piece_.end(), header);
  if (p == nullptr) return false;
  *size = static_cast<uint64_t>(p - from);
  if (value_offset == nullptr) return true;
  p = DecodeVarint32(p, piece_.end(), value_offset);
  if (p == nullptr) *value_offset = ~uint32_t{0};
  return true;
}

// Looks at the first bytes and at the tail only: keys may be long.
bool PlainWalk::IsFirstKey(uint64_t at, uint32_t size) {
  constexpr uint32_t kMostLookedAt = 64;
  const uint32_t looked_at = std::min(size, kMostLookedAt);
  const Slice key = bytes_.Peek(at + size - looked_at, looked_at);
  piece_ = Slice();
  return key.size() >= looked_at && CanBeFirstKey({key.data(), looked_at});
}

std::optional<uint64_t> PlainWalk::Find() {
  uint64_t at = begin_;
  uint64_t key_size = 0;
  while ((steps_ -= 2) > 0) {
    EntryHeader header;
    uint64_t header_size;
    if (!ReadHeader(at, &header, nullptr, &header_size)) return std::nullopt;
    const uint64_t entry_size =
        header_size + header.non_shared + uint64_t{header.value_size};
    if (entry_size == header_size && header.shared == 0) {
      return EndOfRestarts(at, at - begin_, false);
    }
    if (header.shared > key_size || entry_size > bytes_.size() - at ||
        at - begin_ > kMostBlockBytes) {
      return std::nullopt;
    }
    if (at == begin_ && !IsFirstKey(at + header_size, header.non_shared)) {
      return std::nullopt;
    }
    key_size = header.shared + uint64_t{header.non_shared};
    at += entry_size;
  }
  return std::nullopt;
}

// The same for a block whose values come after all keys. Where the keys end is
// not marked, so each place is tried where the restart array can then be.
std::optional<uint64_t> PlainWalk::FindSeparated() {
  SeparatedPlace at{begin_, 0, 0, 0};
  // Nor is it marked which entries are restart points, after whose header the
  // offset of the value comes: a key may begin with that number. But every
  // k-th entry is one, the first of them too. So each that may be the second
  // restart point is tried as such.
  while ((steps_ -= 4) > 0) {
    const auto end = EndOfKeys(at);
    if (end.has_value()) return end;
    SeparatedPlace restart = at;
    const bool may_restart = at.entry != 0 && PassSeparated(true, &restart);
    if (may_restart) {
      const auto found = FindSeparatedBy(at.entry, restart);
      if (found.has_value()) return found;
    }
    if (!PassSeparated(at.entry == 0, &at)) break;
  }
  return std::nullopt;
}

// Goes on after the second restart point, if each `interval`-th entry is one.
std::optional<uint64_t> PlainWalk::FindSeparatedBy(uint64_t interval,
                                                   SeparatedPlace at) {
  while ((steps_ -= 4) > 0) {
    const auto end = EndOfKeys(at);
    if (end.has_value()) return end;
    if (!PassSeparated(at.entry % interval == 0, &at)) break;
  }
  return std::nullopt;
}

// Returns the end of the block if its keys can end here.
std::optional<uint64_t> PlainWalk::EndOfKeys(const SeparatedPlace& at) {
  if (at.entry == 0 || at.values >= bytes_.size() - at.offset) {
    return std::nullopt;
  }
  if (WordAt(at.offset + at.values) != 0) return std::nullopt;
  return EndOfRestarts(at.offset + at.values, at.offset - begin_, true);
}

// Moves on over one entry. Returns false if none can be there.
bool PlainWalk::PassSeparated(bool is_restart, SeparatedPlace* at) {
  const uint64_t left = bytes_.size() - at->offset;
  if (at->values >= left || at->offset - begin_ > kMostBlockBytes) return false;
  piece_ = Slice();  // the look at a word may have replaced it
  EntryHeader header;
  uint32_t value_offset;
  uint64_t size;
  if (!ReadHeader(at->offset, &header, &value_offset, &size)) return false;
  if (header.shared > at->key_size || header.non_shared == 0) return false;
  if (is_restart) {
    if (header.shared != 0 || value_offset != at->values) return false;
    size += VarintLength(value_offset);
  }
  if (size + header.non_shared > left) return false;
  if (at->entry == 0 && !IsFirstKey(at->offset + size, header.non_shared)) {
    return false;
  }
  at->key_size = header.shared + uint64_t{header.non_shared};
  at->values += header.value_size;
  at->offset += size + header.non_shared;
  ++at->entry;
  return true;
}

// The same for an index block whose handles have no length before them. After a
// key that shares nothing comes a whole handle, after another the size alone.
std::optional<uint64_t> PlainWalk::FindIndex(bool first_keys) {
  constexpr uint64_t kLongestNumber = 10;
  uint64_t at = begin_;
  uint64_t key_size = 0;
  while ((steps_ -= 4) > 0) {
    const Slice head = bytes_.Peek(at, 2 * kLongestNumber);
    uint32_t shared;
    uint32_t non_shared;
    Decoder numbers(head);
    if (!numbers.Varint32(&shared) || !numbers.Varint32(&non_shared)) break;
    if (shared == 0 && non_shared == 0) {
      return EndOfRestarts(at, at - begin_, false);
    }
    at += VarintLength(shared) + VarintLength(non_shared) + non_shared;
    if (shared > key_size || at >= bytes_.size()) break;
    key_size = shared + uint64_t{non_shared};
    const Slice tail = bytes_.Peek(at, 3 * kLongestNumber);
    Decoder value(tail);
    uint64_t number;
    uint32_t first_key = 0;
    if (!value.Varint64(&number)) break;
    at += VarintLength(number);
    if (shared == 0) {
      if (!value.Varint64(&number)) break;
      at += VarintLength(number);
    }
    if (first_keys) {
      if (!value.Varint32(&first_key)) break;
      at += VarintLength(first_key) + first_key;
    }
    if (at >= bytes_.size() || at - begin_ > kMostBlockBytes) break;
  }
  return std::nullopt;
}

// `at`: where the restart array is, if this is a block.
std::optional<uint64_t> PlainWalk::EndOfRestarts(uint64_t at,
                                                 uint64_t entries_size,
                                                 bool separated) {
  uint32_t last = 0;
  uint64_t pos = at;
  for (uint32_t count = 0; --steps_ > 0; ++count) {
    const uint32_t word = WordAt(pos);
    if (count > 0 && !separated && (word & ~kUniformFlag) == count) {
      return pos + kWord - begin_;
    }
    if (count > 0 && separated && word == entries_size &&
        WordAt(pos + kWord) == (count | kSeparatedFlag)) {
      return pos + 2 * kWord - begin_;
    }
    const bool fits =
        count == 0 ? word == 0 : word > last && word < entries_size;
    if (!fits) {
      return count == 0 ? std::nullopt
                        : EndOfHashIndex(at, entries_size, separated);
    }
    last = word;
    pos += kWord;
  }
  return std::nullopt;
}

// A hash index comes between the restart array, which is at `at`, and the last
// word. It says how long it is, right before.
std::optional<uint64_t> PlainWalk::EndOfHashIndex(uint64_t at,
                                                  uint64_t entries_size,
                                                  bool separated) {
  constexpr uint64_t kMostBuckets = 0xffff;
  constexpr uint64_t kMostRestarts = 256;
  constexpr uint64_t kCountBytes = 2;
  const uint64_t most = kMostRestarts * kWord + kMostBuckets + kCountBytes +
                        (separated ? kWord : 0) + kWord;
  const Slice piece = bytes_.Get(at, most);
  const uint32_t flags = kHashIndexFlag | (separated ? kSeparatedFlag : 0);
  for (size_t i = kWord + kCountBytes; i + kWord <= piece.size(); ++i) {
    if (--steps_ <= 0) break;
    const uint32_t word = LoadFixed32(piece.data() + i);
    const uint64_t restarts = word & ~flags;
    if ((word & flags) != flags || restarts == 0 || restarts > kMostRestarts) {
      continue;
    }
    size_t end = i;
    if (separated) {
      end -= kWord;
      if (LoadFixed32(piece.data() + end) != entries_size) continue;
    }
    const uint64_t before = restarts * kWord + kCountBytes;
    if (end < before) continue;
    const auto low = static_cast<uint8_t>(piece[end - 2]);
    const auto high = static_cast<uint8_t>(piece[end - 1]);
    if (before + (low | (uint64_t{high} << 8)) == end) {
      piece_ = Slice();
      return at + i + kWord - begin_;
    }
  }
  piece_ = Slice();
  return std::nullopt;
}

}  // namespace

std::optional<uint64_t> FindPlainEnd(uint64_t offset, PlainForm form,
                                     WalkBytes* bytes, int64_t* steps) {
  const Slice head = bytes->Peek(offset, kWord);
  if (head.size() < kWord || head[0] != 0) return std::nullopt;
  PlainWalk walk(offset, bytes, steps);
  switch (form) {
    case PlainForm::kEntries:
      return walk.Find();
    case PlainForm::kSeparated:
      return walk.FindSeparated();
    case PlainForm::kIndex:
      return walk.FindIndex(false);
    case PlainForm::kIndexWithFirstKeys:
      return walk.FindIndex(true);
  }
  return std::nullopt;
}

}  // namespace ashlar::internal
