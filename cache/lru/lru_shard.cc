#include "cache/lru/lru_shard.h"

#include <array>
#include <cassert>
#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace ashlar::internal {

void LruShard::List::Add(LruEntry* entry) {
  entry->next_in_bucket = nullptr;
  (first == nullptr ? first : last->next_in_bucket) = entry;
  last = entry;
}

LruShard::~LruShard() {
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    assert(usage_ == pools_.usage());  // else handles are still out
    while (LruEntry* const entry = pools_.Any()) {
      pools_.Remove(entry);
      TakeOut(entry);
      Forget(entry, &leaving.erased);
    }
  }
  End(leaving);
}

bool LruShard::MakeRoom(size_t charge, Fit fit, Leaving* leaving) {
  if (fit == Fit::kOrNothing) {
    const size_t in_use = usage_ - pools_.usage();
    if (in_use > capacity_ || charge > capacity_ - in_use) return false;
  }
  while (!HasRoomFor(charge)) {
    LruEntry* const oldest = pools_.Oldest();
    if (oldest == nullptr) return fit == Fit::kAsFarAsPossible;
    pools_.Remove(oldest);
    TakeOut(oldest);
    Forget(oldest, &leaving->evicted);
  }
  return true;
}

void LruShard::TakeOut(LruEntry* entry) {
  table_.Remove(entry);
  entry->in_table = false;
}

void LruShard::Forget(LruEntry* entry, List* leaving) {
  assert(entry->refs == 0 && !entry->in_table);
  usage_ -= entry->TotalCharge();
  if (!entry->standalone) --occupancy_;
  leaving->Add(entry);
}

Status LruShard::Insert(const CacheKey& key, uint64_t hash, void* value,
                        const CacheItemOps* ops, size_t charge,
                        CacheHandle** handle, CachePriority priority) {
  if (handle != nullptr) *handle = nullptr;
  std::unique_ptr<LruEntry> entry(
      new (std::nothrow) LruEntry(key, value, ops, charge, priority));
  if (entry == nullptr) {
    if (handle != nullptr) return Status::MemoryLimit("no memory for an entry");
    EndEvictedValue(LruEntry(key, value, ops, charge, priority));
    return {};
  }
  entry->metadata_charge = static_cast<uint8_t>(owner_.metadata_charge);
  entry->came_at = owner_.age_clock();
  Leaving leaving;
  bool done = false;
  {
    const MutexLock lock(&mutex_);
    done = TryInsert(entry.get(), hash, handle != nullptr, &leaving);
  }
  if (handle != nullptr && done) *handle = entry.get();
  // It belongs to the shard now, or to the handle, or to `leaving`.
  if (done) static_cast<void>(entry.release());
  End(leaving);
  if (done) return {};
  return Status::MemoryLimit("the cache is full of entries in use");
}

bool LruShard::TryInsert(LruEntry* entry, uint64_t hash, bool wants_handle,
                         Leaving* leaving) {
  entry->standalone = table_.Find(entry->key, hash) != nullptr;
  if (entry->standalone && !wants_handle) {
    leaving->erased.Add(entry);
    return true;
  }
  const Fit fit =
      strict_ || !wants_handle ? Fit::kOrNothing : Fit::kAsFarAsPossible;
  if (!MakeRoom(entry->TotalCharge(), fit, leaving)) {
    if (!wants_handle) leaving->evicted.Add(entry);
    return !wants_handle;
  }
  usage_ += entry->TotalCharge();
  entry->refs = wants_handle ? 1 : 0;
  if (entry->standalone) return true;
  table_.Insert(entry, hash);
  entry->in_table = true;
  ++occupancy_;
  if (!wants_handle) pools_.Add(entry);
  return true;
}

CacheHandle* LruShard::CreateStandalone(const CacheKey& key, void* value,
                                        const CacheItemOps* ops, size_t charge,
                                        bool allow_uncharged) {
  std::unique_ptr<LruEntry> entry(new (std::nothrow) LruEntry(
      key, value, ops, charge, CachePriority::kLow));
  if (entry == nullptr) return nullptr;
  entry->metadata_charge = static_cast<uint8_t>(owner_.metadata_charge);
  entry->standalone = true;
  entry->refs = 1;
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    const Fit fit = strict_ ? Fit::kOrNothing : Fit::kAsFarAsPossible;
    entry->uncharged = !MakeRoom(entry->TotalCharge(), fit, &leaving);
    usage_ += entry->TotalCharge();
  }
  End(leaving);
  if (entry->uncharged && !allow_uncharged) return nullptr;
  return entry.release();
}

CacheHandle* LruShard::Lookup(const CacheKey& key, uint64_t hash) {
  const MutexLock lock(&mutex_);
  return Take(key, hash);
}

void LruShard::LookupEach(std::span<const uint8_t> which, const CacheKey* keys,
                          const uint64_t* hashes, CacheHandle** handles) {
  const MutexLock lock(&mutex_);
  for (const uint8_t i : which) handles[i] = Take(keys[i], hashes[i]);
}

CacheHandle* LruShard::Take(const CacheKey& key, uint64_t hash) {
  LruEntry* const entry = table_.Find(key, hash);
  if (entry == nullptr || entry->refs >= kMaxLruRefs) return nullptr;
  if (entry->refs == entry->visits) pools_.Remove(entry);
  ++entry->refs;
  entry->hit = true;
  return entry;
}

bool LruShard::Ref(LruEntry* entry) {
  const MutexLock lock(&mutex_);
  assert(entry->refs > entry->visits);
  if (entry->refs >= kMaxLruRefs) return false;
  ++entry->refs;
  return true;
}

bool LruShard::Release(LruEntry* entry, bool erase_if_last_ref) {
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    assert(entry->refs > entry->visits);
    --entry->refs;
    if (entry->refs > entry->visits) return false;
    if (entry->in_table && !erase_if_last_ref) {
      pools_.Add(entry);
      // Too much may have been inserted while it was in use.
      MakeRoom(0, Fit::kAsFarAsPossible, &leaving);
    } else {
      if (entry->in_table) TakeOut(entry);
      if (entry->refs == 0) Forget(entry, &leaving.erased);
    }
    // Only this entry can have been evicted: before, there was nothing to
    // evict.
    if (leaving.evicted.first == nullptr && leaving.erased.first == nullptr)
      return false;
  }
  End(leaving);
  return true;
}

void LruShard::Erase(const CacheKey& key, uint64_t hash) {
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    LruEntry* const entry = table_.Find(key, hash);
    if (entry == nullptr) return;
    if (entry->refs == entry->visits) pools_.Remove(entry);
    TakeOut(entry);
    if (entry->refs == 0) Forget(entry, &leaving.erased);
  }
  End(leaving);
}

void LruShard::EraseUnRefEntries() {
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    while (LruEntry* const entry = pools_.Any()) {
      pools_.Remove(entry);
      TakeOut(entry);
      if (entry->refs == 0) Forget(entry, &leaving.erased);
    }
  }
  End(leaving);
}

// Returns what is to be seen of an entry, and refers to it until EndVisits.
LruShard::Visited LruShard::Visit(LruEntry* entry) const {
  const bool in_use = entry->refs != entry->visits;
  ++entry->refs;
  ++entry->visits;
  return {entry,
          {.key = entry->key,
           .value = entry->value(),
           .ops = entry->ops(),
           .charge = entry->charge(),
           .age_seconds = entry->came_at,  // the age once it is shown
           .was_hit = entry->hit,
           .stay = pools_.StayOf(*entry, in_use)}};
}

void LruShard::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  std::vector<Visited> visited;
  uint64_t position = 0;
  do {
    visited.clear();
    {
      const MutexLock lock(&mutex_);
      // Entries are visited only once there is room to note them all.
      position = table_.Walk(position, [&](LruEntry* entry) {
        visited.push_back({entry, {}});
      });
      for (Visited& each : visited) each = Visit(each.entry);
    }
    const uint32_t now = owner_.age_clock();
    try {
      for (Visited& each : visited) {
        each.view.age_seconds = now - each.view.age_seconds;
        callback(each.view);
      }
    } catch (...) {
      EndVisits(visited.data(), visited.size());
      throw;
    }
    EndVisits(visited.data(), visited.size());
  } while (position != 0);
}

bool LruShard::VisitEntry(
    const CacheKey& key, uint64_t hash,
    const std::function<void(const CacheEntryView&)>& callback) {
  Visited visited = {};
  {
    const MutexLock lock(&mutex_);
    LruEntry* const entry = table_.Find(key, hash);
    constexpr uint16_t kMostVisits = UINT16_MAX / 2;
    if (entry == nullptr || entry->refs >= kMaxLruRefs ||
        entry->visits >= kMostVisits) {
      return false;
    }
    visited = Visit(entry);
  }
  visited.view.age_seconds = owner_.age_clock() - visited.view.age_seconds;
  try {
    callback(visited.view);
  } catch (...) {
    EndVisits(&visited, 1);
    throw;
  }
  EndVisits(&visited, 1);
  return true;
}

void LruShard::EndVisits(const Visited* visited, size_t n) {
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    for (size_t i = 0; i < n; ++i) {
      LruEntry* const entry = visited[i].entry;
      --entry->visits;
      --entry->refs;
      // It was erased meanwhile.
      if (entry->refs == 0 && !entry->in_table) Forget(entry, &leaving.erased);
    }
    // Evict what could not be evicted while it was visited.
    MakeRoom(0, Fit::kAsFarAsPossible, &leaving);
  }
  End(leaving);
}

void LruShard::SetCapacity(size_t capacity, bool strict) {
  Leaving leaving;
  {
    const MutexLock lock(&mutex_);
    capacity_ = capacity;
    strict_ = strict;
    const auto part = [capacity](double ratio) {
      if (ratio >= 1) return capacity;
      return static_cast<size_t>(static_cast<double>(capacity) * ratio);
    };
    pools_.SetCapacities(part(owner_.high_pri_pool_ratio),
                         part(owner_.low_pri_pool_ratio));
    MakeRoom(0, Fit::kAsFarAsPossible, &leaving);
  }
  End(leaving);
}

LruShard::Figures LruShard::GetFigures() const {
  const MutexLock lock(&mutex_);
  return {.usage = usage_,
          .pinned_usage = usage_ - pools_.usage(),
          .occupancy = occupancy_,
          .buckets = table_.BucketCount(),
          .table_bytes = table_.Bytes()};
}

void LruShard::End(const Leaving& leaving) const {
  for (LruEntry* entry = leaving.evicted.first; entry != nullptr;) {
    LruEntry* const next = entry->next_in_bucket;
    EndEvictedValue(*entry);
    delete entry;
    entry = next;
  }
  for (LruEntry* entry = leaving.erased.first; entry != nullptr;) {
    LruEntry* const next = entry->next_in_bucket;
    EndValue(*entry);
    delete entry;
    entry = next;
  }
}

void LruShard::EndEvictedValue(const LruEntry& entry) const {
  const Cache::EvictionCallback& callback = *owner_.eviction_callback;
  const bool taken = callback && callback(entry.key, entry, entry.hit);
  if (!taken) EndValue(entry);
}

void LruShard::EndValue(const LruEntry& entry) const {
  const auto destroy = entry.ops()->destroy;
  if (destroy != nullptr) destroy(entry.value(), owner_.allocator);
}

}  // namespace ashlar::internal
