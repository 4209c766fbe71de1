#include "table/counters/read_counters.h"

namespace ashlar::internal {

constinit thread_local PerfContext* counting_context = nullptr;
constinit thread_local PerfContext* timing_context = nullptr;

namespace {

bool IsIndex(BlockKind kind) {
  return kind == BlockKind::kIndex || kind == BlockKind::kIndexPartition;
}

bool IsFilter(BlockKind kind) {
  return kind == BlockKind::kFilter || kind == BlockKind::kFilterPartition;
}

// The same number of each kind of block: a ticker, or a field of a context.
template <typename Number>
struct ByKind {
  Number data;
  Number index;
  Number filter;
  Number dictionary;

  Number Of(BlockKind kind) const {
    if (kind == BlockKind::kDictionary) return dictionary;
    return IsIndex(kind) ? index : IsFilter(kind) ? filter : data;
  }
};
using Field = uint64_t PerfContext::*;

constexpr ByKind<Ticker> kHits = {
    Ticker::kBlockCacheDataHit, Ticker::kBlockCacheIndexHit,
    Ticker::kBlockCacheFilterHit, Ticker::kBlockCacheCompressionDictHit};
constexpr ByKind<Ticker> kMisses = {
    Ticker::kBlockCacheDataMiss, Ticker::kBlockCacheIndexMiss,
    Ticker::kBlockCacheFilterMiss, Ticker::kBlockCacheCompressionDictMiss};
constexpr ByKind<Ticker> kAdds = {
    Ticker::kBlockCacheDataAdd, Ticker::kBlockCacheIndexAdd,
    Ticker::kBlockCacheFilterAdd, Ticker::kBlockCacheCompressionDictAdd};
constexpr ByKind<Ticker> kBytesInserted = {
    Ticker::kBlockCacheDataBytesInsert, Ticker::kBlockCacheIndexBytesInsert,
    Ticker::kBlockCacheFilterBytesInsert,
    Ticker::kBlockCacheCompressionDictBytesInsert};

Field BytesReadOf(BlockKind kind) {
  switch (kind) {
    case BlockKind::kData:
    case BlockKind::kBlob:
      return &PerfContext::data_block_read_byte;
    case BlockKind::kIndex:
    case BlockKind::kIndexPartition:
      return &PerfContext::index_block_read_byte;
    case BlockKind::kFilter:
    case BlockKind::kFilterPartition:
      return &PerfContext::filter_block_read_byte;
    case BlockKind::kDictionary:
      return &PerfContext::compression_dict_block_read_byte;
    default:
      return &PerfContext::metadata_block_read_byte;
  }
}

}  // namespace

void HistogramTimer::Stop() {
  const auto time = std::chrono::steady_clock::now() - begin_;
  const auto nanos = static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(time).count());
  constexpr uint64_t kNanosPerMicro = 1000;
  StatisticsShards::AddSample(*statistics_, histogram_,
                              InNanos() ? nanos : nanos / kNanosPerMicro);
}

void ReadCounters::SampleMultiGet(std::span<const GetResult> results) const {
  if (!MeasuresAt(StatsLevel::kExceptTimers)) return;
  uint64_t bytes = 0;
  for (const GetResult& result : results) {
    if (result.state == GetResult::State::kFound) bytes += result.value.size();
  }
  AddSample(Histogram::kBytesPerMultiGet, bytes);
}

void ReadCounters::CountMultiGetCall() const {
  if (!any()) return;
  if (counting_context != nullptr) ++counting_context->multiget_count;
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(Ticker::kNumberMultiGetCalls, 1);
  }
}

void ReadCounters::CountMultiGet(const PointReads& reads,
                                 bool of_prefix) const {
  if (PerfContext* const c = counting_context; c != nullptr) {
    c->multiget_key_count += reads.keys;
    c->multiget_read_bytes += reads.bytes;
    c->bloom_sst_hit_count += reads.let_pass;
    c->bloom_sst_miss_count += reads.ruled_out;
  }
  StatisticsShard* const s = shard();
  if (s == nullptr) return;
  s->Add(Ticker::kNumberMultiGetKeysRead, reads.keys);
  s->Add(Ticker::kNumberMultiGetKeysFound, reads.found);
  s->Add(Ticker::kNumberMultiGetBytesRead, reads.bytes);
  AddFilterAnswers(reads, of_prefix, s);
}

void ReadCounters::CountSeek() const {
  if (!any()) return;
  if (counting_context != nullptr) ++counting_context->iter_seek_count;
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(Ticker::kNumberDbSeek, 1);
  }
}

void ReadCounters::CountPrefixFilter(bool let_pass) const {
  if (!any()) return;
  if (PerfContext* const c = counting_context; c != nullptr) {
    ++(let_pass ? c->bloom_sst_hit_count : c->bloom_sst_miss_count);
  }
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(Ticker::kBloomFilterPrefixChecked, 1);
    s->Add(Ticker::kBloomFilterPrefixUseful, let_pass ? 0 : 1);
  }
}

// Counts an index or filter block, or a dictionary.
void ReadCounters::CountMetadataHit(BlockKind kind, uint64_t bytes) const {
  if (PerfContext* const c = counting_context; c != nullptr) {
    ++c->block_cache_hit_count;
    c->block_cache_index_hit_count += IsIndex(kind) ? 1 : 0;
    c->block_cache_filter_hit_count += IsFilter(kind) ? 1 : 0;
    c->block_cache_read_byte += bytes;
    (IsIndex(kind)    ? c->block_cache_index_read_byte
     : IsFilter(kind) ? c->block_cache_filter_read_byte
                      : c->block_cache_compression_dict_read_byte) += bytes;
  }
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(kHits.Of(kind), 1);
    s->Add(Ticker::kBlockCacheBytesRead, bytes);
  }
}

void ReadCounters::CountCacheMisses(BlockKind kind, uint64_t n) const {
  if (!any()) return;
  if (PerfContext* const c = counting_context; c != nullptr) {
    c->block_cache_miss_count += n;
  }
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(kMisses.Of(kind), n);
  }
}

void ReadCounters::CountSecondaryCacheHits(uint64_t n) const {
  if (PerfContext* const c = counting_context; c != nullptr) {
    c->secondary_cache_hit_count += n;
  }
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(Ticker::kSecondaryCacheDataHits, n);
  }
}

void ReadCounters::CountCacheAdd(BlockKind kind, uint64_t charge,
                                 bool found_room) const {
  StatisticsShard* const s = shard();
  if (s == nullptr) return;
  if (!found_room) return s->Add(Ticker::kBlockCacheAddFailures, 1);
  s->Add(kAdds.Of(kind), 1);
  s->Add(kBytesInserted.Of(kind), charge);
}

void ReadCounters::CountBlockRead(BlockKind kind, uint64_t bytes) const {
  if (!any()) return;
  if (PerfContext* const c = counting_context; c != nullptr) {
    ++c->block_read_count;
    c->block_read_byte += bytes;
    c->*BytesReadOf(kind) += bytes;
    c->index_block_read_count += IsIndex(kind) ? 1 : 0;
    c->filter_block_read_count += IsFilter(kind) ? 1 : 0;
  }
  if (StatisticsShard* const s = shard(); s != nullptr) {
    s->Add(Ticker::kBlockReadCount, 1);
    s->Add(Ticker::kBlockReadBytes, bytes);
  }
}

void ReadCounters::CountFileReads(uint64_t requests, uint64_t bytes) const {
  StatisticsShard* const s = shard();
  if (s == nullptr) return;
  s->Add(Ticker::kFileReadCount, requests);
  s->Add(Ticker::kFileReadBytes, bytes);
}

void ReadCounters::CountChecksum(bool matches) const {
  StatisticsShard* const s = shard();
  if (s == nullptr) return;
  s->Add(Ticker::kBlockChecksumComputeCount, 1);
  s->Add(Ticker::kBlockChecksumMismatchCount, matches ? 0 : 1);
}

void ReadCounters::CountDecompressed(uint64_t from, uint64_t to) const {
  StatisticsShard* const s = shard();
  if (s == nullptr) return;
  s->Add(Ticker::kNumberBlockDecompressed, 1);
  s->Add(Ticker::kBytesDecompressedFrom, from);
  s->Add(Ticker::kBytesDecompressedTo, to);
}

}  // namespace ashlar::internal
