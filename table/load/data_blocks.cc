// The flow of every request for data blocks. DataBlocks::Bring owns it, for one
// block, for a batch, and for a batch of several tables, each with a cache, a
// file and claims of its own:
//
//   1. Look up   The cache hands out what it has. The others are missing. If
//                the read may not touch the file (ReadOptions::read_tier), they
//                are Incomplete, and the flow ends.
//   2. Claim     This thread claims each missing block. If it gets the claim,
//                the block is its own. If another thread has the claim, the
//                block is awaited. If the block was loaded a short time ago,
//                this thread looks it up again, and may find it.
//   3. Load      This thread loads its own blocks: one block alone, or a batch
//                by reads that it gives to the file together.
//   4. Insert    Each block is put into the cache as soon as it is loaded. It
//                was decompressed, or read, to where it stays (BlockRoom);
//                what is in a window, a mapped file or a larger read is copied.
//   5. Hand out  The block in the cache is handed out. Then the claim of the
//                block is ended.
//   6. Wait      By now this thread has no claim. For each awaited block, it
//                waits until the other thread has ended its claim, and looks
//                the block up again. If the block is not there, this thread
//                does steps 3 to 5 for it without a claim.
//
// Steps 3 to 5 of a batch are done block by block, once its reads are back.
// With a worker_pool, workers take reads and their blocks too (WorkerCrew).
// Each block belongs to the thread that takes it, with its request and its
// claim. This thread does not go on to step 6 before every worker has left. A
// worker waits for no claim, so this thread may wait for workers while it has
// claims.
//
// A run ahead of a walk (DecodeAhead) is brought by any thread, and nobody
// waits in it: step 6 is left out, and blocks that another thread loads are
// postponed.
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
// cache has no room, the block is handed out all the same, unless the reader
// asks for an error. So it is if there is no memory to keep it in the cache: it
// is then loaded once more, to where the request owns it. If an exception (want
// of memory) ends the flow, destructors end all claims.
//
// Limits. A batch that holds more than kBlockBatchBytes loads no further
// blocks: it postpones them. Each worker may be at one block more. Their caller
// asks for them again, one by one (LoadPostponed), after it has released the
// others. A run ahead has a RunBudget instead.

#include "table/load/data_blocks.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "table/load/file_gate.h"
#include "util/mem/thread_spare.h"
#include "util/sync/loop_state.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

namespace {

// Empties the requests of a batch.
void Reset(std::span<BlockRequest> requests) {
  for (BlockRequest& r : requests) {
    r.block->Clear();
    r.status = Status();
    r.postponed = false;
  }
}

// Looks up the requests of one table. Puts those that are missing into
// `missing`, in the order of the file, and returns how many they are.
size_t FindMissing(const DataBlockCache& cache,
                   std::span<BlockRequest> requests, const ReadOptions& options,
                   TracedCaller caller, BlockRequest** missing) {
  size_t n = 0;
  if (cache.any()) {
    while (!requests.empty()) {
      const auto some =
          requests.first(std::min(requests.size(), kBlockBatchMax));
      n += cache.FindBatch(some, options, caller, missing + n);
      requests = requests.subspan(some.size());
    }
  } else {
    for (BlockRequest& r : requests) missing[n++] = &r;
  }
  std::sort(missing, missing + n,
            [](const BlockRequest* a, const BlockRequest* b) {
              return a->place.handle.offset < b->place.handle.offset;
            });
  return n;
}

// Answers requests of a read that may not touch the file.
void Refuse(std::span<BlockRequest* const> missing) {
  for (BlockRequest* const r : missing) {
    r->status = NotInMemory(r->place.handle.offset);
  }
}

// What Bring is to bring is one block, a batch, a batch of several tables, a
// block that a batch has postponed, or a run ahead of a walk. There is a type
// for each, with these members:
//
//   kMost    the most blocks that there can be
//   kIsAhead whether it is a run ahead. Then blocks that other threads load are
//            postponed, instead of step 6
//   MayLoad  returns whether a further block may be loaded, after this many
//            bytes. Else it is postponed
//   FindIn   looks up: hands out the blocks that the cache has, puts requests
//            for the others into `missing`, in the order of the file, and
//            returns how many are missing
//   Of       returns the blocks of the table of a request
//   CrewFor  returns the workers that help with this thread's own blocks, whose
//            loads are loads[0], loads[1] and so on
//   ReadsOf  returns the reads of these blocks
//   through  returns what an awaited block is read through, in step 6

// What all but a run ahead have in common.
struct AnyWanted {
  static constexpr bool kIsAhead = false;
  static bool MayLoad(uint64_t held) { return held <= kBlockBatchBytes; }
  static WorkerCrew CrewFor(const ReadOptions& /*options*/,
                            std::span<BlockRequest* const> /*own*/,
                            const BatchedLoad* /*loads*/) {
    return {};
  }
};

// What batches have in common.
struct AnyBatch : AnyWanted {
  // One worker for each kBytesPerWorker of what is stored compressed, which
  // takes some 20 us to decompress. To wake a worker takes some 5 us. Blocks
  // that are stored raw are only copied.
  static WorkerCrew CrewFor(const ReadOptions& options,
                            std::span<BlockRequest* const> own,
                            const BatchedLoad* loads) {
    constexpr uint64_t kBytesPerWorker = uint64_t{8} << 10;
    // What options limit is limited on this thread alone.
    if (options.worker_pool == nullptr || LimitScope::LimitsReads(options)) {
      return {};
    }
    uint64_t bytes = 0;
    for (size_t i = 0; i < own.size(); ++i) {
      if (!loads[i].loader->AllRaw()) bytes += own[i]->place.handle.size;
    }
    return {options.worker_pool->state(),
            static_cast<uint32_t>(
                std::min<uint64_t>(bytes / kBytesPerWorker, kMaxLoopWorkers))};
  }
};

// One block. Its request is made only if the block is missing, so that a hit
// does not pay for it.
class OneBlock : public AnyWanted {
 public:
  static constexpr size_t kMost = 1;

  OneBlock(const DataBlocks& of, const BlockPlace& place, const BlockNote& note,
           TracedCaller caller, const ReadThrough& through, PinnedBlock* block)
      : of_(of),
        place_(place),
        note_(note),
        caller_(caller),
        through_(through),
        block_(block) {}

  size_t FindIn(const ReadOptions& options, BlockRequest** missing) {
    if (of_.cache().Find(place_, options, caller_, note_, block_)) return 0;
    missing[0] = &request_.emplace(BlockRequest{place_, note_, block_});
    return 1;
  }
  const DataBlocks& Of(const BlockRequest& /*r*/) const { return of_; }
  BlockLoader::Alone ReadsOf(std::span<BlockRequest* const> /*own*/,
                             const BatchedLoad* loads) const {
    return {*loads[0].loader, through_};
  }
  const ReadThrough& through() const { return through_; }

  Status TakeStatus() {
    return request_.has_value() ? std::move(request_->status) : Status();
  }

 private:
  const DataBlocks& of_;
  const BlockPlace& place_;
  const BlockNote& note_;
  const TracedCaller caller_;
  const ReadThrough& through_;
  PinnedBlock* const block_;
  std::optional<BlockRequest> request_;
};

// A block that a batch has postponed. Its lookup was counted then.
class PostponedBlock : public AnyWanted {
 public:
  static constexpr size_t kMost = 1;

  PostponedBlock(const DataBlocks& of, const BlockRequest& r)
      : of_(of), request_{r.place, r.note, r.block} {}

  size_t FindIn(const ReadOptions& options, BlockRequest** missing) {
    const BlockRequest& r = request_;
    if (of_.cache().FindAgain(r.place, options, r.note, r.block)) return 0;
    missing[0] = &request_;
    return 1;
  }
  const DataBlocks& Of(const BlockRequest& /*r*/) const { return of_; }
  BlockLoader::Alone ReadsOf(std::span<BlockRequest* const> /*own*/,
                             const BatchedLoad* loads) const {
    return {*loads[0].loader, through()};
  }
  ReadThrough through() const { return {}; }

  Status TakeStatus() { return std::move(request_.status); }

 private:
  const DataBlocks& of_;
  BlockRequest request_;
};

class BlockBatch : public AnyBatch {
 public:
  static constexpr size_t kMost = kBlockBatchMax;

  BlockBatch(const DataBlocks& of, std::span<BlockRequest> requests)
      : of_(of), requests_(requests) {}

  size_t FindIn(const ReadOptions& options, BlockRequest** missing) const {
    return FindMissing(of_.cache(), requests_, options, TracedCaller::kMultiGet,
                       missing);
  }
  const DataBlocks& Of(const BlockRequest& /*r*/) const { return of_; }
  static BlockLoader::Batch ReadsOf(std::span<BlockRequest* const> own,
                                    const BatchedLoad* loads) {
    return {own, loads};
  }
  ReadThrough through() const { return {}; }

 private:
  const DataBlocks& of_;
  const std::span<BlockRequest> requests_;
};

// A run of blocks ahead of a walk.
class RunAhead : public AnyWanted {
 public:
  static constexpr size_t kMost = kBlockBatchMax;
  static constexpr bool kIsAhead = true;

  RunAhead(const DataBlocks& of, std::span<BlockRequest> requests,
           RunBudget* budget)
      : of_(of), requests_(requests), budget_(budget) {}

  bool MayLoad(uint64_t held) const { return budget_->MayGoOn(held); }
  size_t FindIn(const ReadOptions& options, BlockRequest** missing) const {
    return FindMissing(of_.cache(), requests_, options, TracedCaller::kIterator,
                       missing);
  }
  const DataBlocks& Of(const BlockRequest& /*r*/) const { return of_; }
  static BlockLoader::Batch ReadsOf(std::span<BlockRequest* const> own,
                                    const BatchedLoad* loads) {
    return {own, loads};
  }

 private:
  const DataBlocks& of_;
  const std::span<BlockRequest> requests_;
  RunBudget* const budget_;
};

// A batch of several tables. All blocks are looked up before the first is
// claimed, and the blocks of all tables are read together.
class TablesBatch : public AnyBatch {
 public:
  static constexpr size_t kMost = kTablesBatchMax;

  explicit TablesBatch(std::span<const DataBlocks::OfTable> tables)
      : tables_(tables) {}

  size_t FindIn(const ReadOptions& options, BlockRequest** missing) const {
    size_t n = 0;
    for (const DataBlocks::OfTable& table : tables_) {
      n += FindMissing(table.blocks->cache(), table.requests, options,
                       TracedCaller::kMultiGet, missing + n);
    }
    return n;
  }
  static const DataBlocks& Of(const BlockRequest& r) { return *r.table_blocks; }
  static BlockLoader::Batch ReadsOf(std::span<BlockRequest* const> own,
                                    const BatchedLoad* loads) {
    return {own, loads};
  }
  ReadThrough through() const { return {}; }

 private:
  const std::span<const DataBlocks::OfTable> tables_;
};

}  // namespace

void DataBlocks::UseCache(std::shared_ptr<Cache> cache, const CacheKey& file,
                          const KeyOrder* order, const CacheFilling& filling) {
  loader_.ClaimLoads(LoadsInFlight(cache.get(), file));
  cache_.Use(std::move(cache), file, order, filling);
}

// The flow; the numbers are those of its description above.
template <typename Wanted>
void DataBlocks::Bring(const ReadOptions& options, Wanted* wanted) {
  using Turn = BlockLoader::Turn;
  // 1. Look up.
  std::array<BlockRequest*, Wanted::kMost> missing;
  const size_t num_missing = wanted->FindIn(options, missing.data());
  if (num_missing == 0) return;
  const LimitScope limits(options);
  if (IsCacheOnly()) [[unlikely]]
    return Refuse(std::span(missing).first(num_missing));

  // 2. Claim. Claim i is that of own[i]; it is empty if there is none.
  std::array<LoadClaim, Wanted::kMost> claims;
  std::array<BlockRequest*, Wanted::kMost> own;
  std::array<BatchedLoad, Wanted::kMost> loads;
  std::array<BlockRequest*, Wanted::kMost> awaited;
  size_t num_own = 0;
  size_t num_awaited = 0;
  for (BlockRequest* const r : std::span(missing).first(num_missing)) {
    const DataBlocks& of = wanted->Of(*r);
    const bool goes_to_cache = of.cache_.Takes(options);
    const Turn turn = goes_to_cache && MayBeAwaited()
                          ? of.loader_.Claim(r->place, &claims[num_own])
                          : Turn::kNoPlace;
    if (turn == Turn::kAnothers && MayAwaitOthers()) {
      awaited[num_awaited++] = r;
    } else if (turn == Turn::kMineAgain &&
               of.cache_.FindAgain(r->place, options, r->note, r->block)) {
      claims[num_own].End();
    } else {
      loads[num_own] = {&of.loader_,
                        /*to_own=*/!goes_to_cache && !Wanted::kIsAhead};
      own[num_own++] = r;
    }
  }

  // 3. Load, 4. insert and 5. hand out.
  RelaxedAtomic<uint64_t> held{0};
  const auto load = [&](const auto& reads, size_t i) {
    BlockRequest* const r = own[i];
    r->postponed = r->postponed || !wanted->MayLoad(held.Load());
    if (r->status.ok() && !r->postponed) {
      const DataBlocks& of = wanted->Of(*r);
      if (Wanted::kIsAhead && !of.cache_.Takes(options)) {
        if (i + 1 < num_own) own[i + 1]->block->FetchOwn();
        r->status = LoadForOtherCore(reads, i, options, *r);
      } else {
        r->status = of.LoadAndHandOut(reads, i, options, *r);
      }
      held.FetchAdd(r->block->bytes());
    }
    claims[i].End();
  };
  const auto mine = std::span(own).first(num_own);
  const WorkerCrew crew = wanted->CrewFor(options, mine, loads.data());
  if (num_own != 0 && crew.alone()) {
    const auto reads = wanted->ReadsOf(mine, loads.data());
    for (size_t i = 0; i < num_own; ++i) load(reads, i);
  } else if (num_own != 0) {
    if constexpr (Wanted::kMost > 1) {
      BlockLoader::Batch::LoadByCrew(crew, mine, loads.data(), load);
    }
  }

  // 6. Wait.
  Await(options, std::span(awaited).first(num_awaited), held.Load(), wanted);
}

// Step 6, after `held` bytes.
template <typename Wanted>
void DataBlocks::Await(const ReadOptions& options,
                       std::span<BlockRequest* const> awaited, uint64_t held,
                       Wanted* wanted) {
  for (BlockRequest* const r : awaited) {
    if constexpr (Wanted::kIsAhead) {
      r->postponed = true;
    } else {
      const DataBlocks& of = wanted->Of(*r);
      of.loader_.Await(r->place);
      if (of.cache_.FindAgain(r->place, options, r->note, r->block)) continue;
      r->postponed = !wanted->MayLoad(held);
      if (r->postponed) continue;
      const BlockLoader::Alone alone(of.loader_, wanted->through());
      r->status = of.LoadAndHandOut(alone, 0, options, *r);
      held += r->block->bytes();
    }
  }
}

// Steps 3 to 5 for one block, which is number i of these reads.
template <typename Reads>
Status DataBlocks::LoadAndHandOut(const Reads& reads, size_t i,
                                  const ReadOptions& options,
                                  const BlockRequest& r) const {
  if (cache_.Takes(options)) {
    Status status = LoadForCache(reads, i, r);
    if (!status.ok() || r.block->cached() != nullptr) return status;
    // There was no memory for it in the cache.
  }
  LoadedBlock* const own = r.block->own();
  Status status = reads.Load(i, r.place, options.verify_checksums, own);
  if (status.ok() && cache_.Takes(options)) status = OwnContents(r.place, own);
  if (status.ok()) status = r.block->ShowOwn(r.place);
  // What a damaged block was decompressed to may be large.
  if (!status.ok()) *own = LoadedBlock();
  return status;
}

// The same for a block that does not go to the cache, and that another core
// will read. It is copied to where it stays: that memory is in the other core's
// cache from its last use, and to decompress into it costs more.
template <typename Reads>
Status DataBlocks::LoadForOtherCore(const Reads& reads, size_t i,
                                    const ReadOptions& options,
                                    const BlockRequest& r) {
  ThreadSpare<LoadedBlock, RunAhead> loaded;
  Status status =
      reads.Load(i, r.place, options.verify_checksums, loaded.get());
  if (status.ok()) status = r.block->ShowCopy(r.place, loaded->contents);
  TrimSpare(&loaded->owned);
  return status;
}

// The same for a block that goes to the cache. If there is no memory for it
// there, the request's block stays empty.
template <typename Reads>
Status DataBlocks::LoadForCache(const Reads& reads, size_t i,
                                const BlockRequest& r) const {
  // For what cannot be loaded into the room. Its memory is the thread's, which
  // is used for the next block too.
  ThreadSpare<LoadedBlock, DataBlocks> loaded;
  BlockRoom room = cache_.RoomForBlock();
  loaded->room = &room;
  Status status =
      reads.Load(i, r.place, /*verify_checksum=*/true, loaded.get());
  if (status.ok()) {
    status = cache_.Keep(r.place, loaded->contents, r.note, &room, r.block);
  }
  loaded->room = nullptr;
  loaded->contents = Slice();
  TrimSpare(&loaded->owned);
  return status;
}

Status DataBlocks::Load(const BlockPlace& place, const ReadOptions& options,
                        PinnedBlock* block, const BlockNote& note) const {
  static constexpr ReadThrough kAlone;
  block->Clear();
  OneBlock wanted(*this, place, note, TracedCaller::kGet, kAlone, block);
  Bring(options, &wanted);
  return wanted.TakeStatus();
}

Status DataBlocks::LoadForWalk(const BlockPlace& place,
                               const ReadOptions& options,
                               const ReadThrough& through, PinnedBlock* block,
                               const BlockNote& note) const {
  block->Clear();
  OneBlock wanted(*this, place, note, TracedCaller::kIterator, through, block);
  Bring(options, &wanted);
  return wanted.TakeStatus();
}

Status DataBlocks::LoadPostponed(const BlockRequest& request,
                                 const ReadOptions& options) const {
  request.block->Clear();
  PostponedBlock wanted(*this, request);
  Bring(options, &wanted);
  return wanted.TakeStatus();
}

void DataBlocks::LoadBatch(std::span<BlockRequest> requests,
                           const ReadOptions& options) const {
  Reset(requests);
  const BlockBatch wanted(*this, requests);
  Bring(options, &wanted);
}

void DataBlocks::LoadAhead(std::span<BlockRequest> requests,
                           const ReadOptions& options,
                           RunBudget* budget) const {
  Reset(requests);
  const RunAhead wanted(*this, requests, budget);
  Bring(options, &wanted);
}

void DataBlocks::LoadTogether(std::span<const OfTable> tables,
                              const ReadOptions& options) {
  for (const OfTable& table : tables) {
    Reset(table.requests);
    for (BlockRequest& r : table.requests) r.table_blocks = table.blocks;
  }
  const TablesBatch wanted(tables);
  Bring(options, &wanted);
}

}  // namespace ashlar::internal
