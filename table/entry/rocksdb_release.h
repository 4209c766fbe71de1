// RocksDBRelease: which release of RocksDB can read which tables.
//
// For applications that share tables with a RocksDB of a known release.
// TableOptions::target_rocksdb keeps a builder from writing what that release
// cannot read; OldestRocksDBFor says which release a file needs. Both go by one
// list of format versions and features, each with the first release that reads
// it.
//
// OldestRocksDBFor cannot see what neither format version, checksum type nor
// properties show, such as partitioned filters. Plain values and pure
// functions: thread-safe.
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

// Parses "7.8", or "7.8.3", whose last number is ignored. Returns nothing for
// any other text.
ASHLAR_EXPORT std::optional<RocksDBRelease> ParseRocksDBRelease(
    std::string_view text);
// Returns the release as text: "7.8".
ASHLAR_EXPORT std::string ToString(const RocksDBRelease& release);

// Returns the oldest release that can read a file with this format version,
// checksum type and properties. If `checksum` is absent or `properties` is
// null, the answer goes by the others alone. Returns nothing for format
// versions 0 and 1, which RocksDB stopped reading in 11.0, and for versions
// that Ashlar does not know.
ASHLAR_EXPORT std::optional<RocksDBRelease> OldestRocksDBFor(
    uint32_t format_version, std::optional<ChecksumType> checksum,
    const TableProperties* properties);

namespace internal {

// Returns the newest format version that the release reads and that Ashlar
// writes; 0 if there is none.
uint32_t NewestFormatVersionOf(const RocksDBRelease& release);

// Returns InvalidArgument, which names feature and release, if the options ask
// for something that the release cannot read.
Status CheckReadableBy(const TableOptions& options,
                       const RocksDBRelease& release);

}  // namespace internal

}  // namespace ashlar

#endif  // ASHLAR_TABLE_ENTRY_ROCKSDB_RELEASE_H_
