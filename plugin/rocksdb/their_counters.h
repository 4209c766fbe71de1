// What Ashlar counts, added to what RocksDB counts: its Statistics, shared by
// threads, and its PerfContext, one for each thread.
//
// Only what RocksDB's own table readers and builders count is passed on. Calls
// of the database, reads of files and the table cache are counted above and
// below them, as always.
#ifndef ASHLAR_PLUGIN_ROCKSDB_THEIR_COUNTERS_H_
#define ASHLAR_PLUGIN_ROCKSDB_THEIR_COUNTERS_H_

#include <cstdint>
#include <memory>

#include "ashlar/table/perf_context.h"
#include "ashlar/table/statistics.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/statistics.h"

namespace ashlar_rocksdb {

// Returns statistics that pass what they count to `theirs`, which they keep
// alive. Requires: it is not null.
std::shared_ptr<ashlar::Statistics> NewPassingStatistics(
    std::shared_ptr<rocksdb::Statistics> theirs);

// Returns what statistics that pass to `theirs` have to count. Tickers are
// always counted: RocksDB drops them itself by its level, which may change.
// Times of calls and of reads of files are RocksDB's own.
ashlar::StatsLevel LevelFor(const rocksdb::Statistics& theirs);

// While one lives, what the calling thread reads by Ashlar is counted, as far
// as RocksDB's level for the thread asks for it; when it ends, RocksDB's
// context has it.
class PassedPerfContext {
 public:
  PassedPerfContext() {
    const rocksdb::PerfLevel level = rocksdb::GetPerfLevel();
    is_counting_ = level > rocksdb::PerfLevel::kDisable;
    const ashlar::PerfLevel ours =
        level >= rocksdb::PerfLevel::kEnableTimeExceptForMutex
            ? ashlar::PerfLevel::kEnableTime
        : is_counting_ ? ashlar::PerfLevel::kEnableCount
                       : ashlar::PerfLevel::kDisable;
    if (ashlar::GetPerfLevel() != ours) [[unlikely]] {
      ashlar::SetPerfLevel(ours);
    }
  }
  PassedPerfContext(const PassedPerfContext&) = delete;
  PassedPerfContext& operator=(const PassedPerfContext&) = delete;
  ~PassedPerfContext() {
    if (is_counting_) [[likely]]
      Pass();
  }

  // What the thread has read from files since this was made, in blocks. Zeros
  // if nothing is counted.
  struct FileReads {
    uint64_t index_blocks = 0;
    uint64_t filter_blocks = 0;
    uint64_t other_blocks = 0;
  };
  FileReads file_reads() const;

 private:
  static void Pass();

  bool is_counting_;
};

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_THEIR_COUNTERS_H_
