// TableCache: an LRU cache of readers, and a list of the openings that are
// being done.
//
// States of a table, that is, of a file number:
//
//   closed   in neither place
//   opening  in `openings`. One thread opens it; the others that want it wait
//            for the end of that Opening.
//   open     in `cache`. Handles refer to it, or none does.
//   leaving  in neither place, but a reader exists: it was evicted while it was
//            in use or was being opened. It ends with its last handle.
//
// Who moves it:
//
//   closed -> opening   Find, under the mutex: it looks in both places, and is
//                       the opening thread if the table is in neither.
//   opening -> open     the opening thread, under the mutex: it puts the reader
//                       into the cache and takes the Opening out of the list,
//                       so no thread sees the table in neither place.
//   opening -> closed   the same, after an error or an exception. No error is
//                       stored but in the Opening, which goes with its waiters.
//   opening -> leaving  Evict, under the mutex: it takes the Opening out of the
//                       list and marks it as forgotten. The opening thread sees
//                       the mark under the mutex, and makes a handle that no
//                       lookup finds.
//   open -> closed      the cache, when there is no room for the table and no
//                       handle refers to it.
//   open -> leaving     Evict, under the mutex.
//   leaving -> closed   the thread that releases the last handle.
//
// So a reader that Evict has forgotten never comes (back) into the cache, and
// at most one reader of a file number is open or opening. A Find that begins
// after an Evict has returned finds the cache without the table, and then the
// list with nothing, or with an opening that began after the Evict.
//
// Memory order. Find first asks the cache alone: the shard's mutex publishes
// the reader. Everything else is under `mutex`, except what waiting threads
// read of an Opening. The opening thread writes that under the mutex and then
// releases one token per waiter; a waiter acquires its token first. The list of
// waiters is complete then, because an Opening that is out of the list gets no
// more. The opening thread takes the references of its waiters before it wakes
// them, so no table closes before a thread that waited for it has it, even with
// a limit of 0.
//
// Locks. `mutex` is taken for misses and evictions only, and held for map
// operations and one insert. Shards' mutexes are taken inside it. No table is
// opened or closed under a mutex: readers that an insert evicts are collected
// (Evicted), and end after the mutex is released. `shrinking` is held
// while the capacity is lowered, by threads that have no descriptor left.
//
// Why not Claims (util/sync/claims.h), which data blocks use: two numbers that
// meet in one of its 64 slots are done without a claim, perhaps by several
// threads. A block that is read twice costs time only. A table that is opened
// twice costs a descriptor, and its second reader would not be the one that
// Evict finds. An opening takes so long that a mutex and a list cost nothing.
//
// Fork. An Opening records the number of forks of its process. In a child, the
// thread that was opening does not exist. So a Find of the child that meets
// such an Opening replaces it by its own.

#include "ashlar/table/table_cache.h"

#include <algorithm>
#include <unordered_map>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/statistics.h"
#include "ashlar/util/sync/mutex.h"
#include "port/posix_io.h"
#include "port/threads.h"
#include "table/counters/statistics_shards.h"
#include "table/read/cached_table.h"
#include "table/read/table_cache_limits.h"
#include "table/read/table_opening.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

using namespace internal;

namespace {

CacheKey KeyOf(uint64_t file_number) { return {file_number, 0}; }

// Returns about how much memory the cache itself needs for an open table. The
// reader's own memory does not count.
uint64_t RecordBytes(const RandomAccessFile& file) {
  // The entry of the LRU cache, and the file object.
  constexpr uint64_t kEntryAndFile = 256;
  return sizeof(CachedTable) + kEntryAndFile + file.name().size();
}

bool IsOutOfDescriptors(const Status& status) {
  return status.IsIOError() &&
         status.subcode() == Status::SubCode::kTooManyOpenFiles;
}

}  // namespace

TableHandle::TableHandle(Cache* cache, CacheHandle* handle)
    : cache_(cache),
      handle_(handle),
      reader_(handle == nullptr
                  ? nullptr
                  : static_cast<CachedTable*>(handle->value())->reader.get()) {}

struct TableCache::State {
  State(const TableCacheOptions& options_in, std::shared_ptr<Cache> cache_in)
      : options(options_in),
        can_tell_forks(port::WatchForks()),
        cache(std::move(cache_in)) {
    cache->SetEvictionCallback(
        [this](const CacheKey&, const CacheHandle& entry, bool) {
          auto* const table = static_cast<CachedTable*>(entry.value());
          if (Evicted::Take(table)) return true;
          Count(Ticker::kTableCacheEvict, 1);
          return false;
        });
  }

  void Count(Ticker ticker, uint64_t n) const {
    const Statistics* const statistics =
        options.reader_options.statistics.get();
    if (statistics == nullptr || n == 0) return;
    StatisticsShard* const shard = StatisticsShards::Mine(*statistics);
    if (shard != nullptr) shard->Add(ticker, n);
  }
  CacheHandle* FindOpen(uint64_t file_number) const {
    CacheHandle* const handle = cache->Lookup(KeyOf(file_number));
    if (handle != nullptr) Count(Ticker::kTableCacheHit, 1);
    return handle;
  }
  // Returns a handle if the table has just been opened. Else sets *opening to
  // the one to wait for, which counts this thread as a waiter, or to `own`,
  // which the caller must do.
  CacheHandle* Join(uint64_t file_number, const std::shared_ptr<Opening>& own,
                    std::shared_ptr<Opening>* opening);
  // Opens the table and ends `own`.
  Result<TableHandle> Open(uint64_t file_number, const OpenTableFunction& open,
                           Opening* own);
  Status TryOpen(uint64_t file_number, const OpenTableFunction& open,
                 std::unique_ptr<CachedTable>* table);
  Status OpenOnce(uint64_t file_number, const OpenTableFunction& open,
                  std::unique_ptr<CachedTable>* table);
  CacheHandle* End(uint64_t file_number, Opening* own,
                   std::unique_ptr<CachedTable> table, Status* status);
  CacheHandle* Put(uint64_t file_number, const Opening& own, CachedTable* table)
      ASHLAR_THREAD_ATTRIBUTE(requires_capability(mutex));
  uint64_t CloseSome();
  bool AwaitMovingTable(uint64_t seen);
  Status OutOfDescriptors(const Status& status) const;
  size_t ChargeOf(const CachedTable& table) const;

  const TableCacheOptions options;
  const bool can_tell_forks;
  OpenFigures figures;
  Mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<Opening>> openings
      ASHLAR_THREAD_ATTRIBUTE(guarded_by(mutex));
  // Held while the cache's capacity is lowered.
  Mutex shrinking;
  // Destroyed first: its tables count in `figures`.
  const std::shared_ptr<Cache> cache;
};

namespace {

// Ends an opening whose function throws, so that no thread waits for ever.
template <typename Abandon>
class AtThrow {
 public:
  explicit AtThrow(Abandon abandon) : abandon_(std::move(abandon)) {}
  AtThrow(const AtThrow&) = delete;
  AtThrow& operator=(const AtThrow&) = delete;
  ~AtThrow() {
    if (is_armed_) abandon_();
  }
  void Disarm() { is_armed_ = false; }

 private:
  const Abandon abandon_;
  bool is_armed_ = true;
};

}  // namespace

CacheHandle* TableCache::State::Join(uint64_t file_number,
                                     const std::shared_ptr<Opening>& own,
                                     std::shared_ptr<Opening>* opening) {
  const MutexLock lock(&mutex);
  // Again, under the mutex: it may have been opened since the first look.
  CacheHandle* const handle = cache->Lookup(KeyOf(file_number));
  if (handle != nullptr) return handle;
  std::shared_ptr<Opening>& first =
      openings.try_emplace(file_number, own).first->second;
  if (can_tell_forks && first->forks != port::num_forks) first = own;
  if (first != own) ++first->waiters;
  *opening = first;
  return nullptr;
}

Result<TableHandle> TableCache::State::Open(uint64_t file_number,
                                            const OpenTableFunction& open,
                                            Opening* own) {
  std::unique_ptr<CachedTable> table;
  AtThrow guard([&] {
    Status none;
    End(file_number, own, nullptr, &none);
  });
  Status status =
      OrMemoryLimit([&] { return TryOpen(file_number, open, &table); });
  guard.Disarm();
  Count(status.ok() ? Ticker::kNoFileOpens : Ticker::kNoFileErrors, 1);
  CacheHandle* const handle = End(file_number, own, std::move(table), &status);
  if (handle == nullptr) return status;
  return TableHandle(cache.get(), handle);
}

Status TableCache::State::TryOpen(uint64_t file_number,
                                  const OpenTableFunction& open,
                                  std::unique_ptr<CachedTable>* table) {
  const std::string name = "table " + std::to_string(file_number);
  for (;;) {
    const uint64_t seen = figures.events.Load();
    Status status = OpenOnce(file_number, open, table);
    if (!IsOutOfDescriptors(status)) return status.WithPrefix(name);
    // In each round but the last a table is closed or opened. Another thread
    // may take the descriptor that a round frees.
    if (CloseSome() == 0 && !AwaitMovingTable(seen)) {
      return OutOfDescriptors(status).WithPrefix(name);
    }
  }
}

Status TableCache::State::OpenOnce(uint64_t file_number,
                                   const OpenTableFunction& open,
                                   std::unique_ptr<CachedTable>* table) {
  TableToOpen to;
  to.options = options.reader_options;
  Status status = open(file_number, &to);
  if (!status.ok()) return status;
  if (to.reader == nullptr && to.file == nullptr && to.path.empty()) {
    return Status::InvalidArgument(
        "the opening function set neither a path nor a file");
  }
  using Opened = Result<std::unique_ptr<TableReader>>;
  Opened opened = to.reader != nullptr ? Opened(std::move(to.reader))
                  : to.file != nullptr
                      ? TableReader::Open(std::move(to.file), to.options)
                      : TableReader::Open(to.path, to.options);
  if (!opened.ok()) return opened.status();
  const TableReader& reader = **opened;
  const uint64_t number = reader.properties().orig_file_number;
  if (to.expected_orig_file_number.value_or(number) != number) {
    return Status::Corruption(reader.file().name() +
                              ": the file's own number is " +
                              std::to_string(number) + ", expected " +
                              std::to_string(*to.expected_orig_file_number));
  }
  MemoryCharge record(to.options.block_cache, to.options.cache_usage_options,
                      CacheEntryRole::kFileMetadata);
  status = record.Add(RecordBytes(reader.file()));
  if (!status.ok()) return status.WithPrefix(reader.file().name());
  *table = std::make_unique<CachedTable>(std::move(opened).value(), &figures,
                                         std::move(record));
  return {};
}

// Ends an opening: with this table, or with *status if it is null. OK then
// means that nothing is known. Returns a handle for the opening thread, or
// null. Sets *status if there is no memory for the handle.
CacheHandle* TableCache::State::End(uint64_t file_number, Opening* own,
                                    std::unique_ptr<CachedTable> table,
                                    Status* status) {
  Evicted evicted;
  CacheHandle* handle = nullptr;
  uint32_t waiters;
  {
    const MutexLock lock(&mutex);
    if (table != nullptr) {
      handle = Put(file_number, *own, table.get());
      if (handle == nullptr) {
        *status = Status::OutOfMemory();
      } else {
        static_cast<void>(table.release());
      }
    }
    waiters = own->waiters;
    bool all = handle != nullptr;
    uint32_t referred = 0;
    for (; all && referred < waiters; ++referred) all = cache->Ref(handle);
    if (all) {
      own->handle = handle;
    } else {
      // The handle of this thread stays. The cache refuses a reference only
      // after hundreds of millions of them.
      for (; handle != nullptr && referred > 1; --referred) {
        cache->Release(handle);
      }
    }
    own->status = *status;
    if (!own->is_forgotten) openings.erase(file_number);
  }
  if (handle != nullptr) figures.Announce();
  Count(Ticker::kTableCacheEvict, evicted.count());
  if (waiters != 0) own->ended.Release(waiters);
  return handle;
}

// Makes a handle to the table, which then owns it: in the cache, unless the
// opening was forgotten. Returns null if there is no memory.
CacheHandle* TableCache::State::Put(uint64_t file_number, const Opening& own,
                                    CachedTable* table) {
  const CacheKey key = KeyOf(file_number);
  const size_t charge = ChargeOf(*table);
  table->erase_blocks.Store(own.is_deleted);
  CacheHandle* handle = nullptr;
  if (own.is_forgotten) {
    table->is_standalone = true;
    figures.standalone.FetchAdd(1);
    handle = cache->CreateStandalone(key, table, &kTableOps, charge,
                                     /*allow_uncharged=*/true);
  } else {
    cache->Insert(key, table, &kTableOps, charge, &handle).IgnoreError();
  }
  return handle;
}

size_t TableCache::State::ChargeOf(const CachedTable& table) const {
  const int files = options.max_open_files;
  const auto& bytes = options.max_table_bytes;
  if (!bytes.has_value() || files == 0) return 1;
  if (files < 0) return table.bytes;
  const auto n = static_cast<uint64_t>(files);
  return std::max(table.bytes, *bytes / n + (*bytes % n != 0 ? 1 : 0));
}

// Closes about a quarter of the tables that no handle refers to, and returns
// their number: at least one, if there is one.
uint64_t TableCache::State::CloseSome() {
  Evicted evicted;
  {
    const MutexLock lock(&shrinking);
    const size_t used = cache->GetUsage();
    const size_t unused = used - std::min(used, cache->GetPinnedUsage());
    cache->SetCapacity(used - std::max(unused / 4, std::min(used, size_t{1})));
    // With shards, those above their part may have all their tables in use.
    if (evicted.count() == 0) cache->SetCapacity(0);
    cache->SetCapacity(TableCacheLimits(options).capacity);
  }
  Count(Ticker::kTableCacheDescriptorEvict, evicted.count());
  return evicted.count();
}

// A table may be on its way into the cache, so that it can be closed soon, or
// on its way out, so that its descriptor will be free soon. Returns whether
// there is such a table, or has been since there were `seen` events, and waits
// until it has arrived. A table on its way is counted in `tables` and not in
// the cache, and its way ends with an event. So if the two differ, an event has
// come since `seen`, or will come.
bool TableCache::State::AwaitMovingTable(uint64_t seen) {
  const auto has_news = [&] { return figures.events.Load() != seen; };
  if (figures.tables.Load() ==
      figures.standalone.Load() + cache->GetOccupancyCount()) {
    return has_news();
  }
  figures.room.Await(has_news);
  return true;
}

Status TableCache::State::OutOfDescriptors(const Status& status) const {
  const uint64_t limit = port::DescriptorLimit();
  std::string text(status.message());
  text += "; this process may have ";
  text += limit == 0 ? "any number of" : std::to_string(limit);
  text += " descriptors (RLIMIT_NOFILE), and all ";
  text += std::to_string(figures.tables.Load());
  text +=
      " open tables of the cache are in use: raise the limit (ulimit -n), "
      "hold fewer table handles, or close other files; max_open_files is ";
  text += std::to_string(options.max_open_files);
  return Status::IOError(text, Status::SubCode::kTooManyOpenFiles);
}

TableCache::TableCache(std::unique_ptr<State> state)
    : state_(std::move(state)) {}

TableCache::~TableCache() = default;

Result<std::unique_ptr<TableCache>> TableCache::Create(
    const TableCacheOptions& options) {
  Status checked = CheckTableCacheOptions(options);
  if (!checked.ok()) return checked;
  return OrMemoryLimit([&]() -> Result<std::unique_ptr<TableCache>> {
    auto cache = NewLruCache(TableCacheLimits(options));
    if (!cache.ok()) return cache.status();
    return std::unique_ptr<TableCache>(new TableCache(
        std::make_unique<State>(options, std::move(cache).value())));
  });
}

Result<TableHandle> TableCache::Find(uint64_t file_number) {
  return Find(file_number, state_->options.open);
}

Result<TableHandle> TableCache::Find(uint64_t file_number,
                                     const OpenTableFunction& open) {
  State& s = *state_;
  CacheHandle* handle = s.FindOpen(file_number);
  if (handle != nullptr) [[likely]]
    return TableHandle(s.cache.get(), handle);
  if (!open) {
    return Status::InvalidArgument("table " + std::to_string(file_number) +
                                   ": there is no opening function");
  }
  return OrMemoryLimit([&]() -> Result<TableHandle> {
    for (;;) {
      const auto own = std::make_shared<Opening>();
      std::shared_ptr<Opening> opening;
      handle = s.Join(file_number, own, &opening);
      if (opening == own) {
        s.Count(Ticker::kTableCacheMiss, 1);
        return s.Open(file_number, open, own.get());
      }
      if (opening != nullptr) {
        opening->ended.Acquire();
        handle = opening->handle;
        if (handle == nullptr && opening->status.ok()) continue;
      }
      s.Count(Ticker::kTableCacheHit, 1);
      if (handle == nullptr) return opening->status;
      return TableHandle(s.cache.get(), handle);
    }
  });
}

TableHandle TableCache::FindOpen(uint64_t file_number) {
  return {state_->cache.get(), state_->FindOpen(file_number)};
}

bool TableCache::Evict(uint64_t file_number) {
  return Forget(file_number, false);
}

bool TableCache::EvictDeleted(uint64_t file_number) {
  return Forget(file_number, true);
}

bool TableCache::Forget(uint64_t file_number, bool is_deleted) {
  Cache& cache = *state_->cache;
  bool was_opening = false;
  CacheHandle* handle = nullptr;
  {
    const MutexLock lock(&state_->mutex);
    const auto found = state_->openings.find(file_number);
    if (found != state_->openings.end()) {
      was_opening = true;
      found->second->is_forgotten = true;
      found->second->is_deleted = is_deleted;
      state_->openings.erase(found);
    }
    handle = cache.Lookup(KeyOf(file_number));
    if (handle != nullptr && is_deleted) {
      static_cast<CachedTable*>(handle->value())->erase_blocks.Store(true);
    }
    cache.Erase(KeyOf(file_number));
  }
  if (handle != nullptr) cache.Release(handle);
  return was_opening || handle != nullptr;
}

void TableCache::CloseUnused() { state_->cache->EraseUnRefEntries(); }

uint64_t TableCache::OpenTables() const {
  return state_->figures.tables.Load();
}

uint64_t TableCache::MemoryUsage() const {
  return state_->figures.bytes.Load();
}

}  // namespace ashlar
