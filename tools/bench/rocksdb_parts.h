// What the RocksDB engine uses of RocksDB's internal classes.
//
// This is a separate file, because code that derives from RocksDB's classes, or
// calls its hidden interfaces, must be compiled without RTTI, like the
// ready-built library.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_PARTS_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_PARTS_H_

#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/slice.h>

#include <cstdint>
#include <memory>

namespace ashlar::bench {

// Returns an environment whose writable files discard everything.
std::unique_ptr<rocksdb::Env> NewNullEnv();

// RocksDB's own filters: the current Bloom filter, or Ribbon.
class RocksDbFilter {
 public:
  RocksDbFilter(double bits_per_key, bool ribbon);
  ~RocksDbFilter();
  void AddKey(const rocksdb::Slice& key);
  // Builds the filter, and returns its size in bytes.
  uint64_t Finish();
  // To be called after Finish. Returns the number of these keys that the filter
  // may hold.
  uint64_t CountMatches(rocksdb::Slice** keys, int n) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_PARTS_H_
