// ReadCounters: counts reads, in the thread's perf context and in its shard of
// the reader's statistics.
//
// Every kind of event has one function here, so that the two always count the
// same. A hit costs two tests if neither counts. Get adds up once, at its end;
// a MultiGet once for up to 32 keys. There is no memory order: both places
// belong to the calling thread (statistics.h says how sums are made).
//
// A value, copied into each object that reads. The statistics must outlive all
// copies.
#ifndef ASHLAR_TABLE_COUNTERS_READ_COUNTERS_H_
#define ASHLAR_TABLE_COUNTERS_READ_COUNTERS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "ashlar/table/block_kind.h"
#include "ashlar/table/perf_context.h"
#include "ashlar/table/table_reader.h"
#include "cache/trace/access_recorder.h"
#include "table/counters/statistics_shards.h"

namespace ashlar::internal {

// The calling thread's context if it counts, and if it takes times too; else
// null. They are found without a call, also in a shared library.
extern constinit thread_local PerfContext* counting_context
    __attribute__((tls_model("initial-exec")));
extern constinit thread_local PerfContext* timing_context
    __attribute__((tls_model("initial-exec")));

// The results of a Get, or of keys of a MultiGet.
struct PointReads {
  uint64_t keys = 0;
  uint64_t found = 0;
  uint64_t bytes = 0;  // of the values found
  // The filters' answers.
  uint64_t ruled_out = 0;
  uint64_t let_pass = 0;
  uint64_t let_pass_and_there = 0;

  void Add(const GetResult& result) {
    ++keys;
    if (result.state == GetResult::State::kFound) {
      ++found;
      bytes += result.value.size();
    }
    ruled_out += result.filter == GetResult::Filter::kAbsent ? 1 : 0;
    if (result.filter != GetResult::Filter::kMaybe) return;
    ++let_pass;
    // A key that a range deletion hides need not be there.
    const bool there = result.state != GetResult::State::kNotFound &&
                       result.type != ValueType::kTypeRangeDeletion;
    let_pass_and_there += there ? 1 : 0;
  }
};

class ReadCounters {
 public:
  ReadCounters() = default;
  explicit ReadCounters(const Statistics* statistics,
                        AccessRecorder* recorder = nullptr)
      : statistics_(statistics), recorder_(recorder) {}

  // Returns whether anything is counted.
  bool any() const {
    return statistics_ != nullptr || counting_context != nullptr;
  }

  // Counts a Get that has ended. of_prefix: the filter was asked for the
  // prefix.
  void CountGet(const GetResult& result, bool of_prefix) const;
  // Counts keys of a MultiGet; and, once, the call itself.
  void CountMultiGet(const PointReads& reads, bool of_prefix) const;
  void CountMultiGetCall() const;
  // Samples the bytes that a MultiGet has found.
  void SampleMultiGet(std::span<const GetResult> results) const;
  void CountSeek() const;
  // Counts an iterator's question for a prefix.
  void CountPrefixFilter(bool let_pass) const;

  // Adds a sample of a size; of a time, see HistogramTimer.
  void AddSample(Histogram histogram, uint64_t value) const {
    if (MeasuresAt(StatsLevel::kExceptTimers)) {
      StatisticsShards::AddSample(*statistics_, histogram, value);
    }
  }
  // Returns whether the statistics have this level, or a higher one.
  bool MeasuresAt(StatsLevel level) const {
    return statistics_ != nullptr &&
           StatisticsShards::LevelOf(*statistics_) >= level;
  }

  // Trace an access to the block cache, which is also counted below. A block
  // that was found has a charge: what `charge_of()` returns.
  template <typename ChargeOf>
  void TraceHit(const CacheKey& key, BlockKind kind, TracedCaller caller,
                const ChargeOf& charge_of) const {
    if (recorder_ != nullptr && recorder_->Wants(key)) [[unlikely]]
      recorder_->Record(key, TracedKind(kind), caller, true, charge_of());
  }
  void TraceMiss(const CacheKey& key, BlockKind kind,
                 TracedCaller caller) const {
    if (recorder_ != nullptr && recorder_->Wants(key)) [[unlikely]]
      recorder_->Record(key, TracedKind(kind), caller, false, 0);
  }
  // `bytes`: what the blocks are charged together.
  void CountCacheHits(BlockKind kind, uint64_t n, uint64_t bytes) const;
  // Counts data blocks of those hits that the cache's second tier had.
  void CountSecondaryCacheHits(uint64_t n) const;
  void CountCacheMisses(BlockKind kind, uint64_t n) const;
  // Counts a block that was to go to the cache, and whether the cache had room.
  void CountCacheAdd(BlockKind kind, uint64_t charge, bool found_room) const;
  void CountBlockRead(BlockKind kind, uint64_t bytes) const;
  void CountFileReads(uint64_t requests, uint64_t bytes) const;
  void CountChecksum(bool matches) const;
  void CountDecompressed(uint64_t from, uint64_t to) const;
  // Counts a table whose filter nobody can ask.
  void CountUnknownFilter() const;

 private:
  void CountMetadataHit(BlockKind kind, uint64_t bytes) const;
  static TracedBlockKind TracedKind(BlockKind kind) {
    if (kind == BlockKind::kData) return TracedBlockKind::kData;
    return kind == BlockKind::kIndex || kind == BlockKind::kIndexPartition
               ? TracedBlockKind::kIndex
               : TracedBlockKind::kFilter;
  }
  static void AddFilterAnswers(const PointReads& reads, bool of_prefix,
                               StatisticsShard* shard);
  // Returns the thread's shard, or null if there are no statistics.
  StatisticsShard* shard() const {
    return MeasuresAt(StatsLevel::kExceptHistogramOrTimers)
               ? StatisticsShards::Mine(*statistics_)
               : nullptr;
  }

  friend class HistogramTimer;
  const Statistics* statistics_ = nullptr;
  AccessRecorder* recorder_ = nullptr;
};

// Adds the time from construction to destruction to a histogram, if the level
// of the statistics was high enough at its construction. Takes no time
// otherwise. The statistics must outlive it.
class HistogramTimer {
 public:
  HistogramTimer(const ReadCounters& counters, Histogram histogram)
      : HistogramTimer(counters.statistics_, histogram) {}
  HistogramTimer(const Statistics* statistics, Histogram histogram)
      : histogram_(histogram) {
    if (statistics == nullptr ||
        StatisticsShards::LevelOf(*statistics) < LeastLevel()) {
      return;
    }
    statistics_ = statistics;
    begin_ = std::chrono::steady_clock::now();
  }
  HistogramTimer(const HistogramTimer&) = delete;
  HistogramTimer& operator=(const HistogramTimer&) = delete;
  ~HistogramTimer() {
    if (statistics_ != nullptr) [[unlikely]]
      Stop();
  }

  // Adds time that was spent on the same before.
  void Include(std::chrono::steady_clock::duration spent) { begin_ -= spent; }

 private:
  bool InNanos() const {
    return histogram_ == Histogram::kCompressionTimesNanos ||
           histogram_ == Histogram::kDecompressionTimesNanos;
  }
  StatsLevel LeastLevel() const {
    return InNanos() ? StatsLevel::kAll : StatsLevel::kExceptDetailedTimers;
  }
  void Stop();

  const Statistics* statistics_ = nullptr;  // null: takes no time
  const Histogram histogram_;
  std::chrono::steady_clock::time_point begin_;
};

// Adds the time from construction to destruction to a field of a context. A
// null context: takes no time.
class StageTimer {
 public:
  explicit StageTimer(uint64_t PerfContext::*field,
                      PerfContext* context = timing_context)
      : context_(context), field_(field) {
    if (context_ != nullptr) [[unlikely]]
      begin_ = Now();
  }
  StageTimer(const StageTimer&) = delete;
  StageTimer& operator=(const StageTimer&) = delete;
  ~StageTimer() {
    if (context_ != nullptr) [[unlikely]]
      context_->*field_ += Now() - begin_;
  }

 private:
  static uint64_t Now() {
    return static_cast<uint64_t>(
        std::chrono::steady_clock::now().time_since_epoch().count());
  }

  PerfContext* const context_;
  uint64_t PerfContext::*const field_;
  uint64_t begin_ = 0;
};

// Adds the filter's answers for the keys, or for their prefixes.
inline void ReadCounters::AddFilterAnswers(const PointReads& reads,
                                           bool of_prefix, StatisticsShard* s) {
  if (of_prefix) [[unlikely]] {
    s->Add(Ticker::kBloomFilterPrefixChecked, reads.ruled_out + reads.let_pass);
    s->Add(Ticker::kBloomFilterPrefixUseful, reads.ruled_out);
    s->Add(Ticker::kBloomFilterPrefixTruePositive, reads.let_pass_and_there);
  } else {
    s->Add(Ticker::kBloomFilterUseful, reads.ruled_out);
    s->Add(Ticker::kBloomFilterFullPositive, reads.let_pass);
    s->Add(Ticker::kBloomFilterFullTruePositive, reads.let_pass_and_there);
  }
}

inline void ReadCounters::CountUnknownFilter() const {
  StatisticsShard* const s = shard();
  if (s != nullptr) s->Add(Ticker::kFilterUnknownPolicy, 1);
}

inline void ReadCounters::CountGet(const GetResult& result,
                                   bool of_prefix) const {
  if (!any()) return;
  PointReads reads;
  reads.Add(result);
  AddSample(Histogram::kBytesPerRead, reads.bytes);
  if (PerfContext* const c = counting_context; c != nullptr) {
    ++c->get_count;
    c->get_read_bytes += reads.bytes;
    c->bloom_sst_hit_count += reads.let_pass;
    c->bloom_sst_miss_count += reads.ruled_out;
  }
  StatisticsShard* const s = shard();
  if (s == nullptr) return;
  s->Add(Ticker::kNumberKeysRead, 1);
  s->Add(Ticker::kBytesRead, reads.bytes);
  AddFilterAnswers(reads, of_prefix, s);
}

inline void ReadCounters::CountCacheHits(BlockKind kind, uint64_t n,
                                         uint64_t bytes) const {
  if (!any()) return;
  if (kind != BlockKind::kData) return CountMetadataHit(kind, bytes);
  if (PerfContext* const c = counting_context; c != nullptr) {
    c->block_cache_hit_count += n;
    c->block_cache_read_byte += bytes;
  }
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(Ticker::kBlockCacheDataHit, n);
    s->Add(Ticker::kBlockCacheBytesRead, bytes);
  }
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COUNTERS_READ_COUNTERS_H_
