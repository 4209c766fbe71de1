// CacheKey: the 16 bytes that name an entry of a cache.
//
// For blocks of tables: a key of the file (FileCacheKey, in
// table/entry/table_identity.h), and from it the key of each block. A plain
// value.
//
// Why keys of different blocks differ. Within a file, offsets differ in the
// second word. Two files with the same database and session differ in their
// file numbers, which are XORed into the first word, so none of their blocks
// share a key. Two files of different sessions or databases have first and
// second words that are hashes of different identities: their first words are
// equal with a chance of 2^-64, and the upper 26 bits of their second words,
// which no offset below 2^40 bytes reaches, with one of 2^-26. So two such
// files share a key with a chance of 2^-90, and any two of 2^30 files with one
// below 2^-31. The hash holds against chance, not against an application that
// chooses its identities in order to make keys meet.
#ifndef ASHLAR_CACHE_CACHE_KEY_H_
#define ASHLAR_CACHE_CACHE_KEY_H_

#include <compare>
#include <cstdint>

namespace ashlar {

struct CacheKey {
  uint64_t file = 0;
  uint64_t block = 0;

  // From the key of a file to that of its block at this offset. Blocks are at
  // least 5 bytes apart, so those of 4 bytes may share one.
  constexpr CacheKey AtOffset(uint64_t offset) const {
    return {file, block ^ (offset >> 2)};
  }

  constexpr auto operator<=>(const CacheKey&) const = default;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_KEY_H_
