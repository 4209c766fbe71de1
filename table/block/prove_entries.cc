#include "table/block/prove_entries.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "table/block/block_iterator.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

namespace {

constexpr size_t kLongest = ShortKeys::kLongest;

using Half = uint64_t __attribute__((vector_size(16)));
static_assert(2 * sizeof(Half) == kLongest);

Half LoadHalf(const char* p) {
  Half half;
  std::memcpy(&half, p, sizeof half);
  return half;
}

// kLongest bytes of ones, and then as many of zeros.
constexpr auto kKeep = [] {
  std::array<char, 2 * kLongest> bytes{};
  std::fill_n(bytes.begin(), kLongest, '\xff');
  return bytes;
}();

// Returns whether a data block may have entries of this type, and their values
// may be any bytes.
constexpr bool HasPlainValue(uint8_t type) {
  constexpr uint32_t kOthers =
      1u << static_cast<uint8_t>(ValueType::kTypeWideColumnEntity) |
      1u << static_cast<uint8_t>(ValueType::kTypeValuePreferredSeqno);
  return type < 32 && ((kDataBlockTypes & ~kOthers) >> type & 1) != 0;
}

// Returns null if the entry is damaged.
inline const char* DecodeHeader(const char* p, const char* limit,
                                EntryHeader* header) {
  // The restart points follow the entries.
  constexpr uint32_t kLongVarints = 0x808080;
  const uint32_t word = LoadFixed32(p);
  if ((word & kLongVarints) != 0) [[unlikely]] {
    return DecodeEntryHeader(p, limit, header);
  }
  *header = {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff};
  p += 3;
  const ptrdiff_t rest = static_cast<ptrdiff_t>(header->non_shared) +
                         static_cast<ptrdiff_t>(header->value_size);
  return limit - p >= rest ? p : nullptr;
}

}  // namespace

bool EntryProof::SortsBehind(size_t last_size, size_t i) const {
  if (last_size == 0) return true;
  const char* const key = keys_->bytes_.data() + (i + 1) * kLongest;
  return Ascend(Slice(key - kLongest, last_size), Slice(key, keys_->sizes_[i]));
}

// Most keys differ in the words of their user keys.
bool EntryProof::Ascend(const Slice& last, const Slice& key) const {
  const bool rising = order_.AscendsAt(0, 1);
  if (rising || order_.AscendsAt(1, 0)) {
    const size_t both = std::min(last.size(), key.size());
    for (size_t at = sizeof(uint64_t); at + order_.smallest_key() <= both;
         at += sizeof(uint64_t)) {
      const uint64_t a = LoadBigEndian64(last.data() + at - sizeof(uint64_t));
      const uint64_t b = LoadBigEndian64(key.data() + at - sizeof(uint64_t));
      if (a != b) return (a < b) == rising;
    }
  }
  return order_.Compare(last, key) < 0;
}

bool EntryProof::Next(size_t most) {
  const char* p = p_;
  const char* const limit = view_.limit();
  if (failed_ || p >= limit) return false;
  const char* const last_wide = view_.restarts - kLongest;
  const size_t smallest_key = order_.smallest_key();
  const bool rising = order_.AscendsAt(0, 1);
  const bool of_bytes = rising || order_.AscendsAt(1, 0);
  const uint8_t flip = rising ? 0 : 0xff;
  char* place = keys_->bytes_.data();
  size_t last_size = last_size_;
  if (last_size != 0) {
    std::memcpy(place, place + keys_->size_ * kLongest, kLongest);
  }
  Half low = LoadHalf(place);
  Half high = LoadHalf(place + sizeof low);
  size_t n = 0;
  for (; p < limit && n < most; ++n) {
    EntryHeader header;
    const char* const suffix = DecodeHeader(p, limit, &header);
    if (suffix == nullptr) [[unlikely]]
      return Fail();
    const size_t shared = header.shared;
    if (shared == 0) PassRestart(p);
    const size_t size = shared + header.non_shared;
    if (shared > last_size || size > kLongest || size < smallest_key)
        [[unlikely]] {
      return Fail();
    }
    // The block has at least as many bytes before the suffix as the last key
    // has, and so at least `shared` bytes.
    const char* bytes = suffix - shared;
    char copy[kLongest];
    if (suffix > last_wide) [[unlikely]] {
      std::memcpy(copy + shared, suffix, header.non_shared);
      bytes = copy;
    }
    const char* const keep = kKeep.data() + kLongest - shared;
    const Half keep_low = LoadHalf(keep);
    const Half keep_high = LoadHalf(keep + sizeof low);
    low = (low & keep_low) | (LoadHalf(bytes) & ~keep_low);
    high = (high & keep_high) | (LoadHalf(bytes + sizeof low) & ~keep_high);
    const auto last_byte = static_cast<uint8_t>(place[shared]);
    place += kLongest;
    std::memcpy(place, &low, sizeof low);
    std::memcpy(place + sizeof low, &high, sizeof high);
    keys_->sizes_[n] = static_cast<uint32_t>(size);
    // Where both keys have other bytes than those of timestamp and tail there.
    const bool ascends =
        of_bytes && shared + smallest_key < std::min(size, last_size) &&
        (last_byte ^ flip) < (static_cast<uint8_t>(*suffix) ^ flip);
    if (!ascends && !SortsBehind(last_size, n)) [[unlikely]]
      return Fail();
    const auto type = static_cast<uint8_t>(place[size - kInternalKeyTailBytes]);
    if (!HasPlainValue(type)) [[unlikely]]
      return Fail();
    last_size = size;
    p = suffix + header.non_shared + header.value_size;
  }
  keys_->size_ = n;
  last_size_ = last_size;
  p_ = p;
  return true;
}

// Copies more bytes than the suffix has, if they are within the block.
void EntryProof::CopySuffix(const char* suffix, size_t n, ShortKey* key,
                            size_t shared) const {
  char* const to = key->data() + shared;
  if (suffix <= view_.restarts - kLongest) [[likely]] {
    std::memcpy(to, suffix, kLongest);
  } else {
    std::memcpy(to, suffix, n);
  }
}

// Returns whether the key that the entry makes of the one before sorts after
// that.
bool EntryProof::SuffixSortsBehind(const char* last, size_t last_size,
                                   const char* suffix,
                                   const EntryHeader& header) const {
  if (last_size == 0) return true;
  char key[kLongest];
  std::memcpy(key, last, header.shared);
  std::memcpy(key + header.shared, suffix, header.non_shared);
  return Ascend(Slice(last, last_size),
                Slice(key, header.shared + header.non_shared));
}

// Passes the entries from p on whose keys are as long as the last one, and
// differ from the key before in a byte of the user key. Returns the end of the
// last of these, whose key is then in *key. A key is put together only if
// another number of bytes is shared than before. If values have one size too,
// the place of the next entry does not depend on anything that is loaded, so
// the processor can go ahead.
const char* EntryProof::PassAlike(const char* p, uint8_t flip, size_t size,
                                  ShortKey* key, uint64_t* num_entries) {
  constexpr uint32_t kHeader = 0xffffff;
  constexpr uint32_t kLongVarints = 0x808080;
  const char* const limit = view_.limit();
  const size_t longest_shared = size - order_.smallest_key();
  uint32_t expected = ~kHeader;  // no masked word has this value
  size_t shared = 0;
  size_t type_at = 0;
  ptrdiff_t rest = 0;  // of an entry, after the header
  uint8_t last = 0;
  const char* suffix = nullptr;
  uint64_t n = 0;
  for (const char* next = p; next < limit; next += rest) {
    const uint32_t word = LoadFixed32(next) & kHeader;
    if (word != expected) [[unlikely]] {
      if (suffix != nullptr) CopySuffix(suffix, size - shared, key, shared);
      suffix = nullptr;
      shared = word & 0xff;
      const size_t non_shared = word >> 8 & 0xff;
      if ((word & kLongVarints) != 0 || shared + non_shared != size ||
          shared >= longest_shared) {
        break;
      }
      // If nothing is shared, each entry may be at a restart point.
      if (shared == 0) PassRestart(next);
      expected = shared == 0 ? ~kHeader : word;
      rest = static_cast<ptrdiff_t>(non_shared + (word >> 16));
      type_at = non_shared - kInternalKeyTailBytes;
      last = static_cast<uint8_t>((*key)[shared]) ^ flip;
    }
    next += 3;
    const uint8_t byte = static_cast<uint8_t>(*next) ^ flip;
    if (limit - next < rest || byte <= last ||
        !HasPlainValue(static_cast<uint8_t>(next[type_at]))) {
      break;
    }
    last = byte;
    suffix = next;
    p = next + rest;
    ++n;
  }
  if (suffix != nullptr) CopySuffix(suffix, size - shared, key, shared);
  *num_entries += n;
  return p;
}

// The key is where the last one was: each suffix is written over it. No load
// wider than a byte touches what has just been stored.
bool EntryProof::PassRest(uint64_t* num_entries) {
  if (failed_ || p_ >= view_.limit()) return proven();
  ShortKey key;
  size_t size = last_size_;
  if (size != 0) std::memcpy(key.data(), keys_->back().data(), kLongest);
  const char* const limit = view_.limit();
  const size_t smallest_key = order_.smallest_key();
  const bool rising = order_.AscendsAt(0, 1);
  const bool of_bytes = rising || order_.AscendsAt(1, 0);
  const uint8_t flip = rising ? 0 : 0xff;
  uint64_t n = 0;
  const char* p = p_;
  while (p < limit) {
    EntryHeader header;
    const char* const suffix = DecodeHeader(p, limit, &header);
    if (suffix == nullptr) [[unlikely]]
      return Fail();
    const size_t shared = header.shared;
    if (shared == 0) PassRestart(p);
    const size_t last_size = std::exchange(size, shared + header.non_shared);
    if (shared > last_size || size > kLongest || size < smallest_key)
        [[unlikely]] {
      return Fail();
    }
    // Where both keys have other bytes than those of timestamp and tail there.
    const bool ascends = of_bytes &&
                         shared + smallest_key < std::min(size, last_size) &&
                         (static_cast<uint8_t>(key[shared]) ^ flip) <
                             (static_cast<uint8_t>(*suffix) ^ flip);
    if (!ascends && !SuffixSortsBehind(key.data(), last_size, suffix, header))
        [[unlikely]]
      return Fail();
    CopySuffix(suffix, header.non_shared, &key, shared);
    const auto type = static_cast<uint8_t>(
        header.non_shared >= kInternalKeyTailBytes
            ? suffix[header.non_shared - kInternalKeyTailBytes]
            : key[size - kInternalKeyTailBytes]);
    if (!HasPlainValue(type)) [[unlikely]]
      return Fail();
    p = suffix + header.non_shared + header.value_size;
    ++n;
    if (of_bytes) p = PassAlike(p, flip, size, &key, &n);
  }
  *num_entries += n;
  p_ = p;
  std::memcpy(keys_->bytes_.data() + kLongest, key.data(), kLongest);
  keys_->sizes_[0] = static_cast<uint32_t>(size);
  keys_->size_ = 1;
  last_size_ = size;
  return proven();
}

}  // namespace ashlar::internal
