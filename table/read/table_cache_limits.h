// The limits of a table cache, as those of the LRU cache in it. Thread-safe.
#ifndef ASHLAR_TABLE_READ_TABLE_CACHE_LIMITS_H_
#define ASHLAR_TABLE_READ_TABLE_CACHE_LIMITS_H_

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// Returns InvalidArgument for options that are out of bounds.
Status CheckTableCacheOptions(const TableCacheOptions& options);

// Requires: the options are in bounds.
LruCacheOptions TableCacheLimits(const TableCacheOptions& options);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_TABLE_CACHE_LIMITS_H_
