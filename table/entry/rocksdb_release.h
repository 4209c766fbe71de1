// Releases of RocksDB, and since which one what of a table is read.
//
// One table says it, a row for each format version and each feature;
// TableOptions::Validate asks it for what an application wishes,
// the program for what a file has. Pure functions: thread-safe.
#ifndef ASHLAR_TABLE_ENTRY_ROCKSDB_RELEASE_H_
#define ASHLAR_TABLE_ENTRY_ROCKSDB_RELEASE_H_

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar {

struct TableOptions;
struct TableProperties;

struct RocksDBRelease {
  uint32_t major = 0;
  uint32_t minor = 0;

  friend constexpr auto operator<=>(const RocksDBRelease&,
                                    const RocksDBRelease&) = default;
};

// "7.8", or "7.8.3", whose last number does not matter.
ASHLAR_EXPORT std::optional<RocksDBRelease> ParseRocksDBRelease(
    std::string_view text);
// "7.8"
ASHLAR_EXPORT std::string ToString(const RocksDBRelease& release);

// The oldest release that reads a file of this kind, as far as format version,
// checksum type and properties tell; null properties: there are none. Empty
// for format versions 0 and 1, which 11.0 stopped reading, and unknown ones.
ASHLAR_EXPORT std::optional<RocksDBRelease> OldestRocksDBFor(
    uint32_t format_version, std::optional<ChecksumType> checksum,
    const TableProperties* properties);

namespace internal {

// The newest format version that the release reads; 0 where it reads none
// that is written.
uint32_t NewestFormatVersionOf(const RocksDBRelease& release);

// InvalidArgument, naming feature and release, where the options ask for what
// the release does not read.
Status CheckReadableBy(const TableOptions& options,
                       const RocksDBRelease& release);

}  // namespace internal

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_ROCKSDB_RELEASE_H_
