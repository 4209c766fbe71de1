#include "table/block/prove_entries.h"

#include <algorithm>
#include <cstring>

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
  return order_.Compare(Slice(key - kLongest, last_size),
                        Slice(key, keys_->sizes_[i])) < 0;
}

bool EntryProof::Next() {
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
  for (; p < limit && n < ShortKeys::kMost; ++n) {
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

}  // namespace ashlar::internal
