// PerfContext: what the reads of this thread did, by RocksDB's names.
//
//   ashlar::SetPerfLevel(ashlar::PerfLevel::kEnableCount);
//   ashlar::GetPerfContext()->Reset();
//   ashlar::Status status = reader->Get(key, &result);
//   puts(ashlar::GetPerfContext()->ToString(true).c_str());  // but for zeros
//
// Every thread has a context and a level of its own, and nobody else sees them:
// counting needs no atomics and no order. A counter is added to in the thread
// that calls the reader, whatever reader it is, also by reads that end with an
// error, but not by a MultiGet whose options are refused. For sums over
// threads: table/statistics.h.
//
// Not a profiler: times are of stages, and take two looks at the clock each.
#ifndef ASHLAR_TABLE_PERF_CONTEXT_H_
#define ASHLAR_TABLE_PERF_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

enum class PerfLevel : uint8_t {
  kDisable,      // the default of a thread
  kEnableCount,  // all but the times
  kEnableTime,   // the times too
};

// Of this thread, from its next read on.
ASHLAR_EXPORT void SetPerfLevel(PerfLevel level);
ASHLAR_EXPORT PerfLevel GetPerfLevel();

// Counts wrap; times are in nanoseconds.
struct ASHLAR_EXPORT PerfContext {
  // What nearly every read adds to.
  alignas(64) uint64_t get_count = 0;  // calls of Get
  uint64_t get_read_bytes = 0;         // of the values that they found
  uint64_t multiget_count = 0;         // calls of MultiGet
  uint64_t multiget_key_count = 0;     // their keys
  uint64_t multiget_read_bytes = 0;    // of the values that they found
  uint64_t bloom_sst_hit_count = 0;    // keys that a filter let pass
  uint64_t bloom_sst_miss_count = 0;   // keys that a filter ruled out
  uint64_t block_cache_hit_count = 0;  // blocks of any kind found there

  uint64_t block_cache_index_hit_count = 0;
  uint64_t block_cache_filter_hit_count = 0;
  uint64_t block_cache_miss_count = 0;  // blocks that were not there
  uint64_t block_read_count = 0;        // blocks read from the file
  uint64_t index_block_read_count = 0;
  uint64_t filter_block_read_count = 0;
  uint64_t block_read_byte = 0;  // of them, as they are stored
  uint64_t iter_seek_count = 0;  // Seek, SeekForPrev, SeekToFirst, SeekToLast

  // Of the blocks found in the cache: those that its second tier had.
  uint64_t secondary_cache_hit_count = 0;

  // Times, within each other where stages are.
  uint64_t block_read_time = 0;  // in the file's Read or MultiRead
  uint64_t block_checksum_time = 0;
  uint64_t block_decompress_time = 0;
  uint64_t filter_nanos = 0;      // asking filters, with reading them
  uint64_t index_seek_nanos = 0;  // finding blocks, with reading index blocks
  uint64_t block_load_nanos = 0;  // from key's block number to block in hand
  uint64_t block_seek_nanos = 0;  // from block in hand to value

  void Reset() { *this = PerfContext(); }
  // "get_count = 7, block_cache_hit_count = 3, ..."
  std::string ToString(bool exclude_zero_counters = false) const;
  // In the order above.
  void ForEach(const std::function<void(std::string_view name, uint64_t value)>&
                   visit) const;
};

// This thread's, for as long as the thread lives. Never null.
ASHLAR_EXPORT PerfContext* GetPerfContext();

}  // namespace ashlar

#endif  // ASHLAR_TABLE_PERF_CONTEXT_H_
