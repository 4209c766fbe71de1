#include "ashlar_cache.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "ashlar/cache/cache_options.h"
#include "ashlar/cache/tiered_cache.h"
#include "ashlar_cache_ops.h"
#include "cache/secondary_cache_adapter.h"
#include "cache/sharded_cache.h"
#include "cache_terms.h"
#include "rocksdb/env.h"
#include "rocksdb/perf_context.h"
#include "rocksdb/perf_level.h"
#include "rocksdb/statistics.h"

namespace ashlar_rocksdb {

namespace {

using rocksdb::Slice;
using rocksdb::Status;

// The cache as RocksDB sees it. Its handles and values are those of `inner`. So
// this class allocates no memory for an entry.
//
// It derives from the base of RocksDB's own caches, because tools and tests of
// RocksDB cast a block cache to that. It uses the base for its hash seed, its
// ids and its number of shards. All else is in `inner`.
class AshlarCacheFace final
    : public rocksdb::ShardedCacheBase,
      public std::enable_shared_from_this<AshlarCacheFace> {
 public:
  // CacheWrappers take the name of what they wrap, but not this one.
  static const char* kClassName() { return "ashlar_rocksdb::AshlarCacheFace"; }

  // `options` are those that `inner` is then made from.
  explicit AshlarCacheFace(const rocksdb::HyperClockCacheOptions& options)
      : ShardedCacheBase(options) {}

  // Called once, before any other function.
  void Use(std::shared_ptr<ashlar::Cache> inner,
           std::shared_ptr<ashlar::SecondaryCache> tier) {
    inner_ = std::move(inner);
    tier_ = std::move(tier);
    // `inner_` does not outlive this object: UnderlyingCache sees to that.
    inner_->SetEvictionCallback(
        [this](const ashlar::CacheKey& key, const ashlar::CacheHandle& entry,
               bool was_hit) { return Evict(key, entry, was_hit); });
  }
  const std::shared_ptr<ashlar::Cache>& inner() const { return inner_; }

  const char* Name() const override { return "AshlarCache"; }
  bool IsInstanceOf(const std::string& name) const override {
    return name == kClassName() || Cache::IsInstanceOf(name);
  }

  Status Insert(const Slice& key, ObjectPtr obj, const CacheItemHelper* helper,
                size_t charge, Handle** handle, Priority priority,
                const Slice& compressed,
                rocksdb::CompressionType type) override;
  Handle* CreateStandalone(const Slice& key, ObjectPtr obj,
                           const CacheItemHelper* helper, size_t charge,
                           bool allow_uncharged) override;
  Handle* Lookup(const Slice& key, const CacheItemHelper* helper,
                 CreateContext* create_context, Priority priority,
                 rocksdb::Statistics* stats) override;
  bool Ref(Handle* handle) override { return inner_->Ref(Ours(handle)); }
  bool Release(Handle* handle, bool erase_if_last_ref) override {
    return handle != nullptr &&
           inner_->Release(Ours(handle), erase_if_last_ref);
  }
  bool Release(Handle* handle, bool /*useful*/,
               bool erase_if_last_ref) override {
    return AshlarCacheFace::Release(handle, erase_if_last_ref);
  }
  ObjectPtr Value(Handle* handle) override { return Ours(handle)->value(); }
  void Erase(const Slice& key) override {
    if (key.size() == kKeyBytes) inner_->Erase(GuestKey(key));
  }
  void EraseUnRefEntries() override { inner_->EraseUnRefEntries(); }

  void SetCapacity(size_t capacity) override { inner_->SetCapacity(capacity); }
  size_t GetCapacity() const override { return inner_->GetCapacity(); }
  void SetStrictCapacityLimit(bool strict) override {
    inner_->SetStrictCapacityLimit(strict);
  }
  bool HasStrictCapacityLimit() const override {
    return inner_->HasStrictCapacityLimit();
  }

  using ShardedCacheBase::GetUsage;
  size_t GetUsage() const override { return inner_->GetUsage(); }
  size_t GetPinnedUsage() const override { return inner_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override {
    return inner_->GetOccupancyCount();
  }
  size_t GetTableAddressCount() const override {
    return inner_->GetTableAddressCount();
  }
  size_t GetCharge(Handle* handle) const override {
    return Ours(handle)->charge();
  }
  const CacheItemHelper* GetCacheItemHelper(Handle* handle) const override {
    return RocksDbOpsOf(Ours(handle)->ops());
  }
  Status GetSecondaryCacheCapacity(size_t& size) const override {
    size = tier_ == nullptr ? 0 : tier_->GetCapacity();
    return Status::OK();
  }

  void ApplyToAllEntries(
      const std::function<void(const Slice&, ObjectPtr, size_t,
                               const CacheItemHelper*)>& callback,
      const ApplyToAllEntriesOptions& opts) override;
  void ApplyToHandle(
      Cache* cache, Handle* handle,
      const std::function<void(const Slice&, ObjectPtr, size_t,
                               const CacheItemHelper*)>& callback) override;
  std::string GetPrintableOptions() const override;
  void ReportProblems(
      const std::shared_ptr<rocksdb::Logger>& info_log) const override;

 protected:
  void AppendPrintableOptions(std::string& str) const override;

 private:
  static ashlar::CacheHandle* Ours(Handle* handle) {
    return reinterpret_cast<ashlar::CacheHandle*>(handle);
  }
  static Handle* Theirs(ashlar::CacheHandle* handle) {
    return reinterpret_cast<Handle*>(handle);
  }
  static ashlar::CacheKey GuestKey(const Slice& key) {
    return kGuestsOfAshlar.Of(KeyOfSlice(key));
  }
  static KeyBytes TheirKey(const ashlar::CacheKey& key) {
    return KeyBytes(kGuestsOfAshlar.Of(key));
  }

  Handle* LookupTier(const ashlar::CacheKey& key, const CacheItemHelper& helper,
                     CreateContext* create_context, Priority priority,
                     rocksdb::Statistics* stats);
  bool Evict(const ashlar::CacheKey& key, const ashlar::CacheHandle& entry,
             bool was_hit);

  std::shared_ptr<ashlar::Cache> inner_;
  std::shared_ptr<ashlar::SecondaryCache> tier_;
};

Status AshlarCacheFace::Insert(const Slice& key, ObjectPtr obj,
                               const CacheItemHelper* helper, size_t charge,
                               Handle** handle, Priority priority,
                               const Slice& /*compressed*/,
                               rocksdb::CompressionType /*type*/) {
  if (key.size() != kKeyBytes) [[unlikely]] {
    return Status::NotSupported("AshlarCache: a key of " +
                                std::to_string(key.size()) +
                                " bytes, expected 16");
  }
  const ashlar::CacheItemOps* const ops = OpsOf(helper);
  if (ops == nullptr) [[unlikely]] {
    return Status::NotSupported("AshlarCache: more than " +
                                std::to_string(kMostItemOps) +
                                " kinds of values in this process");
  }
  ashlar::CacheHandle* held = nullptr;
  const ashlar::Status s =
      inner_->Insert(GuestKey(key), obj, ops, charge,
                     handle == nullptr ? nullptr : &held, ToAshlar(priority));
  if (handle != nullptr) *handle = Theirs(held);
  return s.ok() ? Status::OK() : Status::MemoryLimit(s.ToString());
}

rocksdb::Cache::Handle* AshlarCacheFace::CreateStandalone(
    const Slice& key, ObjectPtr obj, const CacheItemHelper* helper,
    size_t charge, bool allow_uncharged) {
  if (key.size() != kKeyBytes) return nullptr;
  const ashlar::CacheItemOps* const ops = OpsOf(helper);
  if (ops == nullptr) return nullptr;
  const ashlar::CacheKey guest = GuestKey(key);
  ashlar::CacheHandle* held =
      inner_->CreateStandalone(guest, obj, ops, charge, false);
  // RocksDB tells from GetCharge that such an entry does not count.
  if (held == nullptr && allow_uncharged) {
    held = inner_->CreateStandalone(guest, obj, ops, 0, true);
  }
  return Theirs(held);
}

rocksdb::Cache::Handle* AshlarCacheFace::Lookup(const Slice& key,
                                                const CacheItemHelper* helper,
                                                CreateContext* create_context,
                                                Priority priority,
                                                rocksdb::Statistics* stats) {
  if (key.size() != kKeyBytes) [[unlikely]]
    return nullptr;
  const ashlar::CacheKey guest = GuestKey(key);
  ashlar::CacheHandle* const held = inner_->Lookup(guest);
  if (held == nullptr && tier_ != nullptr && helper != nullptr &&
      helper->IsSecondaryCacheCompatible()) {
    return LookupTier(guest, *helper, create_context, priority, stats);
  }
  return Theirs(held);
}

rocksdb::Cache::Handle* AshlarCacheFace::LookupTier(
    const ashlar::CacheKey& key, const CacheItemHelper& helper,
    CreateContext* create_context, Priority priority,
    rocksdb::Statistics* stats) {
  const ashlar::CacheItemOps* const ops = OpsOf(&helper);
  if (ops == nullptr) return nullptr;
  ashlar::CacheHandle* const held =
      inner_->LookupSecondary(key, ops, create_context, ToAshlar(priority));
  if (held == nullptr) return nullptr;
  if (rocksdb::GetPerfLevel() >= rocksdb::PerfLevel::kEnableCount) {
    ++rocksdb::get_perf_context()->secondary_cache_hit_count;
  }
  if (stats == nullptr) return Theirs(held);
  stats->recordTick(rocksdb::SECONDARY_CACHE_HITS);
  if (helper.role == rocksdb::CacheEntryRole::kFilterBlock) {
    stats->recordTick(rocksdb::SECONDARY_CACHE_FILTER_HITS);
  } else if (helper.role == rocksdb::CacheEntryRole::kIndexBlock) {
    stats->recordTick(rocksdb::SECONDARY_CACHE_INDEX_HITS);
  } else if (helper.role == rocksdb::CacheEntryRole::kDataBlock) {
    stats->recordTick(rocksdb::SECONDARY_CACHE_DATA_HITS);
  }
  return Theirs(held);
}

bool AshlarCacheFace::Evict(const ashlar::CacheKey& key,
                            const ashlar::CacheHandle& entry, bool was_hit) {
  if (!eviction_callback_ || RocksDbOpsOf(entry.ops()) == nullptr) return false;
  return eviction_callback_(TheirKey(key).slice(),
                            Theirs(const_cast<ashlar::CacheHandle*>(&entry)),
                            was_hit);
}

// RocksDB counts the entries of Ashlar's readers by the role of these. They
// have no functions, and their values are not shown: RocksDB could do nothing
// with them.
const rocksdb::Cache::CacheItemHelper* OpsForStatistics(
    ashlar::CacheEntryRole role) {
  using ItemFunctions =
      std::array<rocksdb::Cache::CacheItemHelper, ashlar::kCacheEntryRoles>;
  static const ItemFunctions& helpers = *[] {
    auto* const made = new ItemFunctions;
    for (size_t i = 0; i < made->size(); ++i) {
      (*made)[i].role = ToRocksDb(static_cast<ashlar::CacheEntryRole>(i));
    }
    return made;
  }();
  return &helpers[static_cast<size_t>(role)];
}

void AshlarCacheFace::ApplyToAllEntries(
    const std::function<void(const Slice&, ObjectPtr, size_t,
                             const CacheItemHelper*)>& callback,
    const ApplyToAllEntriesOptions& /*opts*/) {
  inner_->ForEachEntry([&callback](const ashlar::CacheEntryView& entry) {
    const CacheItemHelper* const helper = RocksDbOpsOf(entry.ops);
    if (helper != nullptr) {
      callback(TheirKey(entry.key).slice(), entry.value, entry.charge, helper);
    } else {
      callback(KeyBytes(entry.key).slice(), nullptr, entry.charge,
               OpsForStatistics(entry.ops->role));
    }
  });
}

void AshlarCacheFace::ApplyToHandle(
    Cache* /*cache*/, Handle* handle,
    const std::function<void(const Slice&, ObjectPtr, size_t,
                             const CacheItemHelper*)>& callback) {
  const ashlar::CacheKey key = inner_->KeyOf(*Ours(handle));
  callback(TheirKey(key).slice(), Value(handle), GetCharge(handle),
           GetCacheItemHelper(handle));
}

std::string AshlarCacheFace::GetPrintableOptions() const {
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text.append("    ").append(name).append(" : ").append(value).append("\n");
  };
  line("capacity", std::to_string(GetCapacity()));
  line("num_shard_bits", std::to_string(GetNumShardBits()));
  line("strict_capacity_limit", std::to_string(HasStrictCapacityLimit()));
  line("memory_allocator",
       memory_allocator() == nullptr ? "None" : memory_allocator()->Name());
  AppendPrintableOptions(text);
  return text;
}

void AshlarCacheFace::AppendPrintableOptions(std::string& str) const {
  str.append("    ashlar_cache : ").append(inner_->Name()).append("\n");
  if (tier_ == nullptr) return;
  str.append("    ashlar_second_tier : ").append(tier_->Name());
  str.append(" of ").append(std::to_string(tier_->GetCapacity()));
  str.append("\n");
}

void AshlarCacheFace::ReportProblems(
    const std::shared_ptr<rocksdb::Logger>& info_log) const {
  const std::string text = inner_->ReportProblems();
  if (!text.empty()) rocksdb::Warn(info_log, "AshlarCache: %s", text.c_str());
}

// RocksDB's allocator, and what stands for it in Ashlar.
struct SharedAllocator {
  explicit SharedAllocator(std::shared_ptr<rocksdb::MemoryAllocator> its_target)
      : target(std::move(its_target)), adapter(target.get()) {}

  const std::shared_ptr<rocksdb::MemoryAllocator> target;
  AllocatorOfRocksDb adapter;
};

std::shared_ptr<ashlar::MemoryAllocator> Adapt(
    const std::shared_ptr<rocksdb::MemoryAllocator>& allocator) {
  if (allocator == nullptr) return nullptr;
  const auto shared = std::make_shared<SharedAllocator>(allocator);
  return {shared, &shared->adapter};
}

// Makes the cache within, seeded as RocksDB's own caches would be.
ashlar::Result<std::shared_ptr<ashlar::Cache>> NewInner(
    const AshlarCacheOptions& options,
    const rocksdb::HyperClockCacheOptions& resolved, uint32_t hash_seed) {
  ashlar::HyperClockCacheOptions ours;
  ours.capacity = resolved.capacity;
  ours.estimated_entry_charge = resolved.estimated_entry_charge;
  ours.min_avg_entry_charge =
      std::max<size_t>(1, resolved.min_avg_entry_charge);
  ours.num_shard_bits = resolved.num_shard_bits;
  ours.strict_capacity_limit = resolved.strict_capacity_limit;
  ours.eviction_effort_cap = std::max(1, resolved.eviction_effort_cap);
  ours.admission = options.admission;
  ours.metadata_charge_policy =
      resolved.metadata_charge_policy == rocksdb::kFullChargeCacheMetadata
          ? ashlar::CacheMetadataChargePolicy::kFullCharge
          : ashlar::CacheMetadataChargePolicy::kDontCharge;
  ours.memory_allocator = Adapt(resolved.memory_allocator);
  // 0 would mean a random one.
  ours.hash_seed = uint64_t{hash_seed} + 1;
  auto cache = ashlar::NewHyperClockCache(ours);
  if (!cache.ok() || options.second_tier == nullptr) return cache;
  auto tiered = ashlar::NewTieredCache(
      {.primary = std::move(cache).value(), .secondary = options.second_tier});
  if (!tiered.ok()) return tiered.status();
  return std::shared_ptr<ashlar::Cache>(std::move(tiered).value());
}

}  // namespace

Status NewAshlarCache(const AshlarCacheOptions& options,
                      std::shared_ptr<rocksdb::Cache>* cache) {
  constexpr size_t kLeastShardBytes = size_t{512} << 20;
  constexpr int kMostShardBits = 16;
  cache->reset();
  rocksdb::HyperClockCacheOptions resolved = options.hyper_clock;
  if (resolved.num_shard_bits < 0) {
    resolved.num_shard_bits =
        rocksdb::GetDefaultCacheShardBits(resolved.capacity, kLeastShardBytes);
  }
  if (resolved.num_shard_bits > kMostShardBits) {
    return Status::InvalidArgument("num_shard_bits is " +
                                   std::to_string(resolved.num_shard_bits) +
                                   ", expected -1 to 16");
  }
  auto face = std::make_shared<AshlarCacheFace>(resolved);
  auto inner = NewInner(options, resolved, face->GetHashSeed());
  if (!inner.ok()) {
    return inner.status().IsMemoryLimit()
               ? Status::MemoryLimit(inner.status().ToString())
               : Status::InvalidArgument(inner.status().ToString());
  }
  face->Use(std::move(inner).value(), options.second_tier);
  *cache = std::move(face);
  if (resolved.secondary_cache != nullptr) {
    *cache = std::make_shared<rocksdb::CacheWithSecondaryAdapter>(
        std::move(*cache), resolved.secondary_cache);
  }
  return Status::OK();
}

std::shared_ptr<ashlar::Cache> UnderlyingCache(rocksdb::Cache* cache) {
  if (cache == nullptr) return nullptr;
  auto* const face = cache->CheckedCast<AshlarCacheFace>();
  if (face == nullptr) return nullptr;
  return {face->shared_from_this(), face->inner().get()};
}

}  // namespace ashlar_rocksdb
