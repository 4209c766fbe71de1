#include "foreign_cache.h"

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cache_terms.h"
#include "foreign_entry.h"
#include "rocksdb/env.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::CacheEntryView;
using ashlar::CacheHandle;
using ashlar::CacheItemOps;
using ashlar::CacheKey;
using ashlar::CachePriority;
using ashlar::Status;

KeyBytes TheirKey(const CacheKey& key) {
  return KeyBytes(kGuestsOfRocksDb.Of(key));
}

// Requires: `handle` is one of a ForeignCache.
ForeignEntry* EntryOf(CacheHandle* handle) {
  return static_cast<ForeignEntry*>(handle);
}

class ForeignCache final : public ashlar::Cache {
 public:
  explicit ForeignCache(std::shared_ptr<rocksdb::Cache> cache)
      : Cache(std::shared_ptr<ashlar::MemoryAllocator>(
            cache, LastingAllocator(cache->memory_allocator()))),
        cache_(std::move(cache)) {}

  const char* Name() const override { return cache_->Name(); }
  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override;
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged) override;
  CacheHandle* Lookup(const CacheKey& key, SlotHint* /*hint*/) override {
    return Held(cache_->BasicLookup(TheirKey(key).slice(), nullptr));
  }
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* /*hints*/) override {
    for (size_t i = 0; i < keys.size(); ++i) {
      handles[i] = ForeignCache::Lookup(keys[i], nullptr);
    }
  }
  CacheHandle* LookupSecondary(const CacheKey& key, const CacheItemOps* ops,
                               const void* create_context,
                               CachePriority priority,
                               bool fill_cache) override {
    CacheHandle* handle = nullptr;
    ForeignCache::LookupSecondaryBatch(std::span(&key, 1), ops, create_context,
                                       &handle, priority, fill_cache);
    return handle;
  }
  void LookupSecondaryBatch(std::span<const CacheKey> keys,
                            const CacheItemOps* ops, const void* create_context,
                            CacheHandle** handles, CachePriority priority,
                            bool fill_cache) override;

  bool Ref(CacheHandle* handle) override {
    return cache_->Ref(EntryOf(handle)->handle());
  }
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override {
    return cache_->Release(EntryOf(handle)->handle(), erase_if_last_ref);
  }
  CacheKey KeyOf(const CacheHandle& handle) const override;
  void Erase(const CacheKey& key) override {
    cache_->Erase(TheirKey(key).slice());
  }
  void EraseUnRefEntries() override { cache_->EraseUnRefEntries(); }

  void SetCapacity(size_t capacity) override { cache_->SetCapacity(capacity); }
  size_t GetCapacity() const override { return cache_->GetCapacity(); }
  void SetStrictCapacityLimit(bool strict) override {
    cache_->SetStrictCapacityLimit(strict);
  }
  bool HasStrictCapacityLimit() const override {
    return cache_->HasStrictCapacityLimit();
  }
  size_t GetUsage() const override { return cache_->GetUsage(); }
  size_t GetPinnedUsage() const override { return cache_->GetPinnedUsage(); }
  size_t GetOccupancyCount() const override {
    return cache_->GetOccupancyCount();
  }
  size_t GetTableAddressCount() const override {
    return cache_->GetTableAddressCount();
  }
  // RocksDB's caches do not say.
  size_t GetTableBytes() const override { return 0; }
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override;
  std::string ReportProblems() const override;

 private:
  static constexpr size_t kBatch = 32;

  // `found` may be null.
  CacheHandle* Held(rocksdb::Cache::Handle* found) {
    if (found == nullptr) return nullptr;
    auto* const entry = static_cast<ForeignEntry*>(cache_->Value(found));
    entry->set_handle(found);
    return entry;
  }
  bool MayHaveSecondTier() const;
  void LookupEach(std::span<const CacheKey> keys, ForeignContext* context,
                  CachePriority priority, CacheHandle** handles);

  const std::shared_ptr<rocksdb::Cache> cache_;
};

Status ForeignCache::Insert(const CacheKey& key, void* value,
                            const CacheItemOps* ops, size_t charge,
                            CacheHandle** handle, CachePriority priority) {
  auto* const entry = new (std::nothrow) ForeignEntry(value, ops, charge);
  rocksdb::Cache::Handle* held = nullptr;
  const bool inserted =
      entry != nullptr &&
      cache_
          ->Insert(TheirKey(key).slice(), entry, ForeignHelper(*ops),
                   charge + kForeignEntryBytes,
                   handle == nullptr ? nullptr : &held, ToRocksDb(priority))
          .ok();
  if (handle == nullptr) {
    if (inserted) return Status::OK();
    // As if it had been evicted at once.
    if (ops->destroy != nullptr) ops->destroy(value, memory_allocator());
    delete entry;
    return Status::OK();
  }
  *handle = nullptr;
  if (!inserted) {
    delete entry;
    return Status::MemoryLimit("the block cache is full");
  }
  entry->set_handle(held);
  *handle = entry;
  return Status::OK();
}

CacheHandle* ForeignCache::CreateStandalone(const CacheKey& key, void* value,
                                            const CacheItemOps* ops,
                                            size_t charge,
                                            bool allow_uncharged) {
  auto* const entry = new (std::nothrow) ForeignEntry(value, ops, charge);
  if (entry == nullptr) return nullptr;
  rocksdb::Cache::Handle* const held = cache_->CreateStandalone(
      TheirKey(key).slice(), entry, ForeignHelper(*ops),
      charge + kForeignEntryBytes, allow_uncharged);
  if (held == nullptr) {
    delete entry;
    return nullptr;
  }
  entry->set_handle(held);
  return entry;
}

// Without a second tier, asking for one would look in the cache again. Caches
// that wrap others need not know whether these have one.
bool ForeignCache::MayHaveSecondTier() const {
  size_t capacity = 0;
  return !cache_->GetSecondaryCacheCapacity(capacity).ok() || capacity != 0;
}

void ForeignCache::LookupSecondaryBatch(std::span<const CacheKey> keys,
                                        const CacheItemOps* ops,
                                        const void* create_context,
                                        CacheHandle** handles,
                                        CachePriority priority,
                                        bool /*fill_cache*/) {
  if (ops->create == nullptr || !MayHaveSecondTier()) return;
  ForeignContext context;
  context.ops = ops;
  context.context = create_context;
  context.allocator = memory_allocator();
  while (!keys.empty()) {
    const size_t n = std::min(keys.size(), kBatch);
    LookupEach(keys.first(n), &context, priority, handles);
    keys = keys.subspan(n);
    handles += n;
  }
}

// Starts all lookups before it waits for the first.
void ForeignCache::LookupEach(std::span<const CacheKey> keys,
                              ForeignContext* context, CachePriority priority,
                              CacheHandle** handles) {
  const rocksdb::Cache::CacheItemHelper* const helper =
      ForeignHelper(*context->ops);
  std::vector<KeyBytes> wanted;
  std::vector<size_t> places;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (handles[i] != nullptr) continue;
    wanted.push_back(TheirKey(keys[i]));
    places.push_back(i);
  }
  std::array<rocksdb::Cache::AsyncLookupHandle, kBatch> lookups;
  for (size_t i = 0; i < wanted.size(); ++i) {
    rocksdb::Cache::AsyncLookupHandle& lookup = lookups[i];
    lookup.key = wanted[i].slice();
    lookup.helper = helper;
    lookup.create_context = context;
    lookup.priority = ToRocksDb(priority);
    cache_->StartAsyncLookup(lookup);
  }
  cache_->WaitAll(lookups.data(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    handles[places[i]] = Held(lookups[i].Result());
  }
}

CacheKey ForeignCache::KeyOf(const CacheHandle& handle) const {
  CacheKey key;
  cache_->ApplyToHandle(
      cache_.get(), static_cast<const ForeignEntry&>(handle).handle(),
      [&key](const rocksdb::Slice& bytes, void* /*object*/, size_t /*charge*/,
             const rocksdb::Cache::CacheItemHelper* /*helper*/) {
        key = kGuestsOfRocksDb.Of(KeyOfSlice(bytes));
      });
  return key;
}

// RocksDB's caches may hold a lock while they show an entry, and `callback` may
// use the cache. So it gets the entries one by one, after their keys were
// collected.
void ForeignCache::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  std::vector<CacheKey> keys;
  cache_->ApplyToAllEntries(
      [&keys](const rocksdb::Slice& key, void* /*object*/, size_t /*charge*/,
              const rocksdb::Cache::CacheItemHelper* helper) {
        if (helper == nullptr || helper->del_cb != EndForeignEntry) return;
        keys.push_back(kGuestsOfRocksDb.Of(KeyOfSlice(key)));
      },
      {});
  for (const CacheKey& key : keys) VisitEntry(key, callback);
}

// Collects what is logged to it.
class TextLogger final : public rocksdb::Logger {
 public:
  using Logger::Logv;
  void Logv(const char* format, va_list arguments) override {
    std::array<char, 1024> line{};
    const int length =
        std::vsnprintf(line.data(), line.size(), format, arguments);
    if (length > 0) text_.append(line.data()).append("\n");
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string ForeignCache::ReportProblems() const {
  const auto logger = std::make_shared<TextLogger>();
  cache_->ReportProblems(logger);
  return logger->text();
}

// Returns false if two lookups of one entry return two handles.
bool HasOneHandlePerEntry(rocksdb::Cache* cache) {
  // No block has this key: it was drawn for this. Nor has another thread.
  const KeyBytes key(
      CacheKey{0x5be0cd19137e2179 ^ cache->NewId(), 0x1f83d9abfb41bd6b});
  rocksdb::Cache::Handle* first = nullptr;
  const rocksdb::Status s = cache->Insert(
      key.slice(), nullptr, &rocksdb::kNoopCacheItemHelper, 0, &first);
  // The cache is full. That it is of another kind is not likely.
  if (!s.ok()) return true;
  rocksdb::Cache::Handle* const second =
      cache->BasicLookup(key.slice(), nullptr);
  if (second != nullptr) cache->Release(second);
  cache->Release(first, /*erase_if_last_ref=*/true);
  return second == nullptr || second == first;
}

}  // namespace

ashlar::Result<std::shared_ptr<ashlar::Cache>> NewForeignCache(
    std::shared_ptr<rocksdb::Cache> cache) {
  if (cache == nullptr) return Status::InvalidArgument("there is no cache");
  if (!HasOneHandlePerEntry(cache.get())) {
    return Status::NotSupported(std::string("block cache ") + cache->Name() +
                                ": it has more than one handle for an entry");
  }
  return std::shared_ptr<ashlar::Cache>(
      std::make_shared<ForeignCache>(std::move(cache)));
}

}  // namespace ashlar_rocksdb
