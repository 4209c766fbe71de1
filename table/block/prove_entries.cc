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

// As many ones as zeros behind them.
constexpr auto kKeep = [] {
  std::array<char, 2 * kLongest> bytes{};
  std::fill_n(bytes.begin(), kLongest, '\xff');
  return bytes;
}();

// Null where the entry is damaged.
inline const char* DecodeHeader(const char* p, const char* limit,
                                EntryHeader* header) {
  // The restart points stand behind the entries.
  constexpr uint32_t kLongVarints = 0x808080;
  const uint32_t word = LoadFixed32(p);
  if ((word & kLongVarints) != 0) [[unlikely]] {
    return DecodeEntryHeader(p, limit, header);
  }
  *header = {word & 0xff, word >> 8 & 0xff, word >> 16 & 0xff};
  p += 3;
  return limit - p >= ptrdiff_t{header->non_shared} + header->value_size
             ? p
             : nullptr;
}

}  // namespace

bool EntryProof::SortsBehind(size_t last_size, size_t i) const {
  if (last_size == 0) return true;
  const char* const key = keys_->bytes_.data() + (i + 1) * kLongest;
  return Ascend(Slice(key - kLongest, last_size), Slice(key, keys_->sizes_[i]));
}

// Most differ in words of both user keys.
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
    const size_t size = shared + header.non_shared;
    if (shared > last_size || size > kLongest || size < smallest_key)
        [[unlikely]] {
      return Fail();
    }
    // The key before is not longer than all that lies before the suffix, so
    // that `shared` bytes do.
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
    if (!IsDataBlockType(type)) [[unlikely]]
      return Fail();
    last_size = size;
    p = suffix + header.non_shared + header.value_size;
  }
  keys_->size_ = n;
  last_size_ = last_size;
  p_ = p;
  return true;
}

// Whether the key that the entry makes of the one before sorts behind it.
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

// Of an entry that ends at *p, and shares as much with the one before: passes
// those behind it that are like it but for value and key bytes, and each of
// which is told from the last by its first byte. Returns the suffix of the last
// one; null where there is none. Where values are of one size too, nothing that
// is loaded tells where the next entry is, so that the processor goes ahead.
inline const char* PassAlike(const EntryHeader& header, const char* limit,
                             uint8_t flip, const char* suffix, const char** p,
                             uint64_t* num_entries) {
  constexpr uint32_t kHeader = 0xffffff;
  constexpr uint32_t kKeySizes = 0x80ffff;
  const uint32_t key_sizes = header.shared | header.non_shared << 8;
  const size_t type_at = header.non_shared - kInternalKeyTailBytes;
  uint32_t expected = kHeader;
  ptrdiff_t rest = 0;
  uint8_t last = static_cast<uint8_t>(*suffix) ^ flip;
  const char* passed = nullptr;
  const char* next = *p;
  uint64_t n = 0;
  while (next < limit) {
    const uint32_t word = LoadFixed32(next) & kHeader;
    if (word != expected) [[unlikely]] {
      if ((word & kKeySizes) != key_sizes) break;
      expected = word;
      rest = ptrdiff_t{header.non_shared} + (word >> 16);
    }
    next += 3;
    const uint8_t byte = static_cast<uint8_t>(*next) ^ flip;
    if (limit - next < rest || byte <= last ||
        !IsDataBlockType(static_cast<uint8_t>(next[type_at]))) {
      break;
    }
    last = byte;
    passed = next;
    next += rest;
    *p = next;
    ++n;
  }
  *num_entries += n;
  return passed;
}

// The key lies where the last one was, each suffix being written over it: no
// wider load than of a byte comes to what has just been stored.
bool EntryProof::PassRest(uint64_t* num_entries) {
  if (failed_ || p_ >= view_.limit()) return !failed_;
  char key[2 * kLongest];
  size_t size = last_size_;
  if (size != 0) std::memcpy(key, keys_->back().data(), kLongest);
  const char* const limit = view_.limit();
  const char* const last_wide = view_.restarts - kLongest;
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
    if (!ascends && !SuffixSortsBehind(key, last_size, suffix, header))
        [[unlikely]]
      return Fail();
    if (suffix <= last_wide) [[likely]] {
      std::memcpy(key + shared, suffix, kLongest);
    } else {
      std::memcpy(key + shared, suffix, header.non_shared);
    }
    const auto type = static_cast<uint8_t>(
        header.non_shared >= kInternalKeyTailBytes
            ? suffix[header.non_shared - kInternalKeyTailBytes]
            : key[size - kInternalKeyTailBytes]);
    if (!IsDataBlockType(type)) [[unlikely]]
      return Fail();
    p = suffix + header.non_shared + header.value_size;
    ++n;
    if (!of_bytes || shared + smallest_key >= size) continue;
    const char* const last = PassAlike(header, limit, flip, suffix, &p, &n);
    if (last != nullptr) std::memcpy(key + shared, last, header.non_shared);
  }
  *num_entries += n;
  p_ = p;
  std::memcpy(keys_->bytes_.data() + kLongest, key, kLongest);
  keys_->sizes_[0] = static_cast<uint32_t>(size);
  keys_->size_ = 1;
  last_size_ = size;
  return true;
}

}  // namespace ashlar::internal
