// What mini_lsm_bench fills a memtable with, in mini_lsm and in RocksDB.
//
// RocksDB's side is in the library that is loaded at run time
// (rocksdb_library.h), as one C function.
#ifndef ASHLAR_TOOLS_BENCH_FLUSH_LOAD_H_
#define ASHLAR_TOOLS_BENCH_FLUSH_LOAD_H_

#include <cstdint>
#include <cstdio>
#include <string>

#include "tools/bench/run_result.h"

namespace ashlar::bench {

struct FlushLoad {
  uint64_t num = 0;         // entries, each of another key, in random order
  uint64_t value_size = 0;  // in bytes
  std::string codec;        // none, lz4 or zstd
  std::string folder;       // of the database, which is not there yet
  bool sync = true;         // whether new tables and manifests are synced

  // Returns the number of the i-th key. Requires: num is no multiple of the
  // odd prime, so that each number from 0 on occurs once.
  std::string KeyOf(uint64_t i) const {
    constexpr uint64_t kPrime = 1000003;
    char key[24];
    std::snprintf(key, sizeof key, "%016llu",
                  static_cast<unsigned long long>(i * kPrime % num));
    return key;
  }
  // Sets *value to the i-th value: half of it repeats, as in db_bench.
  void ValueOf(uint64_t i, std::string* value) const {
    value->resize(value_size);
    uint64_t state = i;
    for (uint64_t at = 0; at < value_size; ++at) {
      if (at < value_size / 2) {
        state = state * 6364136223846793005 + 1442695040888963407;
        (*value)[at] = static_cast<char>(' ' + (state >> 33) % 95);
      } else {
        (*value)[at] = (*value)[at - value_size / 2];
      }
    }
  }
};

// Fills a new database, flushes it, and measures the flush alone. Sets *error,
// to an empty string if all went well. The name of RocksDB's in its library is
// kRocksDbFlush.
using FlushFunction = void (*)(const FlushLoad& load, RunResult* result,
                               std::string* error);
inline constexpr char kRocksDbFlush[] = "AshlarBenchRocksDbFlush";

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_FLUSH_LOAD_H_
