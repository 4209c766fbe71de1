// Values as a second tier keeps them:
//
//   bytes that the value saved of itself | fixed64 checksum
//
// Used by JoinedTiers. The checksum is of the bytes, under their key and role.
// So neither damaged bytes nor those of another entry are taken for the value.
// Pure functions: thread-safe.
#ifndef ASHLAR_CACHE_SECONDARY_SAVED_VALUE_H_
#define ASHLAR_CACHE_SECONDARY_SAVED_VALUE_H_

#include <optional>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/slice.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Saves the value into *out, which is overwritten. Returns false if there is no
// memory.
[[nodiscard]] bool SaveValue(const CacheKey& key, const void* value,
                             const CacheItemOps& ops, Buffer* out);

// Returns the bytes that the value saved of itself. Returns nullopt if these
// are other bytes.
std::optional<Slice> OpenSavedValue(const CacheKey& key, CacheEntryRole role,
                                    const Slice& saved);

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_SECONDARY_SAVED_VALUE_H_
