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
#include "ashlar/table/table_reader.h"
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
// context has it, also that of the table's level if the application has enabled
// these.
class PassedPerfContext {
 public:
  // `level`: the table's, as RocksDB gave it when the table was opened.
  explicit PassedPerfContext(int level) : level_(level) {
    const rocksdb::PerfLevel theirs = rocksdb::GetPerfLevel();
    is_counting_ = theirs > rocksdb::PerfLevel::kDisable;
    const ashlar::PerfLevel ours =
        theirs >= rocksdb::PerfLevel::kEnableTimeExceptForMutex
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

  // Takes what the filter said of a key that was read. RocksDB counts by level
  // how often a key was there that the filter let pass.
  void TakeFilterAnswer(const ashlar::GetResult& result) {
    true_positives_ +=
        result.filter == ashlar::GetResult::Filter::kMaybe &&
                result.state != ashlar::GetResult::State::kNotFound
            ? 1
            : 0;
  }

  // Counts a key that was there, where a filter was asked.
  void AddTruePositive() { ++true_positives_; }

 private:
  void Pass() const;
  void PassByLevel(rocksdb::PerfContext* theirs) const;

  const int level_;
  uint32_t true_positives_ = 0;
  bool is_counting_;
};

// Counts what the filter said of the prefix of a seek: in the statistics, if
// they are not null, by whether the table is in the last level; and in the
// thread's context. RocksDB counts seeks apart from point reads.
void CountSeekFilter(rocksdb::Statistics* statistics, bool is_last_level,
                     bool ruled_out);
// Counts a seek that has read data.
void CountSeekData(rocksdb::Statistics* statistics, bool is_last_level);
// Counts that a value was taken of the data that such a seek has read, by
// whether a filter had let the seek pass.
void CountSeekDataUse(rocksdb::Statistics* statistics, bool is_last_level,
                      bool filter_passed);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_THEIR_COUNTERS_H_
