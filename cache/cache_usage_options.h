// CacheUsageOptions: which memory outside of a block cache counts against the
// cache's capacity.
//
// A cache's capacity then bounds more than cached blocks. Memory of a role that
// is charged is reserved in the cache before it is used, and the cache evicts
// blocks to make room. If the cache has a strict limit and no room, what needed
// the memory fails with MemoryLimit, which names the role, the bytes and the
// capacity. All charges of one role in one cache share reservations of 256 KiB
// (cache/memory_reservation.h): of all users of the role together, at most 512
// KiB more than their sum are charged, and nothing if the sum is 0.
//
// The names are RocksDB's. What each role covers, and whether it is charged by
// default:
//
//   kCompressionDictionaryBuildingBuffer   default: charged
//     Builders: blocks that wait for a compression dictionary, and its samples.
//     If there is no room, the build goes on: the dictionary is made of the
//     blocks that there are, as in RocksDB.
//   kWriteBuffer                           default: charged
//     Builders: buffers of blocks on their way to the file, the index, and
//     range deletions. Not the state of codecs, nor stacks of threads. (In
//     RocksDB memtables are charged under this role, by another option.)
//   kFilterConstruction                    default: not charged
//     Builders: hashes of keys, the equations of a Ribbon filter, and filters
//     until they are written. If there is no room, the build fails. RocksDB
//     makes a Bloom filter instead of a Ribbon filter then; here the kind of
//     filter never depends on what else is in the cache.
//   kBlockBasedTableReader                 default: not charged
//     TableReader: what TableReader::MemoryUsage counts, and slot hints that
//     may be made later. If there is no room, opening fails, and so do reads
//     that need an index, a filter or a partition which the reader would keep.
//   kFileMetadata                          default: not charged
//     TableCache: its record of each open table. If there is no room, Find
//     fails.
//   kReadAhead, kIterator                  default: not charged
//     Iterators over tables: what they read ahead of the file, and blocks that
//     are not in the cache. If there is no room, the iterator's status says so.
//     RocksDB has no such roles.
//
// What is in the cache is charged there already, and never here.
//
// Plain values: thread-safe to read.
#ifndef ASHLAR_CACHE_CACHE_USAGE_OPTIONS_H_
#define ASHLAR_CACHE_CACHE_USAGE_OPTIONS_H_

#include <cstdint>
#include <map>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/util/export.h"
#include "ashlar/util/status.h"

namespace ashlar {

class Cache;

// What is charged of one role.
struct CacheEntryRoleOptions {
  // What a rule says of a role.
  enum class Decision : uint8_t {
    kEnabled,
    kDisabled,
    kFallback,  // what the next lower rule of CacheUsageOptions says
  };
  // Whether memory of the role is charged to the block cache.
  Decision charged = Decision::kFallback;

  friend bool operator==(const CacheEntryRoleOptions&,
                         const CacheEntryRoleOptions&) = default;
};

struct CacheUsageOptions {
  // For all roles that can be charged, unless options_overrides says more.
  // Default: kFallback, each role's own default above.
  CacheEntryRoleOptions options;
  // For single roles. Default: none.
  std::map<CacheEntryRole, CacheEntryRoleOptions> options_overrides;

  friend bool operator==(const CacheUsageOptions&,
                         const CacheUsageOptions&) = default;

  // Returns whether memory of this role is charged, if there is a block cache.
  // Always false for roles that cannot be charged.
  ASHLAR_EXPORT bool Charges(CacheEntryRole role) const;

  // Returns NotSupported if options_overrides enables or disables a role that
  // cannot be charged, and InvalidArgument if a role is enabled and
  // `block_cache` is null. A builder accepts roles that only readers charge,
  // and a reader those of builders.
  ASHLAR_EXPORT Status Validate(const Cache* block_cache) const;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_CACHE_USAGE_OPTIONS_H_
