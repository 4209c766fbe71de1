#include "table/load/data_block_cache.h"

#include <array>
#include <utility>

#include "ashlar/util/huge_page_allocator.h"

namespace ashlar::internal {

static_assert(BlockHint::kNoSlot == Cache::kNoSlotHint);

void DataBlockCache::Use(std::shared_ptr<Cache> cache, const CacheKey& file,
                         const KeyOrder* order, const CacheFilling& filling) {
  cache_ = std::make_unique<BlockCache>(std::move(cache));
  file_ = file;
  filling_ = filling;
  words_order_ = order;
  small_pages_ = !IsHugePageAllocator(cache_->cache()->memory_allocator());
}

// Prefetches the cache lines of a cached block with which a search begins. If
// pages are small, also a line of the next page, so that its address is
// translated before an entry there is needed.
void DataBlockCache::Fetch(const BlockNote& note) const {
  constexpr size_t kLine = 64;
  constexpr size_t kLines = 5;
  constexpr size_t kPage = 4096;
  const BlockHint hint = note.hint();
  const char* const block = hint.address;
  if (block == nullptr || cache_ == nullptr) return;
  cache_->cache()->PrefetchSlot(hint.slot);
  for (size_t i = 0; i < kLines; ++i) __builtin_prefetch(block + i * kLine);
  if (small_pages_) __builtin_prefetch(block + kPage);
}

bool DataBlockCache::Find(const BlockPlace& place, const ReadOptions& options,
                          TracedCaller caller, const BlockNote& note,
                          PinnedBlock* block) const {
  if (cache_ == nullptr) return false;
  const Found found = Look(place, options, note, block);
  const CacheKey key = KeyOf(place.handle);
  if (found == Found::kNowhere) {
    counters_.TraceMiss(key, BlockKind::kData, caller);
    counters_.CountCacheMisses(BlockKind::kData, 1);
    return false;
  }
  counters_.TraceHit(key, BlockKind::kData, caller, [block] {
    return block->cached()->ApproximateMemoryUsage();
  });
  counters_.CountCacheHits(BlockKind::kData, 1,
                           block->cached()->ApproximateMemoryUsage());
  if (found == Found::kSecondTier) counters_.CountSecondaryCacheHits(1);
  return true;
}

// Asks both tiers. Counts nothing.
DataBlockCache::Found DataBlockCache::Look(const BlockPlace& place,
                                           const ReadOptions& options,
                                           const BlockNote& note,
                                           PinnedBlock* block) const {
  Found found = Found::kFirstTier;
  const CacheKey key = KeyOf(place.handle);
  uint32_t slot = note.hint().slot;
  if (!block->TakeFound(cache_->Lookup(key, &slot), place)) {
    slot = BlockHint::kNoSlot;
    if (!block->TakeFound(
            cache_->LookupSecondary(key, words_order_, CachePriority::kLow,
                                    options.fill_cache),
            place)) {
      return Found::kNowhere;
    }
    found = Found::kSecondTier;
  }
  note.Note(slot, block->cached());
  return found;
}

void DataBlockCache::FindAhead(std::span<const BlockHandle> blocks,
                               const BlockNote* notes, TracedCaller caller,
                               CachedBlockHandle* found) const {
  std::array<CacheKey, kBlockBatchMax> keys;
  std::array<Cache::SlotHint, kBlockBatchMax> slots;
  const size_t n = blocks.size();
  for (size_t i = 0; i < n; ++i) {
    slots[i] = notes[i].hint().slot;
    keys[i] = KeyOf(blocks[i]);
  }
  cache_->LookupBatch(std::span(keys).first(n), found, slots.data());
  size_t hits = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!found[i]) continue;
    ++hits;
    bytes += found[i]->ApproximateMemoryUsage();
    notes[i].Note(slots[i], found[i].get());
    counters_.TraceHit(keys[i], BlockKind::kData, caller, [&found, i] {
      return found[i]->ApproximateMemoryUsage();
    });
  }
  counters_.CountCacheHits(BlockKind::kData, hits, bytes);
}

// Looks in the cache's second tier for blocks that are still missing.
void DataBlockCache::FindInSecondTier(std::span<const BlockHandle> blocks,
                                      const ReadOptions& options,
                                      TracedCaller caller,
                                      const BlockNote* notes,
                                      CachedBlockHandle* found) const {
  std::array<CacheKey, kBlockBatchMax> keys;
  std::array<bool, kBlockBatchMax> was_missing;
  const size_t n = blocks.size();
  bool any_missing = false;
  for (size_t i = 0; i < n; ++i) {
    keys[i] = KeyOf(blocks[i]);
    was_missing[i] = !found[i];
    any_missing |= was_missing[i];
  }
  if (!any_missing) return;
  cache_->LookupSecondaryBatch(std::span(keys).first(n), found, words_order_,
                               CachePriority::kLow, options.fill_cache);
  size_t hits = 0;
  size_t bytes = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!was_missing[i] || !found[i]) continue;
    ++hits;
    bytes += found[i]->ApproximateMemoryUsage();
    notes[i].Note(BlockHint::kNoSlot, found[i].get());
    counters_.TraceHit(keys[i], BlockKind::kData, caller, [&found, i] {
      return found[i]->ApproximateMemoryUsage();
    });
  }
  counters_.CountCacheHits(BlockKind::kData, hits, bytes);
  counters_.CountSecondaryCacheHits(hits);
}

size_t DataBlockCache::FindBatch(std::span<BlockRequest> requests,
                                 const ReadOptions& options,
                                 TracedCaller caller,
                                 BlockRequest** missing) const {
  std::array<BlockHandle, kBlockBatchMax> handles;
  std::array<BlockNote, kBlockBatchMax> notes;
  std::array<CachedBlockHandle, kBlockBatchMax> found;
  const size_t n = requests.size();
  for (size_t i = 0; i < n; ++i) {
    handles[i] = requests[i].place.handle;
    notes[i] = requests[i].note;
  }
  FindAhead(std::span(handles).first(n), notes.data(), caller, found.data());
  FindInSecondTier(std::span(handles).first(n), options, caller, notes.data(),
                   found.data());
  size_t num_missing = 0;
  for (size_t i = 0; i < n; ++i) {
    BlockRequest& r = requests[i];
    if (!r.block->TakeFound(std::move(found[i]), r.place)) {
      missing[num_missing++] = &r;
      counters_.TraceMiss(KeyOf(r.place.handle), BlockKind::kData, caller);
    }
  }
  if (num_missing != 0) {
    counters_.CountCacheMisses(BlockKind::kData, num_missing);
  }
  return num_missing;
}

// Of a table's blocks, some have more entries than most, and so more words. The
// room is made larger at once, with a little to spare, and smaller slowly.
void DataBlockCache::LearnWordBytes(size_t needed) const {
  constexpr size_t kUnit = 8;
  constexpr size_t kToSpare = 16;   // one 16th
  constexpr size_t kShrinking = 4;  // if a quarter is unused
  const size_t room = word_bytes_.Load();
  size_t wanted = room;
  if (needed > room) {
    wanted = needed + needed / kToSpare;
  } else if (room - needed > room / kShrinking) {
    wanted = room - (room - needed) / kToSpare;
  }
  wanted = (wanted + kUnit - 1) / kUnit * kUnit;
  if (wanted != room) word_bytes_.Store(wanted);
}

Status DataBlockCache::Keep(const BlockPlace& place, const Slice& contents,
                            const BlockNote& note, BlockRoom* room,
                            PinnedBlock* block) const {
  std::unique_ptr<CachedDataBlock> made;
  const uint32_t known = restart_interval_.Load();
  uint32_t interval = known;
  Status status = CachedDataBlock::Make(place, contents, words_order_,
                                        &interval, room, &made);
  if (interval != known) restart_interval_.Store(interval);
  if (!status.ok() || made == nullptr) return status;
  if (words_order_ != nullptr) LearnWordBytes(made->word_bytes());
  bool found_room = false;
  CachedBlockHandle kept = cache_->InsertAndHold(
      KeyOf(place.handle), std::move(made), filling_.priority, &found_room);
  if (!kept) return {};
  counters_.CountCacheAdd(place.kind, kept->ApproximateMemoryUsage(),
                          found_room);
  if (!found_room && filling_.fails_without_room) return NoRoomInCache(place);
  block->TakeKept(std::move(kept));
  // The next read finds its slot.
  note.Note(BlockHint::kNoSlot, block->cached());
  return {};
}

}  // namespace ashlar::internal
