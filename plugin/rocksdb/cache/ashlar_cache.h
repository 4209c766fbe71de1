// NewAshlarCache: a rocksdb::Cache whose entries are in an ashlar::Cache.
//
// For applications that run RocksDB on Ashlar. One budget of memory then serves
// the blocks that Ashlar's table readers load, the blocks that RocksDB's own
// readers load, RocksDB's blob cache, its write buffer manager and its
// reservations. It replaces HyperClockCacheOptions::MakeSharedCache:
//
//   ashlar_rocksdb::AshlarCacheOptions options;
//   options.hyper_clock.capacity = size_t{4} << 30;
//   std::shared_ptr<rocksdb::Cache> cache;
//   rocksdb::Status s = ashlar_rocksdb::NewAshlarCache(options, &cache);
//   table_options.block_cache = cache;
//
// Keys have 16 bytes, as those of RocksDB's hyper clock cache: Insert returns
// NotSupported for others, and Lookup finds none. So it serves wherever that
// cache does, but not as a row cache.
//
// Thread safety: as rocksdb::Cache. Compiled with the flags of the RocksDB that
// it is linked to, and only for the release that docs/rocksdb-plugin.md names.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CACHE_ASHLAR_CACHE_H_
#define ASHLAR_PLUGIN_ROCKSDB_CACHE_ASHLAR_CACHE_H_

#include <cstddef>
#include <memory>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/secondary_cache.h"
#include "ashlar/util/export.h"
#include "rocksdb/advanced_cache.h"
#include "rocksdb/cache.h"
#include "rocksdb/status.h"

namespace ashlar_rocksdb {

struct AshlarCacheOptions {
  // What RocksDB's hyper clock cache is made from. All fields count, with these
  // differences: num_shard_bits is at most 16; -1 makes shards of at least 512
  // MiB, not 32 MiB, so that large blocks fit; and memory for the table is
  // charged by entry. With estimated_entry_charge 0, the table grows.
  rocksdb::HyperClockCacheOptions hyper_clock{size_t{32} << 20};

  // ashlar::HyperClockCacheOptions::admission: scans and compactions do not
  // replace entries that are in use.
  bool admission = false;

  // A second tier of Ashlar's for what the cache evicts. Null: none. Serves the
  // entries of Ashlar's readers, and those of RocksDB that it can save.
  // RocksDB's own kind of second tier is hyper_clock.secondary_cache. With that
  // one UnderlyingCache returns null, since it must see every lookup.
  std::shared_ptr<ashlar::SecondaryCache> second_tier;
};

// Sets *cache to a new cache. Returns InvalidArgument if an option is out of
// range, MemoryLimit if there is no memory or address space for the table.
ASHLAR_EXPORT rocksdb::Status NewAshlarCache(
    const AshlarCacheOptions& options, std::shared_ptr<rocksdb::Cache>* cache);

// Returns the ashlar::Cache of a cache that NewAshlarCache made, for table
// readers of Ashlar. Returns null for any other cache, also for one that wraps
// such a cache: use NewForeignCache (foreign_cache.h) for these. The result
// keeps `cache` alive, since entries of both are in one table.
ASHLAR_EXPORT std::shared_ptr<ashlar::Cache> UnderlyingCache(
    rocksdb::Cache* cache);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CACHE_ASHLAR_CACHE_H_
