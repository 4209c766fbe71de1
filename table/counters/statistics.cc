// Statistics: shards by thread, and tickers by name.

#include "ashlar/table/statistics.h"

#include <algorithm>
#include <new>

#include "table/counters/statistics_shards.h"
#include "util/mem/thread_exit.h"

namespace ashlar {

namespace internal {

constinit thread_local ThreadShard thread_shard;

namespace {

// Whether the thread's list of shards exists.
constinit thread_local ThreadObject state = ThreadObject::kUnborn;

// All shards that a thread has. Gives them back when the thread ends.
class ShardsOfThread {
 public:
  ~ShardsOfThread() {
    state = ThreadObject::kEnded;
    thread_shard = {};
    for (const Held& held : held_) {
      if (const auto owner = held.owner.lock()) owner->GiveBack(held.shard);
    }
  }

  StatisticsShard* Find(uint64_t id,
                        const std::shared_ptr<StatisticsShards>& owner) {
    const auto found = std::find_if(held_.begin(), held_.end(),
                                    [id](const Held& h) { return h.id == id; });
    if (found != held_.end()) return found->shard;
    std::erase_if(held_, [](const Held& h) { return h.owner.expired(); });
    // Makes room first, so that no shard can be lost.
    if (held_.size() == held_.capacity()) held_.reserve(2 * held_.size() + 4);
    held_.push_back({id, owner, owner->Take()});
    return held_.back().shard;
  }

 private:
  struct Held {
    uint64_t id;
    std::weak_ptr<StatisticsShards> owner;
    StatisticsShard* shard;
  };
  std::vector<Held> held_;
};

uint64_t NextId() {
  static RelaxedAtomic<uint64_t> last{0};
  return last.FetchAdd(1) + 1;
}

}  // namespace

// Returns null also if memory runs out: a read must not fail because it cannot
// be counted.
StatisticsShard* StatisticsShards::Find(const Statistics& statistics) {
  if (!MayUse(&state)) return nullptr;
  thread_local ShardsOfThread mine;
  try {
    thread_shard = {statistics.id_,
                    mine.Find(statistics.id_, statistics.shards_)};
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return thread_shard.shard;
}

StatisticsShard* StatisticsShards::Take() {
  const MutexLock lock(&mutex_);
  if (free_.empty()) {
    // GiveBack, which runs when the thread ends, must find room.
    free_.reserve(shards_.size() + 1);
    return &shards_.emplace_back(sink_.get());
  }
  StatisticsShard* const shard = free_.back();
  free_.pop_back();
  return shard;
}

void StatisticsShards::GiveBack(StatisticsShard* shard) {
  const MutexLock lock(&mutex_);
  free_.push_back(shard);
}

TickerCounts StatisticsShards::AllSums() const {
  TickerCounts sums = {};
  for (const StatisticsShard& shard : shards_) shard.AddTo(&sums);
  return sums;
}

TickerCounts StatisticsShards::Sums() const {
  const MutexLock lock(&mutex_);
  TickerCounts sums = AllSums();
  for (size_t i = 0; i < sums.size(); ++i) sums[i] -= at_reset_[i];
  return sums;
}

// Shards belong to their threads. What they have counted so far is subtracted
// from now on.
void StatisticsShards::Reset() {
  const MutexLock lock(&mutex_);
  at_reset_ = AllSums();
  era_.FetchAdd(1);
}

HistogramSamples StatisticsShards::Samples(Histogram histogram) const {
  const MutexLock lock(&mutex_);
  HistogramSamples samples;
  for (const StatisticsShard& shard : shards_) {
    shard.AddSamplesTo(histogram, era_.Load(), &samples);
  }
  return samples;
}

}  // namespace internal

namespace {

constexpr std::array<std::string_view, kTickers> kNames = {
    "rocksdb.number.keys.read",
    "rocksdb.bytes.read",
    "rocksdb.bloom.filter.useful",
    "rocksdb.bloom.filter.full.positive",
    "rocksdb.bloom.filter.full.true.positive",
    "rocksdb.block.cache.data.hit",
    "rocksdb.number.multiget.keys.read",
    "rocksdb.number.multiget.keys.found",
    "rocksdb.number.multiget.get",
    "rocksdb.number.multiget.bytes.read",
    "rocksdb.bloom.filter.prefix.checked",
    "rocksdb.bloom.filter.prefix.useful",
    "rocksdb.bloom.filter.prefix.true.positive",
    "rocksdb.block.cache.data.miss",
    "rocksdb.block.cache.data.add",
    "rocksdb.block.cache.data.bytes.insert",
    "rocksdb.block.cache.index.hit",
    "rocksdb.block.cache.index.miss",
    "rocksdb.block.cache.index.add",
    "rocksdb.block.cache.index.bytes.insert",
    "rocksdb.block.cache.filter.hit",
    "rocksdb.block.cache.filter.miss",
    "rocksdb.block.cache.filter.add",
    "rocksdb.block.cache.filter.bytes.insert",
    "rocksdb.block.cache.compression.dict.hit",
    "rocksdb.block.cache.compression.dict.miss",
    "rocksdb.block.cache.compression.dict.add",
    "rocksdb.block.cache.compression.dict.bytes.insert",
    "rocksdb.block.cache.bytes.read",
    "ashlar.block.read.count",
    "ashlar.block.read.bytes",
    "ashlar.file.read.count",
    "ashlar.file.read.bytes",
    "rocksdb.block.checksum.compute.count",
    "rocksdb.block.checksum.mismatch.count",
    "rocksdb.number.block.decompressed",
    "rocksdb.bytes.decompressed.from",
    "rocksdb.bytes.decompressed.to",
    "rocksdb.number.db.seek",
    "rocksdb.block.cache.add.failures",
    "rocksdb.secondary.cache.data.hits",
    "rocksdb.no.file.opens",
    "rocksdb.no.file.errors",
    "ashlar.table.cache.hit",
    "ashlar.table.cache.miss",
    "ashlar.table.cache.evict",
    "ashlar.table.cache.descriptor.evict",
    "ashlar.filter.unknown.policy",
    "rocksdb.number.block.compressed",
    "rocksdb.bytes.compressed.from",
    "rocksdb.bytes.compressed.to",
    "rocksdb.number.block_compression_bypassed",
    "rocksdb.bytes.compression_bypassed",
    "rocksdb.number.block_compression_rejected",
    "rocksdb.bytes.compression.rejected",
    "rocksdb.block.cache.hit",
    "rocksdb.block.cache.miss",
    "rocksdb.block.cache.add",
    "rocksdb.block.cache.bytes.write",
    "rocksdb.secondary.cache.hits",
};

uint64_t CountIn(const internal::TickerCounts& sums, Ticker ticker) {
  const auto of = [&sums](Ticker t) { return sums[static_cast<size_t>(t)]; };
  switch (ticker) {
    case Ticker::kBlockCacheHit:
      return of(Ticker::kBlockCacheDataHit) + of(Ticker::kBlockCacheIndexHit) +
             of(Ticker::kBlockCacheFilterHit) +
             of(Ticker::kBlockCacheCompressionDictHit);
    case Ticker::kBlockCacheMiss:
      return of(Ticker::kBlockCacheDataMiss) +
             of(Ticker::kBlockCacheIndexMiss) +
             of(Ticker::kBlockCacheFilterMiss) +
             of(Ticker::kBlockCacheCompressionDictMiss);
    case Ticker::kBlockCacheAdd:
      return of(Ticker::kBlockCacheDataAdd) + of(Ticker::kBlockCacheIndexAdd) +
             of(Ticker::kBlockCacheFilterAdd) +
             of(Ticker::kBlockCacheCompressionDictAdd);
    case Ticker::kBlockCacheBytesWrite:
      return of(Ticker::kBlockCacheDataBytesInsert) +
             of(Ticker::kBlockCacheIndexBytesInsert) +
             of(Ticker::kBlockCacheFilterBytesInsert) +
             of(Ticker::kBlockCacheCompressionDictBytesInsert);
    case Ticker::kSecondaryCacheHits:
      return of(Ticker::kSecondaryCacheDataHits);
    default:
      return of(ticker);
  }
}

}  // namespace

std::string_view TickerName(Ticker ticker) {
  return kNames[static_cast<size_t>(ticker)];
}

StatisticsSink::~StatisticsSink() = default;

Statistics::Statistics() : Statistics(nullptr) {}

Statistics::Statistics(std::shared_ptr<StatisticsSink> sink)
    : shards_(std::make_shared<internal::StatisticsShards>(std::move(sink))),
      id_(internal::NextId()) {}

Statistics::~Statistics() = default;

uint64_t Statistics::GetTickerCount(Ticker ticker) const {
  return CountIn(shards_->Sums(), ticker);
}

void Statistics::Reset() { shards_->Reset(); }

void Statistics::set_stats_level(StatsLevel level) {
  shards_->set_level(level);
}

StatsLevel Statistics::get_stats_level() const { return shards_->level(); }

HistogramSamples Statistics::GetHistogram(Histogram histogram) const {
  return shards_->Samples(histogram);
}

void Statistics::ForEach(
    const std::function<void(std::string_view name, uint64_t count)>& visit)
    const {
  const internal::TickerCounts sums = shards_->Sums();
  for (size_t i = 0; i < kTickers; ++i) {
    visit(kNames[i], CountIn(sums, static_cast<Ticker>(i)));
  }
}

std::string Statistics::ToString() const {
  std::string text;
  ForEach([&text](std::string_view name, uint64_t count) {
    text.append(name);
    text += " COUNT : " + std::to_string(count) + "\n";
  });
  for (size_t i = 0; i < kHistograms; ++i) {
    const auto histogram = static_cast<Histogram>(i);
    const HistogramData data = GetHistogram(histogram).Data();
    text.append(HistogramName(histogram));
    text += " P50 : " + std::to_string(data.median) +
            " P95 : " + std::to_string(data.percentile95) +
            " P99 : " + std::to_string(data.percentile99) +
            " P100 : " + std::to_string(data.max) +
            " COUNT : " + std::to_string(data.count) +
            " SUM : " + std::to_string(data.sum) + "\n";
  }
  return text;
}

}  // namespace ashlar
