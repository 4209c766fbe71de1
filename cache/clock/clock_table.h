// ClockTable: a shard of the hyper clock cache, with a capacity of its own.
//
// ClockCacheOf owns the tables, and chooses one by the key's hash. A table
// finds, inserts and evicts entries in the slots that it is given. slot_word.h
// has the protocol of a slot. The index decides how the slot of a key is found:
// clock_index.h for a table of fixed size, growing_index.h for one that grows.
// Thread-safe.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_TABLE_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_TABLE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

#include "ashlar/cache/cache.h"
#include "ashlar/cache/hash/key_hash.h"
#include "cache/clock/admission/admission.h"
#include "cache/clock/fixed_part.h"
#include "cache/clock/growing_table_part.h"
#include "cache/clock/spread.h"

namespace ashlar::internal {

// An entry without a slot that is about to be destroyed.
class EndedEntry : public CacheHandle {
 public:
  EndedEntry() = default;
  explicit EndedEntry(const CacheHandle& entry) : CacheHandle(entry) {}
  EndedEntry(void* value, const CacheItemOps* ops, size_t charge) {
    value_ = value;
    ops_ = ops;
    charge_ = charge;
  }
};

// What the tables of a cache share.
template <typename Index>
struct ClockSettingsOf {
  HashSeed seed;
  Index index;
  uint64_t eviction_effort_cap = 30;
  // Charged for each entry in addition, in bytes.
  size_t metadata_charge = 0;
  uint32_t (*age_clock)() = nullptr;
  MemoryAllocator* allocator = nullptr;
  const Cache::EvictionCallback* eviction_callback = nullptr;
  // Null until threads contend for an entry.
  PublishedPointer<SpreadSets>* spread_sets = nullptr;
};

template <typename Index>
class ClockTableOf {
 public:
  using ClockSettings = ClockSettingsOf<Index>;
  // `number`: the table's number in the index.
  ClockTableOf(size_t number, const ClockSettings* settings);
  ClockTableOf(const ClockTableOf&) = delete;
  ClockTableOf& operator=(const ClockTableOf&) = delete;
  ~ClockTableOf();

  // Call it before the table is used. `memory`: AdmissionBytes of it, all
  // zeros. The caller continues to own it.
  void UseAdmission(char* memory) {
    admission_ = std::make_unique<Admission>(memory, occupancy_limit(),
                                             part_.slots().data());
  }
  size_t AdmissionBytes() const {
    return Admission::BytesFor(occupancy_limit());
  }

  // As in Cache. `hash` is that of the key. `strict`: whether the capacity
  // limit is strict.
  Status Insert(const CacheKey& key, uint64_t hash, void* value,
                const CacheItemOps* ops, size_t charge, CachePriority priority,
                bool strict, CacheHandle** handle);
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool strict, bool allow_uncharged);
  void Erase(const CacheKey& key, uint64_t hash);
  void EraseUnRefEntries();

  // Destroys the entry in a slot that slot::Give or slot::ClaimOnlyRef has left
  // to the caller: a slot of the table, or a standalone one that was charged to
  // it.
  void EndOwned(ClockSlot* owned);
  void EndStandalone(ClockSlot* owned);

  // See spread.h. For a holder of a reference. Returns false if it is not
  // possible now.
  bool Spread(ClockSlot* held);
  // Any thread. Does nothing if the slot is not spread.
  void Gather(ClockSlot* there);

  void SetCapacity(size_t capacity);
  size_t capacity() const { return capacity_.Load(); }
  size_t usage() const { return usage_.Load() + outsize_usage_.Load(); }
  size_t PinnedUsage();
  size_t occupancy() const { return occupancy_.Load(); }
  size_t occupancy_limit() const { return part_.occupancy_limit(); }
  void ForEachEntry(const std::function<void(const CacheEntryView&)>& callback);
  bool VisitEntry(const CacheKey& key, uint64_t hash,
                  const std::function<void(const CacheEntryView&)>& callback);

  // Counts the inserts that found no slot, and the sweeps that met too many
  // entries in use.
  uint64_t table_full_count() const { return table_full_count_.Load(); }
  uint64_t effort_exceeded_count() const { return effort_exceeded_.Load(); }
  const Admission* admission() const { return admission_.get(); }

 private:
  enum class Why : uint8_t { kErased, kEvicted, kEvictedAfterHit };
  // The value of an evicted entry that is still to be ended. Nobody has touched
  // it for a long time, so its first cache line is prefetched while Insert does
  // the rest of its work. The destructor ends it. If there is another one, Add
  // ends that at once.
  class Ending {
   public:
    explicit Ending(const ClockTableOf* table) : table_(table) {}
    Ending(const Ending&) = delete;
    Ending& operator=(const Ending&) = delete;
    ~Ending() {
      if (any_) table_->EndValue(key_, entry_, why_);
    }
    void Add(const CacheKey& key, const CacheHandle& entry, Why why) {
      if (any_) return table_->EndValue(key, entry, why);
      __builtin_prefetch(entry.value());
      any_ = true;
      key_ = key;
      entry_ = EndedEntry(entry);
      why_ = why;
    }

   private:
    const ClockTableOf* const table_;
    bool any_ = false;
    Why why_ = Why::kEvicted;
    CacheKey key_;
    EndedEntry entry_;
  };
  // What was evicted but is not yet subtracted from the counts.
  struct Freed {
    size_t bytes = 0;
    size_t slots = 0;
    Ending* ending = nullptr;  // null: values are ended at once

    bool Is(size_t wanted_bytes, size_t wanted_slots) const {
      return bytes >= wanted_bytes && slots >= wanted_slots;
    }
  };
  using Part = typename TablePartOf<Index>::Type;
  using Place = typename Part::Place;
  class Entries;
  // Gives back a reference to an entry that was visited.
  struct HeldForVisit {
    ClockTableOf* table;
    ClockSlot* slot;

    HeldForVisit(ClockTableOf* its_table, ClockSlot* its_slot)
        : table(its_table), slot(its_slot) {}
    HeldForVisit(const HeldForVisit&) = delete;
    HeldForVisit& operator=(const HeldForVisit&) = delete;
    ~HeldForVisit() { table->GiveBack(slot, slot::kRef); }
  };

  // Returns what an entry adds to the usage, in bytes. Sums of it must not wrap
  // around.
  size_t TotalOf(size_t charge) const {
    return std::min(charge, kMostCharge) + settings_->metadata_charge;
  }
  void GiveBack(ClockSlot* held, uint64_t units);
  bool HasVisible(ClockSlot* there, const CacheKey& key);
  bool IsThere(const CacheKey& key, uint64_t hash);
  CacheEntryView ViewOf(const ClockSlot& held, uint64_t word) const;
  uint64_t StayOf(const ClockSlot& held, uint64_t word) const;
  uint64_t HashOf(const CacheKey& key) const {
    return KeyHash(key, settings_->seed);
  }
  uint64_t StartOf(ClockSlot* owned, uint64_t hash, CachePriority priority);
  void Publish(const Place& place, uint64_t hash, uint64_t start, bool is_held);
  bool GrowAsNeeded();
  bool EvictFor(size_t total, Ending* ending, Freed* freed);
  bool HasRoomForOne(Freed* freed);
  bool ChargeStrictly(size_t total);
  void Settle(size_t bytes_in, size_t slots_in, const Freed& freed);
  uint64_t NextToSweep(uint32_t step);
  Freed Evict(size_t bytes, size_t slots, uint64_t effort_cap,
              Ending* ending = nullptr);
  bool EvictFromProbation(size_t bytes, size_t slots, Freed* freed);
  void EvictAllProbation(size_t bytes, size_t slots, Freed* freed);
  void FreeSwept(ClockSlot* owned, uint64_t before, Freed* freed);
  // Empties an owned slot and ends its value, or leaves that to `ending`.
  // Returns what was charged. That is still in the usage, and the slot still in
  // the occupancy.
  size_t Free(ClockSlot* owned, Why why, Ending* ending);
  void FreeAndSettle(ClockSlot* owned);
  void EndValue(const CacheKey& key, const CacheHandle& entry, Why why) const;
  ClockSlot* NewStandalone(const CacheKey& key, void* value,
                           const CacheItemOps* ops, size_t charge,
                           size_t charged, RelaxedAtomic<size_t>* usage);
  ClockSlot* CreateOutsize(const CacheKey& key, void* value,
                           const CacheItemOps* ops, size_t charge);

  const uint64_t id_;  // unique in the program, and never 0
  const size_t number_;
  const ClockSettings* const settings_;
  const Index& index_;
  Part part_;
  std::unique_ptr<Admission> admission_;  // null without admission

  // Each on a line of its own: inserts change them, and lookups read what is
  // above.
  alignas(64) RelaxedAtomic<uint64_t> hand_{
      0};  // counts positions claimed, ever
  alignas(64) RelaxedAtomic<size_t> usage_{0};
  RelaxedAtomic<size_t> standalone_usage_{0};
  RelaxedAtomic<size_t> outsize_usage_{0};  // not in usage_
  alignas(64) RelaxedAtomic<size_t> occupancy_{0};
  RelaxedAtomic<size_t> capacity_{0};
  RelaxedAtomic<uint64_t> table_full_count_{0};
  RelaxedAtomic<uint64_t> effort_exceeded_{0};
};

using ClockSettings = ClockSettingsOf<ClockIndex>;
using ClockTable = ClockTableOf<ClockIndex>;
using GrowingTable = ClockTableOf<GrowingIndex>;

template <>
void ClockTable::Publish(const Place& place, uint64_t hash, uint64_t start,
                         bool is_held);
template <>
void GrowingTable::Publish(const Place& place, uint64_t hash, uint64_t start,
                           bool is_held);
template <>
bool GrowingTable::GrowAsNeeded();

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_CLOCK_TABLE_H_
