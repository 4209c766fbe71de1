// ForeignCache: an ashlar::Cache whose entries are in a rocksdb::Cache.
//
// For table readers of Ashlar that run under RocksDB with the user's own block
// cache, whatever kind it is. All blocks are then in that cache: they count
// against its capacity, its statistics show them by role, and a second tier
// behind it gets them. If the cache is one of NewAshlarCache, UnderlyingCache
// (ashlar_cache.h) is faster.
//
// It does what the user's cache does where ashlar::Cache says otherwise:
//
// - If a key is present, RocksDB's LRU cache replaces its value.
// - There are no slots, so slot hints are left alone.
// - Eviction callbacks set here are not called: the user's cache has its own.
// - LookupSecondary with fill_cache false may still put the value back.
// - ForEachEntry shows the entries of Ashlar alone, and counts as a use.
//
// Thread safety: as ashlar::Cache. Entries outlive the ForeignCache: they stay
// in the user's cache, where another ForeignCache finds them.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CACHE_FOREIGN_CACHE_H_
#define ASHLAR_PLUGIN_ROCKSDB_CACHE_FOREIGN_CACHE_H_

#include <memory>

#include "ashlar/cache/cache.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "rocksdb/advanced_cache.h"

namespace ashlar_rocksdb {

// Returns a cache over `cache`, which it keeps alive. Returns InvalidArgument
// if `cache` is null. Returns NotSupported if `cache` returns another handle
// each time that it is asked for one entry. None of RocksDB's caches does.
ASHLAR_EXPORT ashlar::Result<std::shared_ptr<ashlar::Cache>> NewForeignCache(
    std::shared_ptr<rocksdb::Cache> cache);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CACHE_FOREIGN_CACHE_H_
