// The functions by which an ashlar::Cache handles entries of RocksDB's: one
// ashlar::CacheItemOps for each CacheItemHelper of RocksDB.
//
// Used by the cache of NewAshlarCache. RocksDB passes a helper with each value,
// and its functions get the value alone; so do those of CacheItemOps. So that
// these functions know their helper, and a value needs no memory of its own for
// it, each helper of the process gets a number, and each number has functions
// of its own. Thread-safe; once a helper has a number, finding it takes no
// lock.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CACHE_ASHLAR_CACHE_OPS_H_
#define ASHLAR_PLUGIN_ROCKSDB_CACHE_ASHLAR_CACHE_OPS_H_

#include <cstddef>

#include "ashlar/cache/cache_entry.h"
#include "rocksdb/advanced_cache.h"

namespace ashlar_rocksdb {

using RocksDbItemOps = rocksdb::Cache::CacheItemHelper;

// How many helpers a process may use. RocksDB has some forty, all static.
inline constexpr size_t kMostItemOps = 256;

// Returns the operations of the entries of `helper`, which live forever. Their
// `create` takes a rocksdb::Cache::CreateContext, and their allocator must be
// null or an AllocatorOfRocksDb. Returns null if kMostItemOps others are in
// use.
const ashlar::CacheItemOps* OpsOf(const RocksDbItemOps* helper);

// Returns the helper whose operations these are. Returns null if they are not
// from OpsOf: then the entry is one of Ashlar.
const RocksDbItemOps* RocksDbOpsOf(const ashlar::CacheItemOps* ops);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CACHE_ASHLAR_CACHE_OPS_H_
