// Damages the memory of a compressed second tier, as a stray write does.
#ifndef ASHLAR_TEST_CACHE_DAMAGE_PIECES_H_
#define ASHLAR_TEST_CACHE_DAMAGE_PIECES_H_

#include <malloc.h>

#include <cstddef>
#include <cstring>

#include "cache/secondary/compressed_secondary_cache.h"

namespace ashlar::testing {

// A piece begins with a header: the number of its bytes and its codec.
inline constexpr size_t kPieceHeaderBytes = 16;

// Overwrites all pieces of the tier with bytes that no codec accepts. Returns
// the number of pieces. Requires a tier that allocates with malloc.
inline size_t DamagePieces(SecondaryCache* tier) {
  size_t pieces = 0;
  static_cast<internal::CompressedSecondaryCache*>(tier)->pieces().ForEachEntry(
      [&pieces](const CacheEntryView& entry) {
        std::memset(static_cast<char*>(entry.value) + kPieceHeaderBytes, 0xff,
                    ::malloc_usable_size(entry.value) - kPieceHeaderBytes);
        ++pieces;
      });
  return pieces;
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_DAMAGE_PIECES_H_
