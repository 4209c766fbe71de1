#include "tools/cache_sim/rocksdb_cache.h"

#include <string>

#include "tools/bench/rocksdb_library.h"

namespace ashlar::sim {

namespace {

using MadePolicy = Result<std::unique_ptr<Policy>>;

MadePolicy Make(RocksDbCacheType type, const PolicyOptions& options) {
  std::string why;
  const auto factory = reinterpret_cast<RocksDbCacheFactory>(
      bench::FindInRocksDbLibrary(kRocksDbCacheFactory, 0, &why));
  if (factory == nullptr) {
    return Status::NotSupported(
        why + " (tools/interop/fetch_oracle sets RocksDB up)");
  }
  std::unique_ptr<Policy> made(factory(type, options));
  if (made == nullptr) {
    return Status::InvalidArgument(
        "RocksDB did not make a cache with these options");
  }
  return made;
}

}  // namespace

MadePolicy MakeRocksDbClock(const PolicyOptions& options,
                            const Trace& /*trace*/) {
  return Make(RocksDbCacheType::kClock, options);
}

MadePolicy MakeRocksDbGrowingClock(const PolicyOptions& options,
                                   const Trace& /*trace*/) {
  return Make(RocksDbCacheType::kGrowingClock, options);
}

MadePolicy MakeRocksDbLru(const PolicyOptions& options,
                          const Trace& /*trace*/) {
  return Make(RocksDbCacheType::kLru, options);
}

}  // namespace ashlar::sim
