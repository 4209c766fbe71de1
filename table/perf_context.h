// PerfContext: what the reads of the calling thread did, under RocksDB's names.
//
//   ashlar::SetPerfLevel(ashlar::PerfLevel::kEnableCount);
//   ashlar::GetPerfContext()->Reset();
//   ashlar::Status status = reader->Get(key, &result);
//   puts(ashlar::GetPerfContext()->ToString(true).c_str());
//
// For looking at single reads. For sums over threads and readers use
// table/statistics.h.
//
// Each thread has a context and a level of its own, which no other thread sees.
// So counting needs no atomics and no memory order. A read adds to the context
// of the thread that calls the reader, whichever reader that is, also if it
// ends with an error. (A MultiGet whose options are refused adds nothing.)
//
// It is no profiler: times are those of whole stages, and reading the clock
// twice per stage takes time too.
#ifndef ASHLAR_TABLE_PERF_CONTEXT_H_
#define ASHLAR_TABLE_PERF_CONTEXT_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

// What a thread counts. In RocksDB a thread begins with kEnableCount, and the
// enumerators have other values.
enum class PerfLevel : uint8_t {
  kDisable,      // nothing; the default of a thread
  kEnableCount,  // counts and bytes
  kEnableTime,   // counts, bytes and times
};

// These set and return the level of the calling thread. A new level holds from
// the thread's next read on.
ASHLAR_EXPORT void SetPerfLevel(PerfLevel level);
ASHLAR_EXPORT PerfLevel GetPerfLevel();

// Counts wrap around at 2^64. Times are in nanoseconds. RocksDB has these
// fields too, except get_count, multiget_count, multiget_key_count,
// filter_nanos, index_seek_nanos and block_load_nanos.
struct ASHLAR_EXPORT PerfContext {
  // Nearly every read adds to these.
  alignas(64) uint64_t get_count = 0;  // calls of Get
  uint64_t get_read_bytes = 0;         // bytes of the values that Get found
  uint64_t multiget_count = 0;         // calls of MultiGet
  uint64_t multiget_key_count = 0;     // keys of these calls
  uint64_t multiget_read_bytes = 0;    // bytes of the values that they found
  // Keys, and prefixes of seeks, that a filter let pass.
  uint64_t bloom_sst_hit_count = 0;
  uint64_t bloom_sst_miss_count = 0;   // those that a filter ruled out
  uint64_t block_cache_hit_count = 0;  // blocks of any kind found in the cache

  uint64_t block_cache_index_hit_count = 0;   // index blocks of these
  uint64_t block_cache_filter_hit_count = 0;  // filter blocks of these
  uint64_t block_cache_miss_count = 0;        // blocks not found in the cache
  uint64_t block_read_count = 0;        // blocks of any kind read from the file
  uint64_t index_block_read_count = 0;  // index blocks of these
  uint64_t filter_block_read_count = 0;  // filter blocks of these
  uint64_t block_read_byte = 0;  // their bytes as stored, trailers included
  uint64_t iter_seek_count = 0;  // Seek, SeekForPrev, SeekToFirst, SeekToLast
  // What the blocks of block_cache_hit_count are charged in the cache, in
  // bytes: all of them; and those of three kinds.
  uint64_t block_cache_read_byte = 0;
  uint64_t block_cache_index_read_byte = 0;
  uint64_t block_cache_filter_read_byte = 0;
  uint64_t block_cache_compression_dict_read_byte = 0;

  // block_read_byte by the kind of block. Metadata are all other kinds.
  uint64_t data_block_read_byte = 0;  // values stored apart included
  uint64_t index_block_read_byte = 0;
  uint64_t filter_block_read_byte = 0;
  uint64_t compression_dict_block_read_byte = 0;
  uint64_t metadata_block_read_byte = 0;

  // Data blocks of block_cache_hit_count that the cache's second tier had.
  uint64_t secondary_cache_hit_count = 0;

  // Times. A stage may contain others: block_load_nanos contains the first
  // three.
  uint64_t block_read_time = 0;        // reading blocks from the file
  uint64_t block_checksum_time = 0;    // computing checksums
  uint64_t block_decompress_time = 0;  // decompressing blocks
  uint64_t filter_nanos = 0;           // asking filters, reading them included
  uint64_t index_seek_nanos = 0;  // searching the index, reading it included
  uint64_t block_load_nanos = 0;  // getting the data blocks of Get and MultiGet
  uint64_t block_seek_nanos = 0;  // searching these data blocks

  // Sets all fields to 0.
  void Reset() { *this = PerfContext(); }
  // Returns the fields as text: "get_count = 7, get_read_bytes = 130, ...".
  // With `exclude_zero_counters`, only those that are not 0.
  std::string ToString(bool exclude_zero_counters = false) const;
  // Calls `visit` for each field, in the order above.
  void ForEach(const std::function<void(std::string_view name, uint64_t value)>&
                   visit) const;
};

// Returns the calling thread's context, which lives as long as the thread.
// Never null.
ASHLAR_EXPORT PerfContext* GetPerfContext();

}  // namespace ashlar

#endif  // ASHLAR_TABLE_PERF_CONTEXT_H_
