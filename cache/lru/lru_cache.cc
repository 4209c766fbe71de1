#include "cache/lru/lru_cache.h"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "port/coarse_clock.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

LruCache::LruCache(const LruCacheOptions& options, size_t shards)
    : Cache(options.memory_allocator),
      seed_(MakeHashSeed(options.hash_seed)),
      capacity_(options.capacity),
      strict_(options.strict_capacity_limit) {
  const bool charged =
      options.metadata_charge_policy == CacheMetadataChargePolicy::kFullCharge;
  const LruOwner owner = {.eviction_callback = &eviction_callback(),
                          .allocator = memory_allocator(),
                          .age_clock = options.age_clock != nullptr
                                           ? options.age_clock
                                           : port::CoarseSeconds,
                          .metadata_charge = charged ? kLruMetadataBytes : 0,
                          .high_pri_pool_ratio = options.high_pri_pool_ratio,
                          .low_pri_pool_ratio = options.low_pri_pool_ratio};
  for (size_t i = 0; i < shards; ++i) {
    shards_.push_back(std::make_unique<LruShard>(owner, seed_));
  }
  const MutexLock lock(&mutex_);
  ShareCapacity();
}

// Exact to the byte, so that the parts are not more than the whole.
void LruCache::ShareCapacity() {
  const size_t each = capacity_.Load() / shards_.size();
  const size_t rest = capacity_.Load() % shards_.size();
  for (size_t i = 0; i < shards_.size(); ++i) {
    shards_[i]->SetCapacity(each + (i < rest ? 1 : 0), strict_.Load());
  }
}

void LruCache::SetCapacity(size_t capacity) {
  const MutexLock lock(&mutex_);
  capacity_.Store(capacity);
  ShareCapacity();
}

void LruCache::SetStrictCapacityLimit(bool strict_capacity_limit) {
  const MutexLock lock(&mutex_);
  strict_.Store(strict_capacity_limit);
  ShareCapacity();
}

Status LruCache::Insert(const CacheKey& key, void* value,
                        const CacheItemOps* ops, size_t charge,
                        CacheHandle** handle, CachePriority priority) {
  const uint64_t hash = KeyHash(key, seed_);
  return ShardOf(hash).Insert(key, hash, value, ops, charge, handle, priority);
}

CacheHandle* LruCache::CreateStandalone(const CacheKey& key, void* value,
                                        const CacheItemOps* ops, size_t charge,
                                        bool allow_uncharged) {
  return ShardOf(KeyHash(key, seed_))
      .CreateStandalone(key, value, ops, charge, allow_uncharged);
}

CacheHandle* LruCache::Lookup(const CacheKey& key, SlotHint* /*slot_hint*/) {
  const uint64_t hash = KeyHash(key, seed_);
  return ShardOf(hash).Lookup(key, hash);
}

// Goes shard by shard, so that each mutex is taken once for all of its keys.
// Works on this many keys at a time, so that their order needs no allocation.
void LruCache::LookupBatch(std::span<const CacheKey> keys,
                           CacheHandle** handles, SlotHint* /*slot_hints*/) {
  constexpr size_t kBatch = 128;
  std::array<uint64_t, kBatch> hashes;
  std::array<uint8_t, kBatch> order;
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const CacheKey* const part = keys.data() + begin;
    const size_t n = std::min(kBatch, keys.size() - begin);
    for (size_t i = 0; i < n; ++i) hashes[i] = KeyHash(part[i], seed_);
    std::iota(order.begin(), order.begin() + n, uint8_t{0});
    const auto shard = [&](uint8_t i) { return ShardNumber(hashes[i]); };
    std::sort(order.begin(), order.begin() + n, [&](uint8_t a, uint8_t b) {
      return shard(a) != shard(b) ? shard(a) < shard(b) : a < b;
    });
    for (size_t first = 0; first < n;) {
      size_t end = first + 1;
      while (end < n && shard(order[end]) == shard(order[first])) ++end;
      shards_[shard(order[first])]->LookupEach(
          std::span(order).subspan(first, end - first), part, hashes.data(),
          handles + begin);
      first = end;
    }
  }
}

bool LruCache::Ref(CacheHandle* handle) {
  auto* const entry = static_cast<LruEntry*>(handle);
  return ShardOf(KeyHash(entry->key, seed_)).Ref(entry);
}

bool LruCache::Release(CacheHandle* handle, bool erase_if_last_ref) {
  auto* const entry = static_cast<LruEntry*>(handle);
  return ShardOf(KeyHash(entry->key, seed_)).Release(entry, erase_if_last_ref);
}

void LruCache::Erase(const CacheKey& key) {
  const uint64_t hash = KeyHash(key, seed_);
  ShardOf(hash).Erase(key, hash);
}

void LruCache::EraseUnRefEntries() {
  for (const auto& shard : shards_) shard->EraseUnRefEntries();
}

void LruCache::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  for (const auto& shard : shards_) shard->ForEachEntry(callback);
}

bool LruCache::VisitEntry(
    const CacheKey& key,
    const std::function<void(const CacheEntryView&)>& callback) {
  const uint64_t hash = KeyHash(key, seed_);
  return ShardOf(hash).VisitEntry(key, hash, callback);
}

size_t LruCache::Sum(size_t LruShard::Figures::*figure) const {
  size_t sum = 0;
  for (const auto& shard : shards_) sum += shard->GetFigures().*figure;
  return sum;
}

size_t LruCache::GetUsage() const { return Sum(&LruShard::Figures::usage); }

size_t LruCache::GetPinnedUsage() const {
  return Sum(&LruShard::Figures::pinned_usage);
}

size_t LruCache::GetOccupancyCount() const {
  return Sum(&LruShard::Figures::occupancy);
}

size_t LruCache::GetTableAddressCount() const {
  return Sum(&LruShard::Figures::buckets);
}

size_t LruCache::GetTableBytes() const {
  return Sum(&LruShard::Figures::table_bytes);
}

std::string LruCache::ReportProblems() const {
  const size_t in_use = GetPinnedUsage();
  if (in_use <= GetCapacity()) return {};
  return "LRUCache: entries in use take " + std::to_string(in_use) +
         " bytes, more than the capacity of " + std::to_string(GetCapacity());
}

namespace {

constexpr int kMaxShardBits = 16;

// Returns false for NaN.
bool IsRatio(double x) { return x >= 0 && x <= 1; }

Status Validate(const LruCacheOptions& options) {
  if (options.num_shard_bits < -1 || options.num_shard_bits > kMaxShardBits) {
    return Status::InvalidArgument("num_shard_bits is " +
                                   std::to_string(options.num_shard_bits) +
                                   ", expected -1 to 16");
  }
  if (!IsRatio(options.high_pri_pool_ratio)) {
    return Status::InvalidArgument("high_pri_pool_ratio is " +
                                   std::to_string(options.high_pri_pool_ratio) +
                                   ", expected 0 to 1");
  }
  if (!IsRatio(options.low_pri_pool_ratio)) {
    return Status::InvalidArgument("low_pri_pool_ratio is " +
                                   std::to_string(options.low_pri_pool_ratio) +
                                   ", expected 0 to 1");
  }
  if (options.high_pri_pool_ratio + options.low_pri_pool_ratio > 1) {
    return Status::InvalidArgument(
        "high_pri_pool_ratio and low_pri_pool_ratio are more than 1 together");
  }
  return {};
}

size_t ShardsFor(const LruCacheOptions& options) {
  constexpr size_t kLeastShardBytes = size_t{512} << 10;
  constexpr size_t kMostShards = 64;
  if (options.num_shard_bits >= 0) return size_t{1} << options.num_shard_bits;
  const size_t shards = options.capacity / kLeastShardBytes;
  return shards <= 1            ? 1
         : shards > kMostShards ? kMostShards
                                : std::bit_floor(shards);
}

}  // namespace

}  // namespace internal

Result<std::shared_ptr<Cache>> NewLruCache(const LruCacheOptions& options) {
  return internal::OrMemoryLimit([&]() -> Result<std::shared_ptr<Cache>> {
    Status status = internal::Validate(options);
    if (!status.ok()) return status;
    return std::shared_ptr<Cache>(std::make_shared<internal::LruCache>(
        options, internal::ShardsFor(options)));
  });
}

}  // namespace ashlar
