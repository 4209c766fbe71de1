// The flow of every request for data blocks. DataBlocks::Bring owns it, for one
// block and for a batch:
//
//   1. Look up   The cache hands out what it has. The others are missing.
//   2. Claim     This thread claims each missing block. If it gets the claim,
//                the block is its own. If another thread has the claim, the
//                block is awaited. If the block was loaded a short time ago,
//                this thread looks it up again, and may find it.
//   3. Load      This thread loads its own blocks: one block alone, or a batch
//                by reads that it gives to the file together.
//   4. Insert    Each block is copied into the cache as soon as it is loaded.
//   5. Hand out  The copy in the cache is handed out. Then this thread ends the
//                claim of the block.
//   6. Wait      By now this thread has no claim. For each awaited block, it
//                waits until the other thread has ended its claim, and looks
//                the block up again. If the block is not there, this thread
//                does steps 3 to 5 for it without a claim.
//
// A read does not fill the cache if there is none, if fill_cache is off, or if
// checksums are not verified. Then every missing block is this thread's own
// without a claim, and is handed out where it was loaded to, without step 4.
//
// Who may do what:
//
//   Bring           decides what comes next. It alone claims and waits, and it
//                   alone has missing blocks loaded and inserted.
//   DataBlockCache  finds and keeps blocks. It reads no file and knows no
//                   claims. It alone counts hits and misses, in step 1.
//   BlockLoader     has the claims, and reads, verifies and decompresses by
//                   BlockSource. It knows no cache.
//   PinnedBlock     is what is handed out. The caller of DataBlocks owns it.
//   BlocksAhead     asks the DataBlockCache for blocks that a walk will come
//                   to. It never loads.
//
// Errors. If a block cannot be loaded, this thread ends its claim without
// inserting anything, and the error goes to this thread's request. Other
// threads do not get that error: they load for themselves (step 6). If the
// cache has no room, or there is no memory for a copy, the block is handed out
// all the same. If an exception (want of memory) ends the flow, destructors end
// all claims.
//
// Limits. A batch that holds more than kBlockBatchBytes loads no further
// blocks: it postpones them. Their caller asks for them again, one by one
// (LoadPostponed), after it has released the others.

#include "table/load/data_blocks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "util/mem/thread_spare.h"

namespace ashlar::internal {

namespace {

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

// What Bring is to bring is one block, a batch, or a block that a batch has
// postponed. There is a type for each, with these members:
//
//   kMost    the most blocks that there can be
//   FindIn   looks up: hands out the blocks that the cache has, puts requests
//            for the others into `missing`, in the order of the file, and
//            returns how many are missing
//   ReadsOf  returns the reads of this thread's own blocks
//   through  returns what an awaited block is read through, in step 6

// One block. Its request is made only if the block is missing, so that a hit
// does not pay for it.
class OneBlock {
 public:
  static constexpr size_t kMost = 1;

  OneBlock(const BlockPlace& place, const BlockNote& note, TracedCaller caller,
           const ReadThrough& through, PinnedBlock* block)
      : place_(place),
        note_(note),
        caller_(caller),
        through_(through),
        block_(block) {}

  size_t FindIn(const DataBlockCache& cache, const ReadOptions& options,
                BlockRequest** missing) {
    if (cache.Find(place_, options, caller_, note_, block_)) return 0;
    missing[0] = &request_.emplace(BlockRequest{place_, note_, block_});
    return 1;
  }
  BlockLoader::Alone ReadsOf(const BlockLoader& loader,
                             std::span<BlockRequest* const> /*own*/,
                             bool /*to_own*/) const {
    return {loader, through_};
  }
  const ReadThrough& through() const { return through_; }

  Status TakeStatus() {
    return request_.has_value() ? std::move(request_->status) : Status();
  }

 private:
  const BlockPlace& place_;
  const BlockNote& note_;
  const TracedCaller caller_;
  const ReadThrough& through_;
  PinnedBlock* const block_;
  std::optional<BlockRequest> request_;
};

// A block that a batch has postponed. Its lookup was counted then.
class PostponedBlock {
 public:
  static constexpr size_t kMost = 1;

  explicit PostponedBlock(const BlockRequest& r)
      : request_{r.place, r.note, r.block} {}

  size_t FindIn(const DataBlockCache& cache, const ReadOptions& options,
                BlockRequest** missing) {
    const BlockRequest& r = request_;
    if (cache.FindAgain(r.place, options, r.note, r.block)) return 0;
    missing[0] = &request_;
    return 1;
  }
  BlockLoader::Alone ReadsOf(const BlockLoader& loader,
                             std::span<BlockRequest* const> /*own*/,
                             bool /*to_own*/) const {
    return {loader, through()};
  }
  ReadThrough through() const { return {}; }

  Status TakeStatus() { return std::move(request_.status); }

 private:
  BlockRequest request_;
};

class BlockBatch {
 public:
  static constexpr size_t kMost = kBlockBatchMax;

  explicit BlockBatch(std::span<BlockRequest> requests) : requests_(requests) {}

  size_t FindIn(const DataBlockCache& cache, const ReadOptions& options,
                BlockRequest** missing) const {
    size_t n = 0;
    if (cache.any()) {
      n = cache.FindBatch(requests_, options, missing);
    } else {
      for (BlockRequest& r : requests_) missing[n++] = &r;
    }
    std::sort(missing, missing + n,
              [](const BlockRequest* a, const BlockRequest* b) {
                return a->place.handle.offset < b->place.handle.offset;
              });
    return n;
  }
  BlockLoader::Batch ReadsOf(const BlockLoader& loader,
                             std::span<BlockRequest* const> own,
                             bool to_own) const {
    return {loader, own, to_own};
  }
  ReadThrough through() const { return {}; }

 private:
  const std::span<BlockRequest> requests_;
};

}  // namespace

void DataBlocks::UseCache(std::shared_ptr<Cache> cache, const CacheKey& file,
                          const KeyOrder* order) {
  cache_.Use(std::move(cache), file, order);
  loader_.ClaimLoads();
}

// The flow; the numbers are those of its description above.
template <typename Wanted>
void DataBlocks::Bring(const ReadOptions& options, Wanted* wanted) const {
  using Turn = BlockLoader::Turn;
  // 1. Look up.
  std::array<BlockRequest*, Wanted::kMost> missing;
  const size_t num_missing = wanted->FindIn(cache_, options, missing.data());
  if (num_missing == 0) return;

  // 2. Claim. Claim i is that of own[i]; it is empty if there is none.
  const bool goes_to_cache = cache_.Takes(options);
  std::array<LoadClaim, Wanted::kMost> claims;
  std::array<BlockRequest*, Wanted::kMost> own;
  std::array<BlockRequest*, Wanted::kMost> awaited;
  size_t num_own = 0;
  size_t num_awaited = 0;
  for (BlockRequest* const r : std::span(missing).first(num_missing)) {
    const Turn turn = goes_to_cache ? loader_.Claim(r->place, &claims[num_own])
                                    : Turn::kNoPlace;
    if (turn == Turn::kAnothers) {
      awaited[num_awaited++] = r;
    } else if (turn == Turn::kMineAgain &&
               cache_.FindAgain(r->place, options, r->note, r->block)) {
      claims[num_own].End();
    } else {
      own[num_own++] = r;
    }
  }

  // 3. Load, 4. insert and 5. hand out.
  uint64_t held = 0;
  if (num_own != 0) {
    const auto reads = wanted->ReadsOf(loader_, std::span(own).first(num_own),
                                       /*to_own=*/!goes_to_cache);
    for (size_t i = 0; i < num_own; ++i) {
      BlockRequest* const r = own[i];
      if (held > kBlockBatchBytes) r->postponed = true;
      if (r->status.ok() && !r->postponed) {
        r->status = LoadAndHandOut(reads, i, options, *r);
        held += r->block->bytes();
      }
      claims[i].End();
    }
  }

  // 6. Wait.
  for (BlockRequest* const r : std::span(awaited).first(num_awaited)) {
    loader_.Await(r->place);
    if (cache_.FindAgain(r->place, options, r->note, r->block)) continue;
    r->postponed = held > kBlockBatchBytes;
    if (r->postponed) continue;
    const BlockLoader::Alone alone(loader_, wanted->through());
    r->status = LoadAndHandOut(alone, 0, options, *r);
    held += r->block->bytes();
  }
}

// Steps 3 to 5 for one block, which is number i of these reads.
template <typename Reads>
Status DataBlocks::LoadAndHandOut(const Reads& reads, size_t i,
                                  const ReadOptions& options,
                                  const BlockRequest& r) const {
  const bool goes_to_cache = cache_.Takes(options);
  const LoadingPlace to(goes_to_cache, r.block->own());
  LoadedBlock* const loaded = to.get();
  Status status = reads.Load(i, r.place, options.verify_checksums, loaded);
  if (status.ok()) {
    status =
        goes_to_cache ? InsertAndHandOut(r, loaded) : r.block->ShowOwn(r.place);
  }
  // What a damaged block was decompressed to may be large.
  if (!status.ok()) *loaded = LoadedBlock();
  return status;
}

Status DataBlocks::InsertAndHandOut(const BlockRequest& r,
                                    LoadedBlock* loaded) const {
  Status status = cache_.Keep(r.place, loaded->contents, r.note, r.block);
  if (status.ok() && r.block->cached() == nullptr) {
    // There was no memory for a copy in the cache.
    r.block->own()->contents = loaded->contents;
    status = r.block->MakeOwn(r.place);
  }
  TrimSpare(&loaded->owned);
  return status;
}

Status DataBlocks::Load(const BlockPlace& place, const ReadOptions& options,
                        PinnedBlock* block, const BlockNote& note) const {
  static constexpr ReadThrough kAlone;
  block->Clear();
  OneBlock wanted(place, note, TracedCaller::kGet, kAlone, block);
  Bring(options, &wanted);
  return wanted.TakeStatus();
}

Status DataBlocks::LoadForWalk(const BlockPlace& place,
                               const ReadOptions& options,
                               const ReadThrough& through, PinnedBlock* block,
                               const BlockNote& note) const {
  block->Clear();
  OneBlock wanted(place, note, TracedCaller::kIterator, through, block);
  Bring(options, &wanted);
  return wanted.TakeStatus();
}

Status DataBlocks::LoadPostponed(const BlockRequest& request,
                                 const ReadOptions& options) const {
  request.block->Clear();
  PostponedBlock wanted(request);
  Bring(options, &wanted);
  return wanted.TakeStatus();
}

void DataBlocks::LoadBatch(std::span<BlockRequest> requests,
                           const ReadOptions& options) const {
  for (BlockRequest& r : requests) {
    r.block->Clear();
    r.status = Status();
    r.postponed = false;
  }
  const BlockBatch wanted(requests);
  Bring(options, &wanted);
}

}  // namespace ashlar::internal
