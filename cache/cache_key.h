// CacheKey: the 16 bytes that name an entry of a cache.
//
// Used by Cache. A reader makes the keys of a table's blocks in two steps: the
// key of the file (FileCacheKey in table/entry/table_identity.h), and from it
// the key of each block. An application may use any other 16 bytes for its own
// entries. A plain value. Not RocksDB's cache key: the bytes differ.
//
// Why different blocks have different keys. Within a file, blocks have
// different offsets, which are in the second word. Two files of the same
// database and session have different file numbers, which are XORed into the
// first word. So none of their blocks share a key.
//
// Two files of different sessions or databases get both words from hashes of
// different identities. Their first words are equal with a probability of
// 2^-64. The upper 26 bits of their second words, which no offset below 2^40
// bytes changes, are equal with a probability of 2^-26. So two such files share
// a key with a probability of 2^-90, and any two of 2^30 files with one below
// 2^-31. The hash protects against chance, not against an application that
// chooses its identities to make keys collide.
#ifndef ASHLAR_CACHE_CACHE_KEY_H_
#define ASHLAR_CACHE_CACHE_KEY_H_

#include <compare>
#include <cstdint>

namespace ashlar {

struct CacheKey {
  uint64_t file = 0;
  uint64_t block = 0;

  // Returns the key of the block at `offset` bytes. Call it on the key of a
  // file. Offsets are shifted right by 2 bits: blocks begin at least 5 bytes
  // apart, so two blocks never share a key. Requires: offset < 2^40.
  constexpr CacheKey AtOffset(uint64_t offset) const {
    return {file, block ^ (offset >> 2)};
  }

  // Returns whether this is the key of the block at some offset of the file
  // whose key `file_key` is.
  constexpr bool IsOfFile(const CacheKey& file_key) const {
    return file == file_key.file &&
           (block ^ file_key.block) >> kOffsetBits == 0;
  }

  // Returns a key for a file that has no identity. Both arguments must be fresh
  // random words: only chance makes the key unique. No other process makes the
  // same key, so entries under it are of no use after a restart.
  static constexpr CacheKey Temporary(uint64_t random_file,
                                      uint64_t random_block) {
    constexpr uint64_t kOffsets = (uint64_t{1} << kOffsetBits) - 1;
    return {random_file, Mark(random_file) | (random_block & kOffsets)};
  }
  // Returns whether this key, or that of its file, is from Temporary. A key
  // made of an identity looks like one with a probability of 2^-26.
  constexpr bool IsTemporary() const {
    return block >> kOffsetBits == Mark(file) >> kOffsetBits;
  }

  constexpr auto operator<=>(const CacheKey&) const = default;

 private:
  // The bits of the second word that offsets of a file may change.
  static constexpr int kOffsetBits = 38;
  // Returns the upper bits of the second word of a temporary key.
  static constexpr uint64_t Mark(uint64_t file) {
    return file * 0x9e3779b97f4a7c15 >> kOffsetBits << kOffsetBits;
  }
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_KEY_H_
