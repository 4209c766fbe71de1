// Replaces rocksdb::HyperClockCacheOptions::MakeSharedCache in programs that
// preload the shared object which contains this file. Each hyper clock cache
// that such a program makes, also the one that RocksDB makes by default, is
// then one of NewAshlarCache.
//
// Part of preloaded objects alone: a program that is linked to this file would
// have the function twice.
#include <dlfcn.h>

#include <memory>
#include <utility>

#include "ashlar_cache.h"
#include "cache/sharded_cache.h"
#include "rocksdb/cache.h"

namespace {

using CachePointer = std::shared_ptr<rocksdb::Cache>;

// A member function without arguments is called as a function of the object.
using Replaced = CachePointer (*)(const rocksdb::HyperClockCacheOptions*);

Replaced FindReplaced() {
  return reinterpret_cast<Replaced>(dlsym(
      RTLD_NEXT, "_ZNK7rocksdb22HyperClockCacheOptions15MakeSharedCacheEv"));
}

}  // namespace

namespace rocksdb {

// Makes as many shards as RocksDB does, since the program may depend on that.
__attribute__((visibility("default"))) std::shared_ptr<Cache>
HyperClockCacheOptions::MakeSharedCache() const {
  constexpr size_t kLeastShardBytes = size_t{32} << 20;
  ashlar_rocksdb::AshlarCacheOptions options;
  options.hyper_clock = *this;
  if (num_shard_bits < 0) {
    options.hyper_clock.num_shard_bits =
        GetDefaultCacheShardBits(capacity, kLeastShardBytes);
  }
  CachePointer made;
  if (ashlar_rocksdb::NewAshlarCache(options, &made).ok()) return made;
  // What Ashlar refuses, such as 2^17 shards, RocksDB may accept.
  static const Replaced replaced = FindReplaced();
  return replaced == nullptr ? nullptr : replaced(this);
}

}  // namespace rocksdb
