#include "cache/clock/clock_cache.h"

#include <algorithm>
#include <array>
#include <utility>

#include "port/coarse_clock.h"
#include "port/threads.h"

namespace ashlar::internal {

namespace {

constexpr size_t kBatch = 32;

}  // namespace

template <typename Index>
ClockCacheOf<Index>::ClockCacheOf(const HyperClockCacheOptions& options,
                                  size_t metadata_charge)
    : Cache(options.memory_allocator),
      settings_{.seed = MakeHashSeed(options.hash_seed),
                .eviction_effort_cap =
                    static_cast<uint64_t>(options.eviction_effort_cap),
                .metadata_charge = metadata_charge,
                .age_clock = options.age_clock != nullptr ? options.age_clock
                                                          : port::CoarseSeconds,
                .allocator = memory_allocator(),
                .eviction_callback = &eviction_callback(),
                .spread_sets = &spread_sets_},
      entry_charge_(Index::kGrows ? options.min_avg_entry_charge
                                  : options.estimated_entry_charge),
      capacity_(options.capacity),
      strict_(options.strict_capacity_limit) {}

template <typename Index>
ClockCacheOf<Index>::~ClockCacheOf() {
  tables_.clear();
  delete spread_sets_.Load();
}

template <typename Index>
Status ClockCacheOf<Index>::Insert(const CacheKey& key, void* value,
                                   const CacheItemOps* ops, size_t charge,
                                   CacheHandle** handle,
                                   CachePriority priority) {
  const uint64_t hash = HashOf(key);
  return TableOf(hash).Insert(key, hash, value, ops, charge, priority,
                              strict_.Load(), handle);
}

template <typename Index>
CacheHandle* ClockCacheOf<Index>::CreateStandalone(const CacheKey& key,
                                                   void* value,
                                                   const CacheItemOps* ops,
                                                   size_t charge,
                                                   bool allow_uncharged) {
  return TableOf(HashOf(key))
      .CreateStandalone(key, value, ops, charge, strict_.Load(),
                        allow_uncharged);
}

// Returns null if this thread does not see the sets yet: what it saw of the
// slot has arrived before what led to it.
template <typename Index>
inline SpreadSet* ClockCacheOf<Index>::SetOf(const ClockSlot* there) const {
  SpreadSets* const sets = spread_sets_.Load();
  return sets == nullptr ? nullptr : &sets->Of(settings_.index.IndexOf(there));
}

template <typename Index>
[[gnu::always_inline]] inline bool ClockCacheOf<Index>::TakeSpread(
    ClockSlot* there, const CacheKey& key) {
  SpreadSet* const set = SetOf(there);
  const slot::Taken taken =
      set == nullptr ? slot::Taken::kNothing
                     : slot::TakeOnLine(&there->word, &set->own_line(),
                                        settings_.index.IndexOf(there));
  if (taken == slot::Taken::kReference && there->HasKey(key)) [[likely]] {
    return true;
  }
  return TakeAfter(there, taken, key);
}

// Does what is left to do if that did not succeed.
template <typename Index>
bool ClockCacheOf<Index>::TakeAfter(ClockSlot* there, slot::Taken taken,
                                    const CacheKey& key) {
  if (taken == slot::Taken::kNothing) {
    GatherIfOneLineCountsTooMany(there);
    return Keep(there, there->word.FetchAddAcquire(slot::kTake), key);
  }
  GiveSpread(there);
  return false;
}

template <typename Index>
[[gnu::always_inline]] inline bool ClockCacheOf<Index>::GiveSpread(
    ClockSlot* held) {
  SpreadSet* const set = SetOf(held);
  const slot::Given given =
      set == nullptr ? slot::Give(&held->word, slot::kRef)
                     : slot::GiveOnLine(&held->word, &set->own_line(),
                                        settings_.index.IndexOf(held));
  if (given == slot::Given::kShared) return false;
  EndOwned(held);
  return true;
}

// What nearly all lookups do: they try the first slot of the home group whose
// tag matches. The rest is in other functions, so that this one needs no stack,
// and is small enough for its callers.
template <typename Index>
[[gnu::always_inline]] inline ClockSlot* ClockCacheOf<Index>::Find(
    const CacheKey& key, uint64_t hash) {
  const LikelySlot likely = settings_.index.Likely(hash);
  if (likely.slot == nullptr) [[unlikely]]
    return FindAnywhere(key, hash);
  if (likely.is_unusual) [[unlikely]]
    return FindSpread(likely.slot, key, hash);
  return TakeLikely(likely.slot, key, hash);
}

template <typename Index>
[[gnu::always_inline]] inline ClockSlot* ClockCacheOf<Index>::TakeLikely(
    ClockSlot* there, const CacheKey& key, uint64_t hash) {
  const uint64_t before = there->word.FetchAddAcquire(slot::kTake);
  if (slot::IsSoleHit(before) && there->HasKey(key)) [[likely]]
    return there;
  return FindAfter(there, before, key, hash);
}

// For a group in which some slot is spread.
template <typename Index>
ClockSlot* ClockCacheOf<Index>::FindSpread(ClockSlot* there,
                                           const CacheKey& key, uint64_t hash) {
  const bool found = there->kind.Load() == ClockSlot::kSpread &&
                     there->HasKey(key) && TakeSpread(there, key);
  return found ? there : FindAnywhere(key, hash);
}

template <typename Index>
ClockSlot* ClockCacheOf<Index>::FindAfter(ClockSlot* there, uint64_t before,
                                          const CacheKey& key, uint64_t hash) {
  return Keep(there, before, key) ? there : FindAnywhere(key, hash);
}

template <typename Index>
ClockSlot* ClockCacheOf<Index>::FindAnywhere(const CacheKey& key,
                                             uint64_t hash) {
  return settings_.index.Find(hash, [&](ClockSlot* there) {
    if (there->kind.Load() == ClockSlot::kSpread) return TakeSpread(there, key);
    return Keep(there, there->word.FetchAddAcquire(slot::kTake), key);
  });
}

// After a Take. `before` is the word before it. Keeps the reference if it is
// one to the key's entry. Other holders may be taking it again and again.
template <typename Index>
bool ClockCacheOf<Index>::Keep(ClockSlot* taken, uint64_t before,
                               const CacheKey& key) {
  const slot::Taken what = slot::WhatWasTaken(before, slot::kVisible);
  if (what == slot::Taken::kReference && taken->HasKey(key)) {
    if (slot::Refs(before) != 0) SawOthers(taken);
    return true;
  }
  if (what != slot::Taken::kNothing &&
      slot::Give(&taken->word, slot::kTake) == slot::Given::kOwned) {
    EndOwned(taken);
  }
  return false;
}

// The slot of a hint is most often the right one, but it may be any slot. An
// empty slot keeps the words of its last key, and does not count takes that are
// taken back.
template <typename Index>
inline CacheHandle* ClockCacheOf<Index>::LookupByHint(const CacheKey& key,
                                                      SlotHint* slot_hint) {
  const SlotHint hint = *slot_hint;
  if (hint >= settings_.index.slot_count()) [[unlikely]] {
    return LookupForHint(key, slot_hint);
  }
  ClockSlot* const there = settings_.index.slots() + hint;
  if (there->kind.Load() != ClockSlot::kUsual || !there->HasKey(key))
      [[unlikely]] {
    return LookupUnusual(there, key, slot_hint);
  }
  const uint64_t before = there->word.FetchAddAcquire(slot::kTake);
  if (slot::IsSoleHit(before) && there->HasKey(key)) [[likely]]
    return there;
  return LookupAfter(there, before, key, slot_hint);
}

template <typename Index>
CacheHandle* ClockCacheOf<Index>::LookupUnusual(ClockSlot* there,
                                                const CacheKey& key,
                                                SlotHint* slot_hint) {
  const bool found = there->kind.Load() == ClockSlot::kSpread &&
                     there->HasKey(key) && TakeSpread(there, key);
  return found ? there : LookupForHint(key, slot_hint);
}

template <typename Index>
CacheHandle* ClockCacheOf<Index>::LookupAfter(ClockSlot* there, uint64_t before,
                                              const CacheKey& key,
                                              SlotHint* slot_hint) {
  return Keep(there, before, key) ? there : LookupForHint(key, slot_hint);
}

template <typename Index>
CacheHandle* ClockCacheOf<Index>::LookupForHint(const CacheKey& key,
                                                SlotHint* slot_hint) {
  ClockSlot* const found = Find(key, HashOf(key));
  if (found != nullptr) *slot_hint = HintOf(found);
  return found;
}

template <typename Index>
CacheHandle* ClockCacheOf<Index>::Lookup(const CacheKey& key,
                                         SlotHint* slot_hint) {
  if (slot_hint != nullptr) return LookupByHint(key, slot_hint);
  return Find(key, HashOf(key));
}

// Works on 32 keys at a time. First it prefetches the slots of hints and, for
// keys without a hint, the lines of their tags. Then it prefetches the slots
// that those tags lead to. Then it looks up each key.
template <typename Index>
void ClockCacheOf<Index>::LookupBatch(std::span<const CacheKey> keys,
                                      CacheHandle** handles,
                                      SlotHint* slot_hints) {
  const Index& index = settings_.index;
  std::array<uint64_t, kBatch> hashes;
  std::array<ClockSlot*, kBatch> likely;
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    const size_t n = std::min(kBatch, keys.size() - begin);
    const CacheKey* const part = keys.data() + begin;
    SlotHint* const hints =
        slot_hints == nullptr ? nullptr : slot_hints + begin;
    uint32_t hashed = 0;  // bit i: key i has no hint
    for (size_t i = 0; i < n; ++i) {
      if (hints != nullptr && hints[i] < index.slot_count()) {
        PrefetchSlot(hints[i]);
        continue;
      }
      hashes[i] = HashOf(part[i]);
      index.PrefetchTags(hashes[i]);
      hashed |= uint32_t{1} << i;
    }
    for (uint32_t left = hashed; left != 0; left &= left - 1) {
      const uint32_t i = Index::LowestOf(left);
      const LikelySlot its = index.Likely(hashes[i]);
      // The line of a spread slot must stay with all threads that read it.
      likely[i] = its.is_unusual ? nullptr : its.slot;
      __builtin_prefetch(likely[i], 1);
    }
    for (size_t i = 0; i < n; ++i) {
      if ((hashed >> i & 1) == 0) {
        handles[begin + i] = LookupByHint(part[i], &hints[i]);
        continue;
      }
      ClockSlot* const found = likely[i] == nullptr
                                   ? FindAnywhere(part[i], hashes[i])
                                   : TakeLikely(likely[i], part[i], hashes[i]);
      handles[begin + i] = found;
      if (hints != nullptr && found != nullptr) hints[i] = HintOf(found);
    }
  }
}

template <typename Index>
bool ClockCacheOf<Index>::Ref(CacheHandle* handle) {
  auto* const held = static_cast<ClockSlot*>(handle);
  // On the line where it will most often be given back.
  SpreadSet* const set =
      held->kind.Load() == ClockSlot::kSpread ? SetOf(held) : nullptr;
  if (set != nullptr && slot::TakeOnLine(&held->word, &set->own_line(),
                                         settings_.index.IndexOf(held)) !=
                            slot::Taken::kNothing) {
    return true;
  }
  if (set != nullptr) GatherIfOneLineCountsTooMany(held);
  uint64_t before;
  if (slot::TakeUncounted(&held->word, slot::kShareable, &before) ==
      slot::Taken::kReference) {
    return true;
  }
  // The caller still has its own reference, so this cannot be the last.
  static_cast<void>(slot::Give(&held->word, slot::kRef));
  return false;
}

template <typename Index>
bool ClockCacheOf<Index>::Release(CacheHandle* handle, bool erase_if_last_ref) {
  auto* const held = static_cast<ClockSlot*>(handle);
  if (held->kind.Load() != ClockSlot::kUsual || erase_if_last_ref)
      [[unlikely]] {
    return ReleaseUnusual(held, erase_if_last_ref);
  }
  const uint64_t before = held->word.FetchSubRelease(slot::kRef);
  if (slot::IsVisible(before)) [[likely]]
    return false;
  return AfterRelease(held, before);
}

template <typename Index>
bool ClockCacheOf<Index>::AfterRelease(ClockSlot* released, uint64_t before) {
  if (slot::EndIfLast(&released->word, before - slot::kRef) ==
      slot::Given::kShared) {
    return false;
  }
  EndOwned(released);
  return true;
}

template <typename Index>
bool ClockCacheOf<Index>::ReleaseUnusual(ClockSlot* held,
                                         bool erase_if_last_ref) {
  if (slot::IsSpread(held->word.LoadRelaxed())) {
    if (!erase_if_last_ref) return GiveSpread(held);
    TableAt(held).Gather(held);
  }
  const bool owned = (erase_if_last_ref && slot::ClaimOnlyRef(&held->word)) ||
                     slot::Give(&held->word, slot::kRef) == slot::Given::kOwned;
  if (owned) EndOwned(held);
  return owned;
}

// Called when a thread takes an entry that others hold too. Perhaps they only
// keep it. Perhaps they take it and give it back again and again, as this
// thread does. If this happens many times in succession, the thread waits a
// moment to see whether others take it.
template <typename Index>
void ClockCacheOf<Index>::SawOthers(ClockSlot* held) {
  constexpr uint32_t kOften = 256;
  constexpr uint32_t kVeryOften = 16 * kOften;
  constexpr int kMoment = 8;
  static thread_local struct {
    const ClockSlot* slot = nullptr;
    uint32_t times = 0;
  } last;
  if (last.slot != held) last = {held, 0};
  if (++last.times % kOften != 0) return;
  const uint64_t seen = held->word.LoadRelaxed();
  for (int i = 0; i < kMoment; ++i) port::CpuPause();
  if (slot::Hits(held->word.LoadRelaxed()) == slot::Hits(seen)) return;
  // If this goes on, another slot that has the set must give it up.
  if (!slot::IsSpread(seen) && !TableAt(held).Spread(held) &&
      last.times % kVeryOften == 0) {
    MakeSetFree(held);
  }
}

template <typename Index>
void ClockCacheOf<Index>::MakeSetFree(const ClockSlot* there) {
  SpreadSet* const set = SetOf(there);
  const uint64_t owner = set == nullptr ? 0 : set->owner().LoadRelaxed();
  if (owner == 0) return;
  ClockSlot* const other = settings_.index.slots() + (owner - 1);
  TableAt(other).Gather(other);
}

// For a thread that could take nothing on its line.
template <typename Index>
void ClockCacheOf<Index>::GatherIfOneLineCountsTooMany(ClockSlot* there) {
  SpreadSet* const set = SetOf(there);
  if (set == nullptr) return;
  const uint64_t line = set->own_line().LoadRelaxed();
  if (slot::CountsTooMany(line) &&
      slot::IsOpenFor(line, settings_.index.IndexOf(there))) {
    TableAt(there).Gather(there);
  }
}

template <typename Index>
void ClockCacheOf<Index>::EndOwned(ClockSlot* owned) {
  ClockTable& table = TableOf(HashOf(owned->key()));
  if (settings_.index.Contains(owned)) {
    table.EndOwned(owned);
  } else {
    table.EndStandalone(owned);
  }
}

template <typename Index>
void ClockCacheOf<Index>::Erase(const CacheKey& key) {
  const uint64_t hash = HashOf(key);
  TableOf(hash).Erase(key, hash);
}

template <typename Index>
void ClockCacheOf<Index>::EraseUnRefEntries() {
  for (const auto& table : tables_) table->EraseUnRefEntries();
}

// The remainder of the division goes to the first tables, one byte each.
template <typename Index>
void ClockCacheOf<Index>::SetCapacity(size_t capacity) {
  const MutexLock one_at_a_time(&capacity_mutex_);
  capacity_.Store(capacity);
  const size_t n = tables_.size();
  for (size_t i = 0; i < n; ++i) {
    tables_[i]->SetCapacity(capacity / n + (i < capacity % n ? 1 : 0));
  }
}

template <typename Index>
size_t ClockCacheOf<Index>::GetUsage() const {
  size_t sum = 0;
  for (const auto& table : tables_) sum += table->usage();
  return sum;
}

template <typename Index>
size_t ClockCacheOf<Index>::GetPinnedUsage() const {
  size_t sum = 0;
  for (const auto& table : tables_) sum += table->PinnedUsage();
  return sum;
}

template <typename Index>
size_t ClockCacheOf<Index>::GetOccupancyCount() const {
  size_t sum = 0;
  for (const auto& table : tables_) sum += table->occupancy();
  return sum;
}

template <typename Index>
size_t ClockCacheOf<Index>::AdmissionBytes() const {
  size_t sum = 0;
  for (const auto& table : tables_) {
    if (table->admission() != nullptr) {
      sum += table->admission()->memory_bytes();
    }
  }
  return sum;
}

template <typename Index>
void ClockCacheOf<Index>::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  for (const auto& table : tables_) table->ForEachEntry(callback);
}

template <typename Index>
bool ClockCacheOf<Index>::VisitEntry(
    const CacheKey& key,
    const std::function<void(const CacheEntryView&)>& callback) {
  const uint64_t hash = HashOf(key);
  return TableOf(hash).VisitEntry(key, hash, callback);
}

template class ClockCacheOf<ClockIndex>;
template class ClockCacheOf<GrowingIndex>;

}  // namespace ashlar::internal
