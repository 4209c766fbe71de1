// RocksDB's caches as policies, if a RocksDB is set up.
//
// They are in the library that is loaded for this
// (tools/bench/rocksdb_sim_cache.cc), with options that match ours. It is an
// error to ask for one if the library is missing.
#ifndef ASHLAR_TOOLS_CACHE_SIM_ROCKSDB_CACHE_H_
#define ASHLAR_TOOLS_CACHE_SIM_ROCKSDB_CACHE_H_

#include <memory>

#include "ashlar/util/result.h"
#include "tools/cache_sim/policy.h"
#include "tools/cache_sim/trace.h"

namespace ashlar::sim {

enum class RocksDbCacheType : uint8_t { kClock, kGrowingClock, kLru };

// The function that the library exports, and its name. It returns null if
// RocksDB could not make the cache.
using RocksDbCacheFactory = Policy* (*)(RocksDbCacheType type,
                                        const PolicyOptions& options);
inline constexpr char kRocksDbCacheFactory[] = "AshlarSimCache";

Result<std::unique_ptr<Policy>> MakeRocksDbClock(const PolicyOptions& options,
                                                 const Trace& trace);
Result<std::unique_ptr<Policy>> MakeRocksDbGrowingClock(
    const PolicyOptions& options, const Trace& trace);
Result<std::unique_ptr<Policy>> MakeRocksDbLru(const PolicyOptions& options,
                                               const Trace& trace);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_ROCKSDB_CACHE_H_
