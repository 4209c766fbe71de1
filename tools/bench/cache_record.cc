#include "tools/bench/cache_record.h"

#include <algorithm>
#include <cstddef>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "ashlar/cache/concurrent_write_buffer.h"
#include "ashlar/cache/fifo_cache.h"
#include "ashlar/util/sync/mutex.h"
#include "tools/bench/threads.h"
#include "util/sync/atomic.h"

namespace ashlar::bench {

namespace {

using Blocks = FifoCache<CacheKey, uint64_t>;
using Entry = Blocks::Entry;
using Buffer = ConcurrentWriteBuffer<Entry>;

// Returns entry n. All entries have different keys, and no key is all zeros.
Entry EntryAt(uint64_t n) { return {{(n + 1) * 0x9e3779b97f4a7c15, n}, n}; }

// Records `fill` entries, and then measures the records of all threads.
template <typename Record>
std::string Time(const CacheBenchOptions& options, size_t fill,
                 RunResult* result, Record record) {
  for (uint64_t n = 0; n < fill; ++n) record(EntryAt(n));
  const auto threads = static_cast<uint64_t>(options.threads);
  const uint64_t each = std::max<uint64_t>(1, options.ops_per_thread / threads);
  TimeThreads(options.threads, result, [&](size_t i) {
    const uint64_t begin = fill + each * i;
    for (uint64_t n = begin; n < begin + each; ++n) record(EntryAt(n));
  });
  result->operations = each * threads;
  return "";
}

// A hash table with open addressing and linear probing, and nothing else. For
// one thread.
class BareTable {
 public:
  explicit BareTable(size_t bytes) : slots_(bytes / sizeof(Slot)) {}

  // Returns half of the slots.
  size_t most_entries() const { return slots_.size() / 2; }

  void Insert(const Entry& entry) {
    size_t i = PlaceOf(entry.key);
    while (slots_[i].key != CacheKey{}) i = Next(i);
    slots_[i] = {entry.key, entry.value};
  }
  void Erase(const CacheKey& key) {
    size_t hole = PlaceOf(key);
    while (slots_[hole].key != key) hole = Next(hole);
    // Entries after the hole move up, so that every probe still finds its
    // entry.
    for (size_t i = Next(hole); slots_[i].key != CacheKey{}; i = Next(i)) {
      const size_t home = PlaceOf(slots_[i].key);
      const bool stays =
          hole <= i ? hole < home && home <= i : hole < home || home <= i;
      if (stays) continue;
      slots_[hole] = slots_[i];
      hole = i;
    }
    slots_[hole].key = {};
  }

 private:
  struct Slot {
    CacheKey key;
    uint64_t value = 0;
  };
  size_t PlaceOf(const CacheKey& key) const {
    return internal::ScaleHash(FifoKeyHash<CacheKey>()(key), slots_.size());
  }
  size_t Next(size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  std::vector<Slot> slots_;
};

// A map and a list, both with one node per entry: the obvious first version.
class MutexedLru {
 public:
  explicit MutexedLru(size_t entries) : most_(entries) {
    map_.reserve(entries);
  }

  void Record(const Entry& entry) {
    const internal::MutexLock lock(&mutex_);
    const auto [at, inserted] = map_.try_emplace(entry.key);
    if (!inserted) list_.erase(at->second);
    list_.push_front(entry);
    at->second = list_.begin();
    if (list_.size() <= most_) return;
    map_.erase(list_.back().key);
    list_.pop_back();
  }

 private:
  const size_t most_;
  internal::Mutex mutex_;
  std::list<Entry> list_;
  std::unordered_map<CacheKey, std::list<Entry>::iterator,
                     FifoKeyHash<CacheKey>>
      map_;
};

std::string TimeEraseOldest(const CacheBenchOptions& options,
                            RunResult* result) {
  BareTable table(options.cache_size);
  std::vector<CacheKey> keys(table.most_entries());  // in the table, in a ring
  size_t oldest = 0;
  return Time(options, keys.size(), result, [&](const Entry& entry) {
    table.Insert(entry);
    const CacheKey old = std::exchange(keys[oldest], entry.key);
    if (old != CacheKey{}) table.Erase(old);
    if (++oldest == keys.size()) oldest = 0;
  });
}

// The table is half full from the beginning.
std::string TimeInsertAndErase(const CacheBenchOptions& options,
                               RunResult* result) {
  BareTable table(options.cache_size);
  const size_t fill = table.most_entries();
  for (uint64_t n = 0; n < fill; ++n) table.Insert(EntryAt(~n));
  return Time(options, 0, result, [&](const Entry& entry) {
    table.Insert(entry);
    table.Erase(entry.key);
  });
}

}  // namespace

std::string RunRecord(const std::string& benchmark,
                      const CacheBenchOptions& options, RunResult* result) {
  const auto record_in = [&](const WriteBufferOptions& of_buffer, size_t fill,
                             Buffer::Sink sink) -> std::string {
    auto made = Buffer::Make(of_buffer, std::move(sink));
    if (!made.ok()) return made.status().ToString();
    Buffer& buffer = **made;
    return Time(options, fill, result,
                [&](const Entry& entry) { buffer.Record(entry); });
  };
  if (benchmark == "discard") return record_in({}, 0, [](auto) {});
  Blocks blocks;
  if (Status status = blocks.SetCapacity(options.cache_size); !status.ok()) {
    return status.ToString();
  }
  constexpr int kShardBits = 4;
  const int bits =
      options.num_shard_bits < 0 ? kShardBits : options.num_shard_bits;
  constexpr size_t kBuffered = 1000;  // of the fill, still in the buffer
  return record_in({.shards = 1U << bits,
                    .blocks = options.buffer_blocks,
                    .when_full = WriteBufferOptions::WhenFull::kWait},
                   blocks.MostEntries() + kBuffered,
                   [&](auto entries) { blocks.Add(entries); });
}

std::string RunRecordLimit(const std::string& benchmark,
                           const CacheBenchOptions& options,
                           RunResult* result) {
  if (benchmark == "discard") {
    internal::RelaxedAtomic<uint64_t> counter;
    return Time(options, 0, result,
                [&](const Entry& entry) { counter.FetchAdd(entry.value); });
  }
  if (options.cache_type == "mutexed_lru") {
    Blocks blocks;
    if (Status status = blocks.SetCapacity(options.cache_size); !status.ok()) {
      return status.ToString();
    }
    MutexedLru lru(blocks.MostEntries());
    return Time(options, blocks.MostEntries(), result,
                [&](const Entry& entry) { lru.Record(entry); });
  }
  if (options.threads != 1) return "a bare table is for one thread";
  return options.cache_type == "erase_oldest"
             ? TimeEraseOldest(options, result)
             : TimeInsertAndErase(options, result);
}

}  // namespace ashlar::bench
