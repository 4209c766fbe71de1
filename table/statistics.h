// Statistics: what the reads of many threads and readers did, and what builders
// did, as tickers and histograms with RocksDB's names.
//
//   ashlar::ReaderOptions options;
//   options.statistics = std::make_shared<ashlar::Statistics>();  // shared
//   ...
//   uint64_t hits =
//       options.statistics->GetTickerCount(ashlar::Ticker::kBlockCacheHit);
//
// An engine makes one, and gives it to its readers, and to its builders
// (BuildOptions::statistics). Each of them shares ownership. A ticker or
// histogram (table/histogram.h) that RocksDB has too has its name there
// ("rocksdb.block.cache.hit"), so that programs that read RocksDB's statistics
// read these. The names of others begin with "ashlar.". What is counted depends
// on a level, which any thread may change at any time.
//
// Thread-safe: any number of threads may count and read at once.
//
// How it counts. Each thread that counts has a shard of its own, which no other
// thread writes. An addition is a load and a store: no locked instruction, and
// no cache line that another thread writes. A read adds when it ends, a
// MultiGet once for up to 32 keys. A histogram of a thread takes 1 KiB, from
// its first sample on. A thread that asks for a sum adds up all shards. When a
// thread ends, its shard goes, with its counts, to the next new thread.
//
// Memory order. Counters are relaxed. A sum may miss what is being counted
// meanwhile, and may see one of two tickers that belong together. But no count
// is lost, and what a thread counted before it was joined is in the sum. Shards
// go from thread to thread under a mutex, which a thread locks only for its
// first read with a Statistics, and when it ends.
#ifndef ASHLAR_TABLE_STATISTICS_H_
#define ASHLAR_TABLE_STATISTICS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/table/histogram.h"
#include "ashlar/util/export.h"

namespace ashlar {

namespace internal {
class StatisticsShards;
}

// What is counted. Sizes are in bytes.
enum class Ticker : uint32_t {
  // Get: calls, and bytes of the values that they found.
  kNumberKeysRead,
  kBytesRead,
  // Whole keys that a filter was asked for: those that it ruled out; those that
  // it let pass; and those of them that were in the table.
  kBloomFilterUseful,
  kBloomFilterFullPositive,
  kBloomFilterFullTruePositive,
  // Data blocks that were found in the block cache, in either of its tiers.
  kBlockCacheDataHit,
  // MultiGet: keys; keys found; calls; and bytes of the values found.
  kNumberMultiGetKeysRead,
  kNumberMultiGetKeysFound,
  kNumberMultiGetCalls,
  kNumberMultiGetBytesRead,
  // Prefixes that a filter was asked for: all; those that it ruled out; and
  // those that it let pass and whose key was in the table (Get and MultiGet
  // only).
  kBloomFilterPrefixChecked,
  kBloomFilterPrefixUseful,
  kBloomFilterPrefixTruePositive,
  // Blocks that were looked up in the block cache: hits and misses; and blocks
  // that were added to it, and the sum of their charges. Index and filter
  // blocks of all levels count.
  kBlockCacheDataMiss,
  kBlockCacheDataAdd,
  kBlockCacheDataBytesInsert,
  kBlockCacheIndexHit,
  kBlockCacheIndexMiss,
  kBlockCacheIndexAdd,
  kBlockCacheIndexBytesInsert,
  kBlockCacheFilterHit,
  kBlockCacheFilterMiss,
  kBlockCacheFilterAdd,
  kBlockCacheFilterBytesInsert,
  // The same of dictionaries of the compression.
  kBlockCacheCompressionDictHit,
  kBlockCacheCompressionDictMiss,
  kBlockCacheCompressionDictAdd,
  kBlockCacheCompressionDictBytesInsert,
  // The sum of the charges of the blocks that were found in the block cache.
  kBlockCacheBytesRead,
  // Blocks that were read from the file, and their bytes as stored, with
  // trailers.
  kBlockReadCount,
  kBlockReadBytes,
  // Reads of the file, and their bytes, what was read ahead included.
  kFileReadCount,
  kFileReadBytes,
  // Checksums that were computed, and those that did not match.
  kBlockChecksumComputeCount,
  kBlockChecksumMismatchCount,
  // Blocks that were decompressed, and their bytes before and after.
  kNumberBlockDecompressed,
  kBytesDecompressedFrom,
  kBytesDecompressedTo,
  // Seek, SeekForPrev, SeekToFirst and SeekToLast of iterators.
  kNumberDbSeek,
  // Blocks that the block cache had no room for.
  kBlockCacheAddFailures,
  // Data blocks of kBlockCacheDataHit that the cache's second tier had.
  kSecondaryCacheDataHits,
  // A table cache (table/table_cache.h): tables that it opened; tables that it
  // could not open; Finds that found their table open or being opened; other
  // Finds; tables that it closed because there was no room for them; and tables
  // that it closed because the process ran out of file descriptors.
  kNoFileOpens,
  kNoFileErrors,
  kTableCacheHit,
  kTableCacheMiss,
  kTableCacheEvict,
  kTableCacheDescriptorEvict,
  // Tables that were opened with a filter that nobody can ask: its policy is
  // neither built in nor among ReaderOptions::filter_policies.
  kFilterUnknownPolicy,
  // Builders: data and index blocks that were stored compressed, and their
  // bytes before and after; blocks of tables without a codec, and their bytes;
  // and blocks that would have shrunk too little, and their bytes.
  kNumberBlockCompressed,
  kBytesCompressedFrom,
  kBytesCompressedTo,
  kNumberBlockCompressionBypassed,
  kBytesCompressionBypassed,
  kNumberBlockCompressionRejected,
  kBytesCompressionRejected,
  // Sums of the above over data, index and filter blocks, and dictionaries.
  kBlockCacheHit,
  kBlockCacheMiss,
  kBlockCacheAdd,
  kBlockCacheBytesWrite,
  kSecondaryCacheHits,
};
// How many tickers there are.
inline constexpr size_t kTickers =
    static_cast<size_t>(Ticker::kSecondaryCacheHits) + 1;
// Returns the ticker's name, such as "rocksdb.block.cache.hit". The text lives
// for ever.
ASHLAR_EXPORT std::string_view TickerName(Ticker ticker);

// What a Statistics counts. Each level counts what those before it do. RocksDB
// has a further one, for waits for mutexes. Its default is
// kExceptDetailedTimers; ours takes no times, since reading the clock twice
// would make a Get of a cached block a tenth slower.
enum class StatsLevel : uint8_t {
  kDisableAll,               // nothing
  kExceptHistogramOrTimers,  // tickers
  kExceptTimers,             // histograms of sizes; the default
  kExceptDetailedTimers,     // histograms of times of calls and of file reads
  kAll,                      // and of times of compression and decompression
};

// Gets what a Statistics counts: for engines that have statistics of their own.
// Its functions are called by the threads that read and build, any number of
// them at once, when a read ends or a block is done. They must not throw, and
// must not use the reader or builder that counts.
class ASHLAR_EXPORT StatisticsSink {
 public:
  StatisticsSink() = default;
  StatisticsSink(const StatisticsSink&) = delete;
  StatisticsSink& operator=(const StatisticsSink&) = delete;
  virtual ~StatisticsSink();

  // Is passed what is added to a ticker: more than 0. Tickers that are sums of
  // others are not passed.
  virtual void Add(Ticker ticker, uint64_t count) = 0;
  // Is passed a sample of a histogram.
  virtual void AddSample(Histogram histogram, uint64_t value) = 0;
};

class ASHLAR_EXPORT Statistics {
 public:
  // Counts for itself alone.
  Statistics();
  // Passes to `sink` all that it counts, as far as the level counts it. Counts
  // it itself too. Shares ownership of the sink, as long as threads that have
  // counted may use it. Null: passes nothing on.
  explicit Statistics(std::shared_ptr<StatisticsSink> sink);
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;
  ~Statistics();

  // Returns the ticker's count since this was made, or since the last Reset.
  uint64_t GetTickerCount(Ticker ticker) const;
  // Makes all tickers and histograms count from 0 again. What another thread
  // adds meanwhile is lost or kept, as if it had been added before the Reset or
  // after it.
  void Reset();
  // These set and return the level. A new level holds for calls that begin
  // later.
  void set_stats_level(StatsLevel level);
  StatsLevel get_stats_level() const;

  // Returns the histogram's samples since this was made, or since the last
  // Reset. Samples of several Statistics can be merged.
  HistogramSamples GetHistogram(Histogram histogram) const;

  // Calls `visit` for each ticker, in the order of Ticker.
  void ForEach(const std::function<void(std::string_view name, uint64_t count)>&
                   visit) const;
  // Returns all tickers and histograms as text, a line each, in RocksDB's form:
  // "rocksdb.block.cache.hit COUNT : 12"; and with percentiles 50, 95, 99 and
  // 100, count and sum: "rocksdb.db.get.micros P50 : 1.500000 P95 : ...".
  std::string ToString() const;

 private:
  friend class internal::StatisticsShards;
  const std::shared_ptr<internal::StatisticsShards> shards_;
  const uint64_t id_;  // never used again in this process
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_STATISTICS_H_
