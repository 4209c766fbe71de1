// TableIdentity: the properties that tell one table file from all others.
//
// BuildOptions has one. By default a builder draws a new identity for each
// file. A caller that needs reproducible files gives one: equal input, equal
// options and equal identity give equal bytes, whatever the number of threads.
// The functions derive the names by which RocksDB's tools and a block cache
// know a file.
//
// Plain values and pure functions: thread-safe. Nothing here checks that two
// files do have different identities.
#ifndef ASHLAR_TABLE_ENTRY_TABLE_IDENTITY_H_
#define ASHLAR_TABLE_ENTRY_TABLE_IDENTITY_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/cache/cache_key.h"
#include "ashlar/util/export.h"

namespace ashlar {

struct TableIdentity {
  // Property rocksdb.creating.db.identity. Empty: "Ashlar" is written.
  std::string db_id;
  // Property rocksdb.creating.session.identity, 20 characters of base 36 as
  // EncodeSessionId makes them. Empty: drawn at random for this file.
  std::string db_session_id;
  // Property rocksdb.creating.host.identity. Empty: not written.
  std::string db_host_id;
  // Property rocksdb.original.file.number. 0: 1 is written. Files that are
  // given one db_session_id must have different numbers.
  uint64_t file_number = 0;
  // Properties rocksdb.creation.time and rocksdb.file.creation.time, in seconds
  // since 1970; 0 means unknown. Absent: the time when the builder is created.
  std::optional<uint64_t> creation_time;
  std::optional<uint64_t> file_creation_time;
  // Properties rocksdb.oldest.key.time and rocksdb.newest.key.time: when the
  // oldest and the newest entry were written, in seconds since 1970; 0 means
  // unknown.
  uint64_t oldest_key_time = 0;
  uint64_t newest_key_time = 0;
  // The footer's base_context_checksum, which goes into each block's checksum
  // (format_version 6 and later; earlier ones have none). 0 is InvalidArgument.
  // Absent: derived from db_id, db_session_id and file_number.
  std::optional<uint32_t> base_context_checksum;
};

// Returns an identity that depends on nothing but `seed` and the time: the
// session id is derived from the seed, file_number is 1, and creation_time and
// file_creation_time are time_seconds (seconds since 1970).
ASHLAR_EXPORT TableIdentity FixedTableIdentity(std::string_view seed,
                                               uint64_t time_seconds);

// Returns the session id that RocksDB makes of random bits: 20 digits of
// base 36, with upper-case letters. Requires: upper < 2^39. Larger ones do not
// fit, and lose their upper bits.
ASHLAR_EXPORT std::string EncodeSessionId(uint64_t upper, uint64_t lower);

// Returns the public unique id of a file, as RocksDB's tools print it: three
// words of 16 upper-case hexadecimal digits, joined by '-'. Empty if
// db_session_id is empty or file_number is 0. Takes the values of a file's
// TableProperties.
ASHLAR_EXPORT std::string UniqueIdText(std::string_view db_id,
                                       std::string_view db_session_id,
                                       uint64_t file_number);

// Returns the key of a file in a block cache that many files share. It depends
// on these three values alone, so it is the same in every process and wherever
// the file is copied to. The block at an offset of the file has the key
// CacheKey::AtOffset of that offset; cache/cache_key.h says why the keys of
// different blocks differ. RocksDB derives other keys from the same values.
ASHLAR_EXPORT CacheKey FileCacheKey(std::string_view db_id,
                                    std::string_view db_session_id,
                                    uint64_t file_number);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_TABLE_IDENTITY_H_
