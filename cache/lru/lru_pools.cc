#include "cache/lru/lru_pools.h"

namespace ashlar::internal {

namespace {

LruPool FirstPool(const LruEntry& entry) {
  if (entry.hit) return LruPool::kHigh;
  switch (entry.priority) {
    case CachePriority::kHigh:
      return LruPool::kHigh;
    case CachePriority::kLow:
      return LruPool::kLow;
    case CachePriority::kBottom:
      return LruPool::kBottom;
  }
  return LruPool::kBottom;
}

}  // namespace

LruPools::LruPools() {
  for (Pool& pool : pools_) pool.ends = {&pool.ends, &pool.ends};
}

void LruPools::SetCapacities(size_t high, size_t low) {
  PoolOf(LruPool::kHigh).capacity = high;
  PoolOf(LruPool::kLow).capacity = low;
  Overflow(LruPool::kHigh, LruPool::kLow);
  Overflow(LruPool::kLow, LruPool::kBottom);
}

void LruPools::Add(LruEntry* entry) {
  AddTo(FirstPool(*entry), entry);
  Overflow(LruPool::kHigh, LruPool::kLow);
  Overflow(LruPool::kLow, LruPool::kBottom);
}

void LruPools::AddTo(LruPool its_pool, LruEntry* entry) {
  Pool& pool = PoolOf(its_pool);
  entry->pool = its_pool;
  entry->pooled_at = ++came_in_;
  entry->newer = &pool.ends;
  entry->older = pool.ends.older;
  entry->older->newer = entry;
  pool.ends.older = entry;
  pool.usage += entry->TotalCharge();
  usage_ += entry->TotalCharge();
}

void LruPools::Remove(LruEntry* entry) {
  entry->older->newer = entry->newer;
  entry->newer->older = entry->older;
  PoolOf(entry->pool).usage -= entry->TotalCharge();
  usage_ -= entry->TotalCharge();
}

void LruPools::Overflow(LruPool from, LruPool to) {
  Pool& pool = PoolOf(from);
  while (pool.usage > pool.capacity) {
    auto* const oldest = static_cast<LruEntry*>(pool.ends.newer);
    Remove(oldest);
    AddTo(to, oldest);
  }
}

LruEntry* LruPools::Oldest() const {
  for (size_t i = kLruPools; i-- > 0;) {
    const Pool& pool = pools_[i];
    for (LruLink* link = pool.ends.newer; link != &pool.ends;
         link = link->newer) {
      auto* const entry = static_cast<LruEntry*>(link);
      if (entry->visits == 0) return entry;
    }
  }
  return nullptr;
}

uint64_t LruPools::StayOf(const LruEntry& entry, bool in_use) const {
  constexpr int kCountBits = 32;
  if (in_use) return uint64_t{kLruPools} << kCountBits;
  const uint64_t pools_below = kLruPools - 1 - static_cast<size_t>(entry.pool);
  const uint32_t since = came_in_ - entry.pooled_at;
  return pools_below << kCountBits | static_cast<uint32_t>(~since);
}

LruEntry* LruPools::Any() const {
  for (const Pool& pool : pools_) {
    if (pool.ends.newer != &pool.ends) {
      return static_cast<LruEntry*>(pool.ends.newer);
    }
  }
  return nullptr;
}

}  // namespace ashlar::internal
