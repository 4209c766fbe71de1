#include "table/load/data_blocks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "ashlar/util/huge_page_allocator.h"
#include "table/block/checked_entries.h"
#include "table/load/read_plan.h"
#include "util/mem/thread_spare.h"

namespace ashlar::internal {

static_assert(BlockHint::kNoSlot == Cache::kNoSlotHint);
static_assert(ReadPlan::kMostBlocks == DataBlocks::kBatch);

namespace {

// Limits what a thread keeps for its next loads: it must not keep the memory of
// one huge block for ever.
void Trim(Buffer* kept) {
  constexpr size_t kMostKept = size_t{1} << 20;
  if (kept->capacity() > kMostKept) *kept = Buffer();
}

// Where a block is loaded to. A block that goes to the cache is copied there.
// Until then its memory is the thread's, which is used for the next block too.
class LoadingPlace {
 public:
  LoadingPlace(bool goes_to_cache, LoadedBlock* own) : place_(own) {
    if (goes_to_cache) place_ = passing_.emplace().get();
  }

  LoadedBlock* get() const { return place_; }

 private:
  std::optional<ThreadSpare<LoadedBlock, LoadingPlace>> passing_;
  LoadedBlock* place_;
};

}  // namespace

void PinnedBlock::Clear() {
  view_ = {};
  seen_ = nullptr;
  was_found_ = false;
  cached_.Reset();
  shared_.Reset();
}

Cleanable PinnedBlock::Release() {
  Cleanable pin;
  if (shared_) {
    shared_.MoveTo(&pin);
    return pin;
  }
  if (cached_) {
    cached_.MoveTo(&pin);
    return pin;
  }
  auto* const owner = new Buffer(std::move(own_.owned));
  pin.RegisterCleanup(
      [](void* buffer, void*) { delete static_cast<Buffer*>(buffer); }, owner,
      nullptr);
  return pin;
}

void PinnedBlock::Share(Cleanable* keeper) {
  if (!shared_) {
    // Takes the memory first: if there is none, the block stays as it was.
    SharedCleanable shared{Cleanable()};
    shared.Adopt(Release());
    shared_ = std::move(shared);
  }
  shared_.ShareWith(keeper);
}

void PinnedBlock::CheckOnce(const KeyOrder& order, const BlockPlace& place,
                            BlockIterator* walker) {
  if (!cached_ || view_.separated) return;
  CachedDataBlock& block = *cached_;
  if (block.checked_by() != order.comparator()) {
    block.NoteChecked(CheckEntries(view_, place, walker), order.comparator());
  }
  view_.checked = block.checked();
}

// Prefetches the cache lines of a cached block with which a search begins. If
// pages are small, also a line of the next page, so that its address is
// translated before an entry there is needed.
void DataBlocks::Fetch(const BlockNote& note) const {
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

void DataBlocks::UseCache(std::shared_ptr<Cache> cache, const CacheKey& file,
                          const KeyOrder* order) {
  cache_ = std::make_unique<BlockCache>(std::move(cache));
  loads_ = std::make_unique<LoadsInFlight>();
  file_ = file;
  words_order_ = order;
  small_pages_ = !IsHugePageAllocator(cache_->cache()->memory_allocator());
}

bool DataBlocks::Take(CachedBlockHandle found, const BlockPlace& place,
                      PinnedBlock* block) {
  // A damaged index may name a block with this offset and another size.
  if (!found || found->handle() != place.handle) return false;
  block->seen_ = found.get();
  block->was_found_ = true;
  block->view_ = found->view();
  block->cached_ = std::move(found);
  return true;
}

bool DataBlocks::FindInCache(const BlockPlace& place,
                             const ReadOptions& options, TracedCaller caller,
                             const BlockNote& note, PinnedBlock* block) const {
  if (cache_ == nullptr) return false;
  const Found found = FindUncounted(place, options, note, block);
  counters_.Trace(KeyOf(place.handle), BlockKind::kData, caller,
                  found != Found::kNowhere);
  if (found == Found::kNowhere) {
    counters_.CountCacheMisses(BlockKind::kData, 1);
    return false;
  }
  counters_.CountCacheHits(BlockKind::kData, 1);
  if (found == Found::kSecondTier) counters_.CountSecondaryCacheHits(1);
  return true;
}

// Used for a second lookup too: each request for a block counts one hit or one
// miss.
DataBlocks::Found DataBlocks::FindUncounted(const BlockPlace& place,
                                            const ReadOptions& options,
                                            const BlockNote& note,
                                            PinnedBlock* block) const {
  Found found = Found::kFirstTier;
  const CacheKey key = KeyOf(place.handle);
  uint32_t slot = note.hint().slot;
  if (!Take(cache_->Lookup(key, &slot), place, block)) {
    slot = BlockHint::kNoSlot;
    if (!Take(cache_->LookupSecondary(key, words_order_, CachePriority::kLow,
                                      options.fill_cache),
              place, block)) {
      return Found::kNowhere;
    }
    found = Found::kSecondTier;
  }
  note.Note(slot, block->cached());
  return found;
}

Status DataBlocks::Load(const BlockPlace& place, const ReadOptions& options,
                        FileWindow* window, BlockWorkspace* workspace,
                        PinnedBlock* block, const BlockNote& note) const {
  block->Clear();
  if (FindInCache(place, options, TracedCaller::kIterator, note, block))
    return {};
  LoadClaim claim;
  if (FindAfterMiss(place, options, note, block, &claim)) return {};
  const LoadingPlace to(GoesToCache(options), &block->own_);
  Status status = source_->Load(place, options.verify_checksums, window,
                                workspace, to.get());
  return status.ok() ? Keep(place, options, note, to.get(), block) : status;
}

Status DataBlocks::Load(const BlockPlace& place, const ReadOptions& options,
                        PinnedBlock* block, const BlockNote& note) const {
  block->Clear();
  if (FindInCache(place, options, TracedCaller::kGet, note, block)) return {};
  return LoadAfterMiss(place, options, note, block);
}

Status DataBlocks::LoadPostponed(const BlockRequest& request,
                                 const ReadOptions& options) const {
  const BlockRequest& r = request;
  r.block->Clear();
  if (cache_ != nullptr && FindAgain(r.place, options, r.note, r.block))
    return {};
  return LoadAfterMiss(r.place, options, r.note, r.block);
}

Status DataBlocks::LoadAfterMiss(const BlockPlace& place,
                                 const ReadOptions& options,
                                 const BlockNote& note,
                                 PinnedBlock* block) const {
  LoadClaim claim;
  if (FindAfterMiss(place, options, note, block, &claim)) return {};
  return LoadAlone(place, options, note, block);
}

// Returns whether the block has come to the cache since it was missed. If not,
// the caller loads it, under the claim if there is one.
bool DataBlocks::FindAfterMiss(const BlockPlace& place,
                               const ReadOptions& options,
                               const BlockNote& note, PinnedBlock* block,
                               LoadClaim* claim) const {
  using Turn = LoadsInFlight::Turn;
  if (!GoesToCache(options)) return false;
  const Turn turn = claim->Begin(loads_.get(), place.handle.offset);
  if (turn == Turn::kMine || turn == Turn::kNoPlace) return false;
  if (turn == Turn::kAnothers) loads_->Await(place.handle.offset);
  return FindAgain(place, options, note, block);
}

// Loads the block without looking at claims or cache.
Status DataBlocks::LoadAlone(const BlockPlace& place,
                             const ReadOptions& options, const BlockNote& note,
                             PinnedBlock* block) const {
  const LoadingPlace to(GoesToCache(options), &block->own_);
  Status status = source_->LoadOwned(place, options.verify_checksums, to.get());
  return status.ok() ? Keep(place, options, note, to.get(), block) : status;
}

// Copies the block's contents into memory of its own, unless they are there.
Status DataBlocks::OwnContents(const BlockPlace& place, PinnedBlock* block) {
  LoadedBlock& own = block->own_;
  if (own.contents.data() == own.owned.data()) return {};
  Buffer copy;
  if (!copy.TryReserve(own.contents.size())) {
    return place.NoMemory();
  }
  copy.Append(own.contents);
  own.owned = std::move(copy);
  own.contents = own.owned.slice();
  return {};
}

// Makes *block of what was loaded: in the cache, if it is to go there.
Status DataBlocks::Keep(const BlockPlace& place, const ReadOptions& options,
                        const BlockNote& note, LoadedBlock* loaded,
                        PinnedBlock* block) const {
  if (!GoesToCache(options)) {
    return ParseBlock(loaded->contents, place, &block->view_);
  }
  Status status = KeepInCache(place, loaded->contents, note, block);
  if (status.ok() && !block->cached_) {
    // There was no memory for a copy in the cache.
    block->own_.contents = loaded->contents;
    status = MakeOwn(place, block);
  }
  Trim(&loaded->owned);
  return status;
}

// Leaves the block empty if there is no memory for it.
Status DataBlocks::KeepInCache(const BlockPlace& place, const Slice& contents,
                               const BlockNote& note,
                               PinnedBlock* block) const {
  std::unique_ptr<CachedDataBlock> kept;
  const uint32_t known = restart_interval_.Load();
  uint32_t interval = known;
  Status status =
      CachedDataBlock::Make(place, contents, words_order_, &interval,
                            cache_->cache()->memory_allocator(), &kept);
  if (interval != known) restart_interval_.Store(interval);
  if (!status.ok() || kept == nullptr) return status;
  bool found_room = false;
  block->cached_ = cache_->InsertAndHold(KeyOf(place.handle), std::move(kept),
                                         CachePriority::kLow, &found_room);
  if (!block->cached_) return {};
  block->seen_ = block->cached_.get();
  block->view_ = block->seen_->view();
  counters_.CountCacheAdd(place.kind, block->seen_->ApproximateMemoryUsage(),
                          found_room);
  // The next read finds its slot.
  note.Note(BlockHint::kNoSlot, block->cached());
  return {};
}

void DataBlocks::FindInCache(std::span<const BlockHandle> blocks,
                             const BlockNote* notes, TracedCaller caller,
                             CachedBlockHandle* found) const {
  std::array<CacheKey, kBatch> keys;
  std::array<Cache::SlotHint, kBatch> slots;
  const size_t n = blocks.size();
  for (size_t i = 0; i < n; ++i) {
    slots[i] = notes[i].hint().slot;
    keys[i] = KeyOf(blocks[i]);
  }
  cache_->LookupBatch(std::span(keys).first(n), found, slots.data());
  size_t hits = 0;
  for (size_t i = 0; i < n; ++i) {
    if (!found[i]) continue;
    ++hits;
    notes[i].Note(slots[i], found[i].get());
    counters_.Trace(keys[i], BlockKind::kData, caller, true);
  }
  counters_.CountCacheHits(BlockKind::kData, hits);
}

// Looks in the cache's second tier for blocks that are still missing.
void DataBlocks::FindInSecondTier(std::span<const BlockHandle> blocks,
                                  const ReadOptions& options,
                                  const BlockNote* notes,
                                  CachedBlockHandle* found) const {
  std::array<CacheKey, kBatch> keys;
  std::array<bool, kBatch> was_missing;
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
  for (size_t i = 0; i < n; ++i) {
    if (!was_missing[i] || !found[i]) continue;
    ++hits;
    notes[i].Note(BlockHint::kNoSlot, found[i].get());
    counters_.Trace(keys[i], BlockKind::kData, TracedCaller::kMultiGet, true);
  }
  counters_.CountCacheHits(BlockKind::kData, hits);
  counters_.CountSecondaryCacheHits(hits);
}

// Returns how many blocks are missing.
size_t DataBlocks::FindBatchInCache(std::span<BlockRequest> requests,
                                    const ReadOptions& options,
                                    BlockRequest** missing) const {
  std::array<BlockHandle, kBatch> handles;
  std::array<BlockNote, kBatch> notes;
  std::array<CachedBlockHandle, kBatch> found;
  const size_t n = requests.size();
  for (size_t i = 0; i < n; ++i) {
    handles[i] = requests[i].place.handle;
    notes[i] = requests[i].note;
  }
  FindInCache(std::span(handles).first(n), notes.data(),
              TracedCaller::kMultiGet, found.data());
  FindInSecondTier(std::span(handles).first(n), options, notes.data(),
                   found.data());
  size_t num_missing = 0;
  for (size_t i = 0; i < n; ++i) {
    BlockRequest& r = requests[i];
    if (!Take(std::move(found[i]), r.place, r.block)) {
      missing[num_missing++] = &r;
      counters_.Trace(KeyOf(r.place.handle), BlockKind::kData,
                      TracedCaller::kMultiGet, false);
    }
  }
  if (num_missing != 0) {
    counters_.CountCacheMisses(BlockKind::kData, num_missing);
  }
  return num_missing;
}

void DataBlocks::LoadBatch(std::span<BlockRequest> requests,
                           const ReadOptions& options) const {
  std::array<BlockRequest*, kBatch> missing;
  for (BlockRequest& r : requests) {
    r.block->Clear();
    r.status = Status();
    r.postponed = false;
  }
  size_t n = 0;
  if (cache_ != nullptr) {
    n = FindBatchInCache(requests, options, missing.data());
  } else {
    for (BlockRequest& r : requests) missing[n++] = &r;
  }
  if (n != 0) LoadMissing(std::span(missing).first(n), options);
}

void DataBlocks::LoadMissing(std::span<BlockRequest*> missing,
                             const ReadOptions& options) const {
  using Turn = LoadsInFlight::Turn;
  std::sort(missing.begin(), missing.end(),
            [](const BlockRequest* a, const BlockRequest* b) {
              return a->place.handle.offset < b->place.handle.offset;
            });
  if (!GoesToCache(options)) {
    ReadBatch(missing, nullptr, options);
    return;
  }
  std::array<LoadClaim, kBatch> claims;
  std::array<BlockRequest*, kBatch> awaited;
  size_t num_awaited = 0;
  size_t num_own = 0;
  for (BlockRequest* const r : missing) {
    LoadClaim& claim = claims[num_own];
    const Turn turn = claim.Begin(loads_.get(), r->place.handle.offset);
    if (turn == Turn::kAnothers) {
      awaited[num_awaited++] = r;
    } else if (turn == Turn::kMineAgain &&
               FindAgain(r->place, options, r->note, r->block)) {
      claim.End();
    } else {
      missing[num_own++] = r;
    }
  }
  uint64_t held = 0;
  if (num_own != 0) {
    held = ReadBatch(missing.first(num_own), claims.data(), options);
  }
  for (BlockRequest* const r : std::span(awaited).first(num_awaited)) {
    loads_->Await(r->place.handle.offset);
    if (FindAgain(r->place, options, r->note, r->block)) continue;
    r->postponed = held > kBatchBytes;
    if (r->postponed) continue;
    r->status = LoadAlone(r->place, options, r->note, r->block);
    held += r->block->bytes();
  }
}

// Reads blocks in the order of the file. Returns how many bytes they have. No
// claim is left when it returns.
uint64_t DataBlocks::ReadBatch(std::span<BlockRequest*> requests,
                               LoadClaim* claims,
                               const ReadOptions& options) const {
  ReadPlan plan;
  for (size_t i = 0; i < requests.size(); ++i) {
    BlockRequest* const r = requests[i];
    r->status = source_->CheckPlace(r->place);
    r->postponed = plan.bytes() > kBatchBytes;
    if (r->status.ok() && !r->postponed) plan.Add(i, r->place.handle);
  }
  ThreadSpare<Buffer, DataBlocks> buffer;
  const bool together = buffer->TryReserve(plan.bytes());
  if (together) {
    plan.GiveRoom(buffer->data());
    {
      const StageTimer timer(&PerfContext::block_read_time);
      source_->file().MultiRead(plan.reads());
    }
    counters_.CountFileReads(plan.reads().size(), plan.bytes());
  }
  uint64_t held = 0;
  for (size_t i = 0; i < requests.size(); ++i) {
    BlockRequest* const r = requests[i];
    if (held > kBatchBytes) r->postponed = true;
    if (r->status.ok() && !r->postponed) {
      // Read one by one they may fit.
      const bool alone = !together || plan.IsToReadAlone(i, r->place.handle);
      r->status = alone
                      ? LoadAlone(r->place, options, r->note, r->block)
                      : TakeRead(plan.StatusOf(i),
                                 plan.BytesOf(i, r->place.handle), options, r);
      held += r->block->bytes();
    }
    if (claims != nullptr) claims[i].End();
  }
  Trim(buffer.get());
  return held;
}

// Makes a block of the bytes that were read.
Status DataBlocks::TakeRead(const Status& read, const Slice& bytes,
                            const ReadOptions& options,
                            const BlockRequest* r) const {
  if (!read.ok()) return read;
  const LoadingPlace to(GoesToCache(options), &r->block->own_);
  LoadedBlock* const loaded = to.get();
  Status status =
      source_->LoadFrom(r->place, bytes, options.verify_checksums, loaded);
  if (status.ok() && !GoesToCache(options)) {
    status = OwnContents(r->place, r->block);
  }
  if (status.ok()) status = Keep(r->place, options, r->note, loaded, r->block);
  // What a damaged block was decompressed to may be large.
  if (!status.ok()) *loaded = LoadedBlock();
  return status;
}

Status DataBlocks::MakeOwn(const BlockPlace& place, PinnedBlock* block) {
  if (block->HasOwnBytes()) return {};
  Status status = OwnContents(place, block);
  if (!status.ok()) return status;
  return ParseBlock(block->own_.contents, place, &block->view_);
}

Status DataBlocks::Replace(const BlockPlace& place, Buffer bytes,
                           PinnedBlock* block) {
  block->Clear();
  block->own_.owned = std::move(bytes);
  block->own_.contents = block->own_.owned.slice();
  return ParseBlock(block->own_.contents, place, &block->view_);
}

}  // namespace ashlar::internal
