// CachedTable: what a table cache holds of a table: its reader.
//
// Counts itself in figures that its cache shares, and may be told that its file
// is deleted. Used by table_cache.cc alone, which says which thread may do what
// when.
#ifndef ASHLAR_TABLE_READ_CACHED_TABLE_H_
#define ASHLAR_TABLE_READ_CACHED_TABLE_H_

#include <cstdint>
#include <memory>
#include <utility>

#include "ashlar/cache/cache_entry.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/sync/waiting_room.h"
#include "cache/charge/memory_charge.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

// The readers that a table cache has made and that still exist.
class OpenFigures {
 public:
  void Add(uint64_t table_bytes) {
    tables.FetchAdd(1);
    bytes.FetchAdd(table_bytes);
  }
  void Remove(uint64_t table_bytes, bool is_standalone) {
    if (is_standalone) standalone.FetchSub(1);
    tables.FetchSub(1);
    bytes.FetchSub(table_bytes);
    Announce();
  }
  // To be called when a table was closed, or has come into the cache.
  void Announce() {
    events.FetchAdd(1);
    room.Announce();
  }

  RelaxedAtomic<uint64_t> tables;
  RelaxedAtomic<uint64_t> bytes;       // their memory, as of when they opened
  RelaxedAtomic<uint64_t> standalone;  // those that no lookup finds
  RelaxedAtomic<uint64_t> events;
  WaitingRoom room;  // of threads that wait for an event
};

// What the cache holds.
struct CachedTable {
  CachedTable(std::unique_ptr<TableReader> reader_in, OpenFigures* figures_in,
              MemoryCharge record_in)
      : record(std::move(record_in)),
        reader(std::move(reader_in)),
        bytes(reader->ExpectedMemoryUsage()),
        figures(figures_in) {
    figures->Add(bytes);
  }
  CachedTable(const CachedTable&) = delete;
  CachedTable& operator=(const CachedTable&) = delete;
  ~CachedTable() {
    if (erase_blocks.Load()) reader->EraseFromBlockCache();
    reader.reset();
    figures->Remove(bytes, is_standalone);
  }

  const MemoryCharge record;  // of the cache's own memory for the table
  std::unique_ptr<TableReader> reader;
  const uint64_t bytes;
  OpenFigures* const figures;
  // Whether the file is deleted. Set by a thread that has a handle. The shard's
  // mutex, under which handles are released, publishes it.
  RelaxedAtomic<bool> erase_blocks{false};
  bool is_standalone = false;  // set before another thread can see the table
  CachedTable* next_evicted = nullptr;
};

inline const CacheItemOps kTableOps = {
    .role = CacheEntryRole::kBlockBasedTableReader,
    .destroy =
        [](void* value, MemoryAllocator* /*allocator*/) {
          delete static_cast<CachedTable*>(value);
        },
    .size =
        [](const void* value) {
          return static_cast<size_t>(
              static_cast<const CachedTable*>(value)->bytes);
        }};

// Collects the tables that this thread's calls of a cache evict, as long as it
// lives, and then closes them. So they do not close under a mutex that the
// thread holds meanwhile. A thread has one at a time.
class Evicted {
 public:
  Evicted() { mine = this; }
  Evicted(const Evicted&) = delete;
  Evicted& operator=(const Evicted&) = delete;
  ~Evicted() {
    mine = nullptr;
    while (first_ != nullptr) {
      CachedTable* const table = first_;
      first_ = table->next_evicted;
      delete table;
    }
  }

  uint64_t count() const { return count_; }
  // Takes the table, and returns true, if this thread collects.
  static bool Take(CachedTable* table) {
    if (mine == nullptr) return false;
    table->next_evicted = mine->first_;
    mine->first_ = table;
    ++mine->count_;
    return true;
  }

 private:
  static inline constinit thread_local Evicted* mine = nullptr;
  CachedTable* first_ = nullptr;
  uint64_t count_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_CACHED_TABLE_H_
