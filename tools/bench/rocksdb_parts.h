// What the RocksDB engine needs of RocksDB's inner classes.
//
// Apart, because classes derived from RocksDB's, or calling its hidden
// interfaces, are compiled without RTTI, as the ready-built library is.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_PARTS_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_PARTS_H_

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <cstdint>
#include <memory>

namespace ashlar::bench {

// Writable files of this environment swallow what they are given.
std::unique_ptr<rocksdb::Env> NewNullEnv();

// RocksDB's own filters: the current Bloom filter, or Ribbon.
class RocksDbFilter {
 public:
  RocksDbFilter(double bits_per_key, bool ribbon);
  ~RocksDbFilter();
  void AddKey(const rocksdb::Slice& key);
  // Bytes of the filter.
  uint64_t Finish();
  // After Finish: how many of these keys it may hold.
  uint64_t CountMatches(rocksdb::Slice** keys, int n) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_PARTS_H_
