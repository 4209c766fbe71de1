// HyperClockCache: the lock-free block cache, as its users see it.
//
// A few ClockTables side by side, all in one array of slots: so a slot hint is
// an index into it, and whether a handle is a standalone one can be told from
// its address. This file shares keys out and knows the options; everything else
// is in clock_table.h and slot_word.h.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_CACHE_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_CACHE_H_

#include <memory>
#include <span>
#include <vector>

#include "cache/cache_options.h"
#include "cache/clock/clock_table.h"
#include "util/sync/mutex.h"

namespace ashlar::internal {

// The memory of all tables.
class SlotArray {
 public:
  SlotArray() = default;
  ~SlotArray();
  SlotArray(const SlotArray&) = delete;
  SlotArray& operator=(const SlotArray&) = delete;

  // False when memory is out.
  [[nodiscard]] bool Allocate(size_t groups);

  TagGroup* groups() const { return groups_; }
  ClockSlot* slots() const { return slots_; }
  size_t bytes() const { return bytes_; }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  TagGroup* groups_ = nullptr;
  ClockSlot* slots_ = nullptr;
};

class ClockCache final : public Cache {
 public:
  static Result<std::shared_ptr<Cache>> Make(
      const HyperClockCacheOptions& options);
  explicit ClockCache(const HyperClockCacheOptions& options);
  ~ClockCache() override;

  const char* Name() const override { return "HyperClockCache"; }
  Status Insert(const CacheKey& key, void* value, const CacheItemOps* ops,
                size_t charge, CacheHandle** handle,
                CachePriority priority) override;
  CacheHandle* CreateStandalone(const CacheKey& key, void* value,
                                const CacheItemOps* ops, size_t charge,
                                bool allow_uncharged) override;
  CacheHandle* Lookup(const CacheKey& key, SlotHint* slot_hint) override;
  void LookupBatch(std::span<const CacheKey> keys, CacheHandle** handles,
                   SlotHint* slot_hints) override;
  void PrefetchSlot(SlotHint slot_hint) const override {
    if (slot_hint >= settings_.index.slot_count()) return;
    // Not to be written: it may be a spread one, whose line must stay with all
    // who read it.
    __builtin_prefetch(settings_.index.slots() + slot_hint);
  }
  bool Ref(CacheHandle* handle) override;
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override;
  void Erase(const CacheKey& key) override;
  void EraseUnRefEntries() override;
  void SetCapacity(size_t capacity) override;
  size_t GetCapacity() const override { return capacity_.Load(); }
  void SetStrictCapacityLimit(bool strict) override { strict_.Store(strict); }
  bool HasStrictCapacityLimit() const override { return strict_.Load(); }
  size_t GetUsage() const override;
  size_t GetPinnedUsage() const override;
  size_t GetOccupancyCount() const override;
  size_t GetTableAddressCount() const override {
    return settings_.index.slot_count();
  }
  size_t GetTableBytes() const override {
    const bool has_sets = spread_sets_.Load() != nullptr;
    return array_.bytes() + (has_sets ? sizeof(SpreadSets) : 0);
  }
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override;
  std::string ReportProblems() const override;

  const ClockSettings& settings() const { return settings_; }
  // Of a slot of the array.
  ClockTable& TableAt(const ClockSlot* slot) const {
    const ClockIndex& index = settings_.index;
    return *tables_[index.IndexOf(slot) / kSlotsPerGroup /
                    index.groups_of_table()];
  }

 private:
  uint64_t HashOf(const CacheKey& key) const {
    return KeyHash(key, settings_.seed);
  }
  ClockTable& TableOf(uint64_t hash) const {
    return *tables_[settings_.index.TableOf(hash)];
  }
  SlotHint HintOf(const ClockSlot* slot) const {
    return static_cast<SlotHint>(settings_.index.IndexOf(slot));
  }
  ClockSlot* Find(const CacheKey& key, uint64_t hash);
  CacheHandle* LookupByHint(const CacheKey& key, SlotHint* slot_hint);
  SpreadSet* SetOf(const ClockSlot* there) const;
  // What is rare, kept out of what is not.
  [[gnu::noinline]] ClockSlot* FindSpread(ClockSlot* there, const CacheKey& key,
                                          uint64_t hash);
  [[gnu::noinline]] ClockSlot* FindAfter(ClockSlot* there, uint64_t before,
                                         const CacheKey& key, uint64_t hash);
  [[gnu::noinline]] ClockSlot* FindAnywhere(const CacheKey& key, uint64_t hash);
  [[gnu::noinline]] CacheHandle* LookupUnusual(ClockSlot* there,
                                               const CacheKey& key,
                                               SlotHint* slot_hint);
  [[gnu::noinline]] CacheHandle* LookupAfter(ClockSlot* there, uint64_t before,
                                             const CacheKey& key,
                                             SlotHint* slot_hint);
  [[gnu::noinline]] CacheHandle* LookupForHint(const CacheKey& key,
                                               SlotHint* slot_hint);
  [[gnu::noinline]] bool TakeAfter(ClockSlot* there, slot::Taken taken,
                                   const CacheKey& key);
  [[gnu::noinline]] bool AfterRelease(ClockSlot* released, uint64_t before);
  [[gnu::noinline]] bool ReleaseUnusual(ClockSlot* held,
                                        bool erase_if_last_ref);
  [[gnu::noinline]] bool Keep(ClockSlot* taken, uint64_t before,
                              const CacheKey& key);
  bool TakeSpread(ClockSlot* there, const CacheKey& key);
  bool GiveSpread(ClockSlot* held);
  void SawOthers(ClockSlot* held);
  void MakeSetFree(const ClockSlot* there);
  void EndOwned(ClockSlot* owned);

  PublishedPointer<SpreadSets> spread_sets_;  // owned
  ClockSettings settings_;
  SlotArray array_;
  std::vector<std::unique_ptr<ClockTable>> tables_;
  const size_t estimated_entry_charge_;
  Mutex capacity_mutex_;  // of SetCapacity, which changes all tables
  RelaxedAtomic<size_t> capacity_;
  RelaxedAtomic<bool> strict_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_CLOCK_CACHE_H_
