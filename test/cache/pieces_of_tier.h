// The memory of the pieces of a compressed second tier: how much it is, and
// damage to it as by a stray write.
#ifndef ASHLAR_TEST_CACHE_PIECES_OF_TIER_H_
#define ASHLAR_TEST_CACHE_PIECES_OF_TIER_H_

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstddef>
#include <cstring>

#include "cache/lru/lru_entry.h"
#include "cache/secondary/compressed_secondary_cache.h"

namespace ashlar::testing {

// A piece begins with a header: the number of its bytes and its codec.
inline constexpr size_t kPieceHeaderBytes = 16;

// Returns what the pieces take from malloc, with its own field in front of
// each, and in the table. A port that cannot ask malloc counts what each piece
// asked for, which the header says.
inline size_t BytesOfPieces(SecondaryCache* tier) {
  size_t bytes = 0;
  static_cast<internal::CompressedSecondaryCache*>(tier)->pieces().ForEachEntry(
      [&bytes](const CacheEntryView& entry) {
#if defined(ASHLAR_POSIX_SUBSET)
        size_t size;
        std::memcpy(&size, entry.value, sizeof(size));
        bytes += kPieceHeaderBytes + size;
#else
        bytes += ::malloc_usable_size(entry.value);
#endif
        bytes += sizeof(size_t) + internal::kLruMetadataBytes;
      });
  return bytes;
}

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

// Gives the only piece of `tier` the compressed bytes of the only piece of
// `other`, of which there must be as many.
inline void ReplacePieces(SecondaryCache* tier, SecondaryCache* other) {
  const auto piece_of = [](SecondaryCache* of) {
    char* piece = nullptr;
    static_cast<internal::CompressedSecondaryCache*>(of)->pieces().ForEachEntry(
        [&piece](const CacheEntryView& entry) {
          piece = static_cast<char*>(entry.value);
        });
    return piece;
  };
  size_t size;
  std::memcpy(&size, piece_of(other), sizeof(size));
  ASSERT_EQ(std::memcmp(piece_of(tier), &size, sizeof(size)), 0);
  std::memcpy(piece_of(tier) + kPieceHeaderBytes,
              piece_of(other) + kPieceHeaderBytes, size);
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_PIECES_OF_TIER_H_
