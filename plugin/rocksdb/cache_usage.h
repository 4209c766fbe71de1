// RocksDB's CacheUsageOptions as Ashlar's.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CACHE_USAGE_H_
#define ASHLAR_PLUGIN_ROCKSDB_CACHE_USAGE_H_

#include "ashlar/cache/cache_usage_options.h"
#include "rocksdb/table.h"

namespace ashlar_rocksdb {

ashlar::CacheUsageOptions CacheUsageFrom(
    const rocksdb::CacheUsageOptions& theirs);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CACHE_USAGE_H_
