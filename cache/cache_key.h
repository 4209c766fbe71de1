// CacheKey: the 16 bytes that name an entry of a cache.
//
// For blocks of tables: a key of the file (FileCacheKey, in
// table/table_identity.h), and from it the key of each block. A plain value.
//
// Why keys of different blocks differ (FORMAT.md, section 12, has the words).
// In one session of one database, files differ in their numbers, which are
// XORed into the first word, and blocks in their offsets, in the second: no two
// keys are equal. Between sessions, machines or databases, the first word
// differs by 64 random bits of session and database, the second by the reversed
// session, whose upper end meets no offset: for files of less than 2^40 bytes
// 26 bits more. Two files share a key with a chance of 2^-90, any two of 2^30
// files with one of 2^-31.
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
