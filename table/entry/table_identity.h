// Who a table file is: the properties that tell one file from all others.
//
// Given in BuildOptions when a build must be reproducible: equal input, equal
// options and equal identity give equal bytes. Plain values and pure
// functions: thread-safe.
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
  // rocksdb.creating.db.identity. Empty: "Ashlar".
  std::string db_id;
  // rocksdb.creating.session.identity, 20 characters of base 36. Empty: drawn
  // at random for this file.
  std::string db_session_id;
  // rocksdb.creating.host.identity. Empty: not written.
  std::string db_host_id;
  // rocksdb.original.file.number. 0: 1 is written.
  uint64_t file_number = 0;
  // Seconds since 1970. Absent: now. 0: unknown.
  std::optional<uint64_t> creation_time;
  std::optional<uint64_t> file_creation_time;
  // Seconds since 1970 of the oldest and newest entry. 0: unknown.
  uint64_t oldest_key_time = 0;
  uint64_t newest_key_time = 0;
  // The footer's base_context_checksum (format_version >= 6), not 0. Absent:
  // derived from db_id, db_session_id and file_number.
  std::optional<uint32_t> base_context_checksum;
};

// An identity that depends on nothing but `seed` and the time: the session is
// derived from the seed and both times are set to `time_seconds`.
ASHLAR_EXPORT TableIdentity FixedTableIdentity(std::string_view seed,
                                               uint64_t time_seconds);

// The 20 characters that RocksDB would make of 128 random bits.
ASHLAR_EXPORT std::string EncodeSessionId(uint64_t upper, uint64_t lower);

// The public unique ID that RocksDB's tools print, as three hexadecimal words
// joined by '-'. Empty when session or file number are unknown.
ASHLAR_EXPORT std::string UniqueIdText(std::string_view db_id,
                                       std::string_view db_session_id,
                                       uint64_t file_number);

// Returns the key of a file in a cache that many files share: the same in every
// process and wherever the file goes, as its identity is. Its blocks have the
// keys AtOffset of it; cache/cache_key.h says why keys of different blocks
// differ. This derivation is Ashlar's own: RocksDB's keys are others.
ASHLAR_EXPORT CacheKey FileCacheKey(std::string_view db_id,
                                    std::string_view db_session_id,
                                    uint64_t file_number);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_TABLE_IDENTITY_H_
