// Statistics: what the reads of many threads and readers did, as tickers with
// RocksDB's names.
//
//   ashlar::ReaderOptions options;
//   options.statistics = std::make_shared<ashlar::Statistics>();  // of many
//   ...
//   uint64_t hits =
//       options.statistics->GetTickerCount(ashlar::Ticker::kBlockCacheHit);
//
// A ticker that RocksDB has too has its name there ("rocksdb.block.cache.hit"),
// so that what reads those reads ours; others begin with "ashlar.".
//
// Data flow. Each thread that counts has a shard of its own, which it alone
// writes: an addition is a load and a store, without a locked instruction and
// on lines that no other writer touches. A read adds when it has ended, a batch
// once for all of its keys. Sums are made by who asks, from all shards. When a
// thread ends, its shard goes, with what was counted, to the next thread.
//
// Order. Counters are relaxed: a sum may miss what is being counted meanwhile,
// and tickers that belong together may be seen apart, but nothing is lost, and
// what a thread counted before it was joined is in. Shards go from thread to
// thread under a mutex, which no read meets after a thread's first one.
//
// Thread-safe. A reader has a share of it.
#ifndef ASHLAR_TABLE_STATISTICS_H_
#define ASHLAR_TABLE_STATISTICS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

namespace internal {
class StatisticsShards;
}

enum class Ticker : uint32_t {
  // Get: calls, and the bytes of the values found.
  kNumberKeysRead,
  kBytesRead,
  // Of filters asked for whole keys: keys ruled out; let pass; and let pass and
  // there.
  kBloomFilterUseful,
  kBloomFilterFullPositive,
  kBloomFilterFullTruePositive,
  // Data blocks looked up in the block cache and found.
  kBlockCacheDataHit,
  // MultiGet: keys, keys found, calls, and the bytes of their values.
  kNumberMultiGetKeysRead,
  kNumberMultiGetKeysFound,
  kNumberMultiGetCalls,
  kNumberMultiGetBytesRead,
  // Of filters asked for prefixes: asked, ruled out, let pass and there (the
  // last one only of Get and MultiGet).
  kBloomFilterPrefixChecked,
  kBloomFilterPrefixUseful,
  kBloomFilterPrefixTruePositive,
  // Lookups of blocks in the block cache, and blocks that went there. Bytes are
  // charges. Index blocks are those of all levels, and so are filter blocks.
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
  // Blocks read from the file: how many, and their bytes as stored.
  kBlockReadCount,
  kBlockReadBytes,
  // What was asked of the file: requests, with what was read ahead.
  kFileReadCount,
  kFileReadBytes,
  kBlockChecksumComputeCount,
  kBlockChecksumMismatchCount,
  kNumberBlockDecompressed,
  kBytesDecompressedFrom,
  kBytesDecompressedTo,
  // Seeks of iterators, of all four kinds.
  kNumberDbSeek,
  // Blocks that were to go to the block cache, which had no room for them.
  kBlockCacheAddFailures,
  // Of the blocks found in the block cache: those that its second tier had.
  kSecondaryCacheDataHits,
  // Sums of the above over the kinds of blocks.
  kBlockCacheHit,
  kBlockCacheMiss,
  kBlockCacheAdd,
  kBlockCacheBytesWrite,
  kSecondaryCacheHits,
};
inline constexpr size_t kTickers =
    static_cast<size_t>(Ticker::kSecondaryCacheHits) + 1;
// "rocksdb.block.cache.hit", ...
ASHLAR_EXPORT std::string_view TickerName(Ticker ticker);

class ASHLAR_EXPORT Statistics {
 public:
  Statistics();
  Statistics(const Statistics&) = delete;
  Statistics& operator=(const Statistics&) = delete;
  ~Statistics();

  // Since it was made, or last Reset.
  uint64_t GetTickerCount(Ticker ticker) const;
  // From here on all count from 0. What is counted meanwhile is before or
  // behind.
  void Reset();
  // In the order of Ticker.
  void ForEach(const std::function<void(std::string_view name, uint64_t count)>&
                   visit) const;
  // "rocksdb.block.cache.hit COUNT : 12", a line each.
  std::string ToString() const;

 private:
  friend class internal::StatisticsShards;
  const std::shared_ptr<internal::StatisticsShards> shards_;
  const uint64_t id_;  // like that of no other, before or after
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_STATISTICS_H_
