// One entry of a key/value block.
//
//   varint32 shared | varint32 non_shared | varint32 value_size
//   | key bytes [non_shared] | value [value_size]
//
// In a block that stores values apart from the keys:
//
//   varint32 shared | varint32 non_shared | varint32 value_size
//   | [varint32 value_offset, at restart points] | key bytes [non_shared]
//
// Used by everything that reads blocks. Pure functions: thread-safe. They trust
// no byte.
#ifndef ASHLAR_TABLE_BLOCK_ENTRY_H_
#define ASHLAR_TABLE_BLOCK_ENTRY_H_

#include <cstdint>

#include "util/coding/coding.h"

namespace ashlar::internal {

struct EntryHeader {
  uint32_t shared = 0;
  uint32_t non_shared = 0;
  uint32_t value_size = 0;
};

// Decodes the three numbers at p. Returns where they end; null if they do not
// end at or before `limit`.
inline const char* DecodeEntryNumbers(const char* p, const char* limit,
                                      EntryHeader* header) {
  p = DecodeVarint32(p, limit, &header->shared);
  if (p == nullptr) return nullptr;
  p = DecodeVarint32(p, limit, &header->non_shared);
  if (p == nullptr) return nullptr;
  return DecodeVarint32(p, limit, &header->value_size);
}

// Decodes the header at p, and checks that key bytes and value end at or before
// `limit`. Returns where the key bytes begin; null if the entry is damaged.
inline const char* DecodeEntryHeader(const char* p, const char* limit,
                                     EntryHeader* header) {
  constexpr uint8_t kOneByte = 0x80;
  if (limit - p >= 3) [[likely]] {
    const auto shared = static_cast<uint8_t>(p[0]);
    const auto non_shared = static_cast<uint8_t>(p[1]);
    const auto value_size = static_cast<uint8_t>(p[2]);
    if ((shared | non_shared | value_size) < kOneByte) [[likely]] {
      *header = {shared, non_shared, value_size};
      p += 3;
      return limit - p >= non_shared + value_size ? p : nullptr;
    }
  }
  p = DecodeEntryNumbers(p, limit, header);
  if (p == nullptr) return nullptr;
  const uint64_t needed = uint64_t{header->non_shared} + header->value_size;
  return static_cast<uint64_t>(limit - p) >= needed ? p : nullptr;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_ENTRY_H_
