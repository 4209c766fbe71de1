#include "their_counters.h"

#include <array>
#include <cstdint>
#include <utility>

namespace ashlar_rocksdb {

namespace {

using ashlar::Ticker;

// A ticker of ours, RocksDB's of the same meaning, and the sum that RocksDB
// counts with it.
struct PassedTicker {
  Ticker ours;
  rocksdb::Tickers theirs;
  rocksdb::Tickers sum = rocksdb::TICKER_ENUM_MAX;
};

constexpr PassedTicker kPassedTickers[] = {
    {Ticker::kBloomFilterUseful, rocksdb::BLOOM_FILTER_USEFUL},
    {Ticker::kBloomFilterFullPositive, rocksdb::BLOOM_FILTER_FULL_POSITIVE},
    {Ticker::kBloomFilterFullTruePositive,
     rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE},
    {Ticker::kBloomFilterPrefixChecked, rocksdb::BLOOM_FILTER_PREFIX_CHECKED},
    {Ticker::kBloomFilterPrefixUseful, rocksdb::BLOOM_FILTER_PREFIX_USEFUL},
    {Ticker::kBloomFilterPrefixTruePositive,
     rocksdb::BLOOM_FILTER_PREFIX_TRUE_POSITIVE},
    {Ticker::kBlockCacheDataHit, rocksdb::BLOCK_CACHE_DATA_HIT,
     rocksdb::BLOCK_CACHE_HIT},
    {Ticker::kBlockCacheIndexHit, rocksdb::BLOCK_CACHE_INDEX_HIT,
     rocksdb::BLOCK_CACHE_HIT},
    {Ticker::kBlockCacheFilterHit, rocksdb::BLOCK_CACHE_FILTER_HIT,
     rocksdb::BLOCK_CACHE_HIT},
    {Ticker::kBlockCacheDataMiss, rocksdb::BLOCK_CACHE_DATA_MISS,
     rocksdb::BLOCK_CACHE_MISS},
    {Ticker::kBlockCacheIndexMiss, rocksdb::BLOCK_CACHE_INDEX_MISS,
     rocksdb::BLOCK_CACHE_MISS},
    {Ticker::kBlockCacheFilterMiss, rocksdb::BLOCK_CACHE_FILTER_MISS,
     rocksdb::BLOCK_CACHE_MISS},
    {Ticker::kBlockCacheDataAdd, rocksdb::BLOCK_CACHE_DATA_ADD,
     rocksdb::BLOCK_CACHE_ADD},
    {Ticker::kBlockCacheIndexAdd, rocksdb::BLOCK_CACHE_INDEX_ADD,
     rocksdb::BLOCK_CACHE_ADD},
    {Ticker::kBlockCacheFilterAdd, rocksdb::BLOCK_CACHE_FILTER_ADD,
     rocksdb::BLOCK_CACHE_ADD},
    {Ticker::kBlockCacheDataBytesInsert, rocksdb::BLOCK_CACHE_DATA_BYTES_INSERT,
     rocksdb::BLOCK_CACHE_BYTES_WRITE},
    {Ticker::kBlockCacheIndexBytesInsert,
     rocksdb::BLOCK_CACHE_INDEX_BYTES_INSERT, rocksdb::BLOCK_CACHE_BYTES_WRITE},
    {Ticker::kBlockCacheFilterBytesInsert,
     rocksdb::BLOCK_CACHE_FILTER_BYTES_INSERT,
     rocksdb::BLOCK_CACHE_BYTES_WRITE},
    {Ticker::kBlockCacheCompressionDictHit,
     rocksdb::BLOCK_CACHE_COMPRESSION_DICT_HIT, rocksdb::BLOCK_CACHE_HIT},
    {Ticker::kBlockCacheCompressionDictMiss,
     rocksdb::BLOCK_CACHE_COMPRESSION_DICT_MISS, rocksdb::BLOCK_CACHE_MISS},
    {Ticker::kBlockCacheCompressionDictAdd,
     rocksdb::BLOCK_CACHE_COMPRESSION_DICT_ADD, rocksdb::BLOCK_CACHE_ADD},
    {Ticker::kBlockCacheCompressionDictBytesInsert,
     rocksdb::BLOCK_CACHE_COMPRESSION_DICT_BYTES_INSERT,
     rocksdb::BLOCK_CACHE_BYTES_WRITE},
    {Ticker::kBlockCacheBytesRead, rocksdb::BLOCK_CACHE_BYTES_READ},
    {Ticker::kBlockCacheAddFailures, rocksdb::BLOCK_CACHE_ADD_FAILURES},
    {Ticker::kSecondaryCacheDataHits, rocksdb::SECONDARY_CACHE_DATA_HITS,
     rocksdb::SECONDARY_CACHE_HITS},
    {Ticker::kBlockChecksumComputeCount, rocksdb::BLOCK_CHECKSUM_COMPUTE_COUNT},
    {Ticker::kBlockChecksumMismatchCount,
     rocksdb::BLOCK_CHECKSUM_MISMATCH_COUNT},
    {Ticker::kNumberBlockDecompressed, rocksdb::NUMBER_BLOCK_DECOMPRESSED},
    {Ticker::kBytesDecompressedFrom, rocksdb::BYTES_DECOMPRESSED_FROM},
    {Ticker::kBytesDecompressedTo, rocksdb::BYTES_DECOMPRESSED_TO},
    {Ticker::kNumberBlockCompressed, rocksdb::NUMBER_BLOCK_COMPRESSED},
    {Ticker::kBytesCompressedFrom, rocksdb::BYTES_COMPRESSED_FROM},
    {Ticker::kBytesCompressedTo, rocksdb::BYTES_COMPRESSED_TO},
    {Ticker::kNumberBlockCompressionBypassed,
     rocksdb::NUMBER_BLOCK_COMPRESSION_BYPASSED},
    {Ticker::kBytesCompressionBypassed, rocksdb::BYTES_COMPRESSION_BYPASSED},
    {Ticker::kNumberBlockCompressionRejected,
     rocksdb::NUMBER_BLOCK_COMPRESSION_REJECTED},
    {Ticker::kBytesCompressionRejected, rocksdb::BYTES_COMPRESSION_REJECTED},
};

// The row of each ticker; without one it is not passed.
constexpr std::array<const PassedTicker*, ashlar::kTickers> RowsByTicker() {
  std::array<const PassedTicker*, ashlar::kTickers> rows{};
  for (const PassedTicker& row : kPassedTickers) {
    rows[static_cast<size_t>(row.ours)] = &row;
  }
  return rows;
}
constexpr auto kRows = RowsByTicker();

class PassingSink final : public ashlar::StatisticsSink {
 public:
  explicit PassingSink(std::shared_ptr<rocksdb::Statistics> theirs)
      : theirs_(std::move(theirs)) {}

  void Add(Ticker ticker, uint64_t count) override {
    const PassedTicker* const row = kRows[static_cast<size_t>(ticker)];
    if (row == nullptr) return;
    theirs_->recordTick(row->theirs, count);
    if (row->sum != rocksdb::TICKER_ENUM_MAX) {
      theirs_->recordTick(row->sum, count);
    }
  }
  void AddSample(ashlar::Histogram histogram, uint64_t value) override {
    using ashlar::Histogram;
    if (histogram == Histogram::kCompressionTimesNanos) {
      theirs_->recordInHistogram(rocksdb::COMPRESSION_TIMES_NANOS, value);
    } else if (histogram == Histogram::kDecompressionTimesNanos) {
      theirs_->recordInHistogram(rocksdb::DECOMPRESSION_TIMES_NANOS, value);
    }
  }

 private:
  const std::shared_ptr<rocksdb::Statistics> theirs_;
};

struct PassedField {
  uint64_t ashlar::PerfContext::*ours;
  uint64_t rocksdb::PerfContext::*theirs;
};
// What a read adds to that finds its blocks in memory.
constexpr PassedField kPassedFields[] = {
    {&ashlar::PerfContext::bloom_sst_hit_count,
     &rocksdb::PerfContext::bloom_sst_hit_count},
    {&ashlar::PerfContext::bloom_sst_miss_count,
     &rocksdb::PerfContext::bloom_sst_miss_count},
    {&ashlar::PerfContext::block_cache_hit_count,
     &rocksdb::PerfContext::block_cache_hit_count},
    {&ashlar::PerfContext::block_cache_index_hit_count,
     &rocksdb::PerfContext::block_cache_index_hit_count},
    {&ashlar::PerfContext::block_cache_filter_hit_count,
     &rocksdb::PerfContext::block_cache_filter_hit_count},
    {&ashlar::PerfContext::block_cache_read_byte,
     &rocksdb::PerfContext::block_cache_read_byte},
    {&ashlar::PerfContext::block_cache_index_read_byte,
     &rocksdb::PerfContext::block_cache_index_read_byte},
    {&ashlar::PerfContext::block_cache_filter_read_byte,
     &rocksdb::PerfContext::block_cache_filter_read_byte},
    {&ashlar::PerfContext::block_seek_nanos,
     &rocksdb::PerfContext::block_seek_nanos},
};

// What only a read adds to that reads the file, or looks in a second tier.
constexpr PassedField kPassedFieldsOfFiles[] = {
    {&ashlar::PerfContext::block_read_count,
     &rocksdb::PerfContext::block_read_count},
    {&ashlar::PerfContext::index_block_read_count,
     &rocksdb::PerfContext::index_block_read_count},
    {&ashlar::PerfContext::filter_block_read_count,
     &rocksdb::PerfContext::filter_block_read_count},
    {&ashlar::PerfContext::block_read_byte,
     &rocksdb::PerfContext::block_read_byte},
    {&ashlar::PerfContext::data_block_read_byte,
     &rocksdb::PerfContext::data_block_read_byte},
    {&ashlar::PerfContext::index_block_read_byte,
     &rocksdb::PerfContext::index_block_read_byte},
    {&ashlar::PerfContext::filter_block_read_byte,
     &rocksdb::PerfContext::filter_block_read_byte},
    {&ashlar::PerfContext::compression_dict_block_read_byte,
     &rocksdb::PerfContext::compression_dict_block_read_byte},
    {&ashlar::PerfContext::metadata_block_read_byte,
     &rocksdb::PerfContext::metadata_block_read_byte},
    {&ashlar::PerfContext::block_cache_compression_dict_read_byte,
     &rocksdb::PerfContext::block_cache_compression_dict_read_byte},
    {&ashlar::PerfContext::secondary_cache_hit_count,
     &rocksdb::PerfContext::secondary_cache_hit_count},
    {&ashlar::PerfContext::block_read_time,
     &rocksdb::PerfContext::block_read_time},
    {&ashlar::PerfContext::block_checksum_time,
     &rocksdb::PerfContext::block_checksum_time},
    {&ashlar::PerfContext::block_decompress_time,
     &rocksdb::PerfContext::block_decompress_time},
};

}  // namespace

std::shared_ptr<ashlar::Statistics> NewPassingStatistics(
    std::shared_ptr<rocksdb::Statistics> theirs) {
  return std::make_shared<ashlar::Statistics>(
      std::make_shared<PassingSink>(std::move(theirs)));
}

ashlar::StatsLevel LevelFor(const rocksdb::Statistics& theirs) {
  return theirs.get_stats_level() > rocksdb::StatsLevel::kExceptDetailedTimers
             ? ashlar::StatsLevel::kAll
             : ashlar::StatsLevel::kExceptTimers;
}

PassedPerfContext::FileReads PassedPerfContext::file_reads() const {
  FileReads reads;
  if (!is_counting_) return reads;
  const ashlar::PerfContext& ours = *ashlar::GetPerfContext();
  reads.index_blocks = ours.index_block_read_count;
  reads.filter_blocks = ours.filter_block_read_count;
  reads.other_blocks =
      ours.block_read_count - reads.index_blocks - reads.filter_blocks;
  return reads;
}

void CountSeekFilter(rocksdb::Statistics* statistics, bool is_last_level,
                     bool ruled_out) {
  if (rocksdb::GetPerfLevel() > rocksdb::PerfLevel::kDisable) {
    rocksdb::PerfContext* const context = rocksdb::get_perf_context();
    ++(ruled_out ? context->bloom_sst_miss_count
                 : context->bloom_sst_hit_count);
  }
  if (statistics == nullptr) return;
  const rocksdb::Tickers in_last = ruled_out
                                       ? rocksdb::LAST_LEVEL_SEEK_FILTERED
                                       : rocksdb::LAST_LEVEL_SEEK_FILTER_MATCH;
  const rocksdb::Tickers above =
      ruled_out ? rocksdb::NON_LAST_LEVEL_SEEK_FILTERED
                : rocksdb::NON_LAST_LEVEL_SEEK_FILTER_MATCH;
  statistics->recordTick(is_last_level ? in_last : above, 1);
}

void CountSeekData(rocksdb::Statistics* statistics, bool is_last_level) {
  statistics->recordTick(is_last_level ? rocksdb::LAST_LEVEL_SEEK_DATA
                                       : rocksdb::NON_LAST_LEVEL_SEEK_DATA,
                         1);
}

void CountSeekDataUse(rocksdb::Statistics* statistics, bool is_last_level,
                      bool filter_passed) {
  using rocksdb::Tickers;
  const Tickers in_last =
      filter_passed ? rocksdb::LAST_LEVEL_SEEK_DATA_USEFUL_FILTER_MATCH
                    : rocksdb::LAST_LEVEL_SEEK_DATA_USEFUL_NO_FILTER;
  const Tickers above =
      filter_passed ? rocksdb::NON_LAST_LEVEL_SEEK_DATA_USEFUL_FILTER_MATCH
                    : rocksdb::NON_LAST_LEVEL_SEEK_DATA_USEFUL_NO_FILTER;
  statistics->recordTick(is_last_level ? in_last : above, 1);
}

void PassedPerfContext::PassByLevel(rocksdb::PerfContext* theirs) const {
  const ashlar::PerfContext& ours = *ashlar::GetPerfContext();
  rocksdb::PerfContextByLevel& level =
      (*theirs->level_to_perf_context)[static_cast<uint32_t>(level_)];
  level.bloom_filter_useful += ours.bloom_sst_miss_count;
  level.bloom_filter_full_positive += ours.bloom_sst_hit_count;
  level.bloom_filter_full_true_positive += true_positives_;
  level.block_cache_hit_count += ours.block_cache_hit_count;
  level.block_cache_miss_count += ours.block_cache_miss_count;
}

void PassedPerfContext::Pass() const {
  ashlar::PerfContext* const ours = ashlar::GetPerfContext();
  rocksdb::PerfContext* const theirs = rocksdb::get_perf_context();
  for (const PassedField& field : kPassedFields) {
    theirs->*field.theirs += ours->*field.ours;
  }
  // What else these fields count follows one of these.
  if ((ours->block_cache_miss_count | ours->block_read_count |
       ours->block_read_time | ours->secondary_cache_hit_count) != 0) {
    for (const PassedField& field : kPassedFieldsOfFiles) {
      theirs->*field.theirs += ours->*field.ours;
    }
  }
  if (theirs->per_level_perf_context_enabled &&
      theirs->level_to_perf_context != nullptr) [[unlikely]] {
    PassByLevel(theirs);
  }
  ours->Reset();
}

}  // namespace ashlar_rocksdb
