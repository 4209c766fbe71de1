// Values as a second tier keeps them.
//
//   bytes that the value saved of itself | fixed64 checksum
//
// The checksum is of the bytes under their key and role, so that neither
// damage nor another entry's bytes are taken for a value. Pure functions.
#ifndef ASHLAR_CACHE_SECONDARY_SAVED_VALUE_H_
#define ASHLAR_CACHE_SECONDARY_SAVED_VALUE_H_

#include <optional>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/slice.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Into *out, which is overwritten. False: no memory.
[[nodiscard]] bool SaveValue(const CacheKey& key, const void* value,
                             const CacheItemOps& ops, Buffer* out);

// What the value saved of itself; none: these are other bytes.
std::optional<Slice> OpenSavedValue(const CacheKey& key, CacheEntryRole role,
                                    const Slice& saved);

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_SECONDARY_SAVED_VALUE_H_
