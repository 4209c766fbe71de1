// CacheFilling: how a table's index and filter blocks, and its dictionary, go
// into the block cache; and LoadOnce, by which one of several threads loads
// such a block.
//
// Plain values and functions, for any thread.
#ifndef ASHLAR_TABLE_LOAD_CACHE_FILLING_H_
#define ASHLAR_TABLE_LOAD_CACHE_FILLING_H_

#include <memory>
#include <utility>

#include "ashlar/cache/typed_cache.h"
#include "table/counters/read_counters.h"
#include "table/format/block_place.h"
#include "table/load/file_gate.h"
#include "table/load/loads_in_flight.h"

namespace ashlar::internal {

struct CacheFilling {
  CachePriority priority = CachePriority::kLow;
  // ReaderOptions::fail_without_cache_room.
  bool fails_without_room = false;
};

// Returns why a read fails that finds no room in the cache for this block.
inline Status NoRoomInCache(const BlockPlace& place) {
  return place.Wrap("cannot keep it",
                    Status::MemoryLimit("the block cache has no room, and its "
                                        "capacity limit is strict"));
}

// Returns a handle to a value that no lookup finds. It is charged while it
// lives, unless a strict capacity limit leaves no room. Returns an empty
// handle, and destroys the value, if there is no memory for the handle.
template <typename T, CacheEntryRole kRole>
TypedHandle<T> HoldApart(const TypedCache<T, kRole>& cache, const CacheKey& key,
                         std::unique_ptr<T> value) {
  CacheHandle* const handle = cache.cache()->CreateStandalone(
      key, value.get(), cache.ops(), cache.ChargeOf(*value),
      /*allow_uncharged=*/true);
  // The cache owns the value now.
  if (handle != nullptr) static_cast<void>(value.release());
  return {cache.cache().get(), handle};
}

// Puts a block that was read from the file into the cache, unless the read that
// this thread is doing may not fill it. Makes *held a handle to it either way.
// Returns MemoryLimit if there is no memory, or no room and `filling` says that
// the read then fails.
template <typename T, CacheEntryRole kRole>
Status KeepInCache(TypedCache<T, kRole>* cache, const CacheKey& key,
                   const BlockPlace& place, const CacheFilling& filling,
                   const ReadCounters& counters, std::unique_ptr<T> block,
                   TypedHandle<T>* held) {
  if (!FillsCache()) {
    *held = HoldApart(*cache, key, std::move(block));
    return *held ? Status() : place.NoMemory();
  }
  const size_t charge = TypedCache<T, kRole>::ChargeOf(*block);
  bool found_room = false;
  *held = cache->InsertAndHold(key, std::move(block), filling.priority,
                               &found_room);
  counters.CountCacheAdd(place.kind, charge, found_room);
  if (!*held) return place.NoMemory();
  if (found_room || !filling.fails_without_room) return {};
  *held = {};
  return NoRoomInCache(place);
}

// Does steps 1 to 3 of the protocol of LoadsInFlight, after a miss. look()
// returns whether the cache has the block by now. load() loads it and puts it
// there.
template <typename Look, typename Load>
Status LoadOnce(const LoadsInFlight& loads, uint64_t offset, const Look& look,
                const Load& load) {
  using Turn = LoadsInFlight::Turn;
  // A cache-only read never waits for another's load: the gate of the file ends
  // it. What another thread does not find in the cache it need not await.
  if (IsCacheOnly() || !FillsCache() || !MayBeAwaited()) [[unlikely]]
    return load();
  LoadClaim claim;
  const Turn turn = loads.Begin(offset, &claim);
  if (turn == Turn::kAnothers) {
    if (!MayAwaitOthers()) return load();
    loads.Await(offset);
  }
  const bool may_be_there = turn == Turn::kAnothers || turn == Turn::kMineAgain;
  return may_be_there && look() ? Status() : load();
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_CACHE_FILLING_H_
