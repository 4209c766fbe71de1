// HyperClockCache: the lock-free block cache, as its users see it.
//
// It has one or more tables, all in one array of slots. So a slot hint is an
// index into the array, and the address of a handle tells whether it is a
// standalone one. With an index that grows, this is the cache that sizes
// itself. This file passes each key to its table. clock_table.h and slot_word.h
// have everything else, and make_clock_cache.cc has the options. Thread-safe.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_CACHE_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_CACHE_H_

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/util/sync/mutex.h"
#include "cache/clock/clock_table.h"
#include "cache/clock/slot_array.h"
#include "port/reserved_memory.h"

namespace ashlar::internal {

template <typename Index>
class ClockCacheOf final : public Cache {
 public:
  using ClockTable = ClockTableOf<Index>;
  using ClockSettings = ClockSettingsOf<Index>;

  static Result<std::shared_ptr<Cache>> Make(
      const HyperClockCacheOptions& options);
  ClockCacheOf(const HyperClockCacheOptions& options, size_t metadata_charge);
  ~ClockCacheOf() override;

  const char* Name() const override {
    return Index::kGrows ? "AutoHyperClockCache" : "HyperClockCache";
  }
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
    // A prefetch for reading: the slot may be spread, and then all threads that
    // read its line must keep it.
    __builtin_prefetch(settings_.index.slots() + slot_hint);
  }
  bool Ref(CacheHandle* handle) override;
  bool Release(CacheHandle* handle, bool erase_if_last_ref) override;
  CacheKey KeyOf(const CacheHandle& handle) const override {
    return static_cast<const ClockSlot&>(handle).key();
  }
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
    return settings_.index.room();
  }
  size_t GetTableBytes() const override {
    const bool has_sets = spread_sets_.Load() != nullptr;
    return IndexBytes() + AdmissionBytes() +
           (has_sets ? sizeof(SpreadSets) : 0);
  }
  void ForEachEntry(
      const std::function<void(const CacheEntryView&)>& callback) override;
  bool VisitEntry(
      const CacheKey& key,
      const std::function<void(const CacheEntryView&)>& callback) override;
  std::string ReportProblems() const override;

  const ClockSettings& settings() const { return settings_; }
  // Returns the table of a slot of the array.
  ClockTable& TableAt(const ClockSlot* slot) const {
    return *tables_[settings_.index.TableOfSlot(slot)];
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
  [[gnu::always_inline]] inline ClockSlot* Find(const CacheKey& key,
                                                uint64_t hash);
  [[gnu::always_inline]] inline ClockSlot* TakeLikely(ClockSlot* there,
                                                      const CacheKey& key,
                                                      uint64_t hash);
  CacheHandle* LookupByHint(const CacheKey& key, SlotHint* slot_hint);
  SpreadSet* SetOf(const ClockSlot* there) const;
  // The rare cases, kept out of the common ones.
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
  void GatherIfOneLineCountsTooMany(ClockSlot* there);
  void EndOwned(ClockSlot* owned);

  Status MakeIndex(const HyperClockCacheOptions& options, size_t tables);
  Status MakeAdmission();
  size_t IndexBytes() const;
  size_t AdmissionBytes() const;
  std::string AdviceOnTable(bool was_full, double fill, size_t usage,
                            size_t mean) const;

  PublishedPointer<SpreadSets> spread_sets_;  // owned
  ClockSettings settings_;
  SlotArray array_;  // for an index that does not own its memory
  port::ReservedMemory admission_memory_;
  std::vector<std::unique_ptr<ClockTable>> tables_;
  // The charge in the options from which the table was sized.
  const size_t entry_charge_;
  Mutex capacity_mutex_;  // held by SetCapacity, which changes all tables
  RelaxedAtomic<size_t> capacity_;
  RelaxedAtomic<bool> strict_;
};

using ClockCache = ClockCacheOf<ClockIndex>;
using GrowingClockCache = ClockCacheOf<GrowingIndex>;

template <>
Status ClockCache::MakeIndex(const HyperClockCacheOptions& options,
                             size_t tables);
template <>
Status GrowingClockCache::MakeIndex(const HyperClockCacheOptions& options,
                                    size_t tables);
template <>
size_t ClockCache::IndexBytes() const;
template <>
size_t GrowingClockCache::IndexBytes() const;
template <>
std::string ClockCache::AdviceOnTable(bool was_full, double fill, size_t usage,
                                      size_t mean) const;
template <>
std::string GrowingClockCache::AdviceOnTable(bool was_full, double fill,
                                             size_t usage, size_t mean) const;

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_CLOCK_CACHE_H_
