#include "cache/clock/clock_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <new>

namespace ashlar::internal {

namespace {

Status NoMemory() { return Status::MemoryLimit("no memory for an entry"); }

uint64_t NextId() {
  static constinit RelaxedAtomic<uint64_t> last{0};
  return last.FetchAdd(1) + 1;
}

}  // namespace

template <typename Index>
ClockTableOf<Index>::ClockTableOf(size_t number, const ClockSettings* settings)
    : id_(NextId()),
      number_(number),
      settings_(settings),
      index_(settings->index),
      part_(&index_, number) {}

template <typename Index>
ClockTableOf<Index>::~ClockTableOf() {
  EraseUnRefEntries();
  for ([[maybe_unused]] const ClockSlot& each : part_.slots()) {
    assert(slot::IsEmpty(each.word.LoadRelaxed()) && "a handle is still held");
  }
  assert(usage() == 0 && occupancy() == 0);
  assert(part_.IsBlank());
  assert(admission_ == nullptr || admission_->bytes_on_probation() == 0);
}

template <typename Index>
void ClockTableOf<Index>::GiveBack(ClockSlot* held, uint64_t units) {
  if (slot::Give(&held->word, units) == slot::Given::kOwned) EndOwned(held);
}

template <typename Index>
void ClockTableOf<Index>::EndOwned(ClockSlot* owned) {
  FreeAndSettle(owned);
}

// --- Putting in --------------------------------------------------------------

// Adds up what came and what was evicted before it changes the counts, which
// all threads share. So an entry that replaces another one of its size changes
// none of them. It changes the counts before the entry is published, since the
// entry may be evicted at once.
template <typename Index>
Status ClockTableOf<Index>::Insert(const CacheKey& key, uint64_t hash,
                                   void* value, const CacheItemOps* ops,
                                   size_t charge, CachePriority priority,
                                   bool strict, CacheHandle** handle) {
  const size_t total = TotalOf(charge);
  if (handle != nullptr) *handle = nullptr;
  if (!strict && total > capacity() && handle != nullptr) {
    *handle = CreateOutsize(key, value, ops, charge);
    return *handle != nullptr ? Status::OK() : NoMemory();
  }
  index_.PrefetchEmpty(hash);
  if (admission_ != nullptr) admission_->Prefetch(hash);
  Ending ending(this);
  Freed freed;
  const bool fits =
      strict ? ChargeStrictly(total) : EvictFor(total, &ending, &freed);
  if (strict && !fits) {
    if (handle != nullptr) {
      return Status::MemoryLimit("the cache is full of entries in use");
    }
    EndValue(key, EndedEntry(value, ops, charge), Why::kEvicted);
    return Status::OK();
  }
  const size_t uncharged = strict ? 0 : total;
  Why why = Why::kEvicted;
  if (fits && HasRoomForOne(&freed)) {
    const bool key_is_there = IsThere(key, hash);
    const Place place = key_is_there ? Place{} : part_.Claim(hash);
    if (place.slot != nullptr) {
      place.slot->Fill(key, value, ops, charge, total, ClockSlot::kUsual,
                       settings_->age_clock());
      if (handle != nullptr) *handle = place.slot;
      Settle(uncharged, 1, freed);
      Publish(place, hash, StartOf(place.slot, hash, priority),
              handle != nullptr);
      return Status::OK();
    }
    if (key_is_there) why = Why::kErased;
  }
  if (fits && why == Why::kEvicted) table_full_count_.FetchAdd(1);
  if (handle != nullptr) {
    Settle(uncharged, 0, freed);
    *handle = NewStandalone(key, value, ops, charge, total, &usage_);
    return *handle != nullptr ? Status::OK() : NoMemory();
  }
  EndValue(key, EndedEntry(value, ops, charge), why);
  Settle(uncharged - total, 0, freed);
  return Status::OK();
}

template <typename Index>
CacheHandle* ClockTableOf<Index>::CreateStandalone(const CacheKey& key,
                                                   void* value,
                                                   const CacheItemOps* ops,
                                                   size_t charge, bool strict,
                                                   bool allow_uncharged) {
  const size_t total = TotalOf(charge);
  if (!strict && total > capacity()) {
    return CreateOutsize(key, value, ops, charge);
  }
  if (!strict) {
    Freed freed;
    static_cast<void>(EvictFor(total, nullptr, &freed));
    Settle(total, 0, freed);
  } else if (!ChargeStrictly(total)) {
    if (!allow_uncharged) return nullptr;
    return NewStandalone(key, value, ops, charge, 0, &usage_);
  }
  return NewStandalone(key, value, ops, charge, total, &usage_);
}

// No eviction can make room for an entry that is larger than the capacity. So
// it is counted separately: while it is held, the other entries stay, and more
// can be inserted.
template <typename Index>
ClockSlot* ClockTableOf<Index>::CreateOutsize(const CacheKey& key, void* value,
                                              const CacheItemOps* ops,
                                              size_t charge) {
  const size_t total = TotalOf(charge);
  outsize_usage_.FetchAdd(total);
  return NewStandalone(key, value, ops, charge, total, &outsize_usage_);
}

// Requires: `charged` is already in `usage`. Returns null if there is no memory
// for the handle. The charge is then taken back, and the caller still owns the
// value.
template <typename Index>
ClockSlot* ClockTableOf<Index>::NewStandalone(const CacheKey& key, void* value,
                                              const CacheItemOps* ops,
                                              size_t charge, size_t charged,
                                              RelaxedAtomic<size_t>* usage) {
  auto* const made = new (std::nothrow) ClockSlot;
  if (made == nullptr) {
    usage->FetchSub(charged);
    return nullptr;
  }
  made->Fill(
      key, value, ops, charge, charged,
      usage == &outsize_usage_ ? ClockSlot::kOutsize : ClockSlot::kStandalone,
      0);
  standalone_usage_.FetchAdd(charged);
  slot::Publish(&made->word, slot::InvisibleWord(1));
  return made;
}

template <typename Index>
void ClockTableOf<Index>::EndStandalone(ClockSlot* owned) {
  EndValue(owned->key(), *owned, Why::kErased);
  standalone_usage_.FetchSub(owned->charged());
  const bool outsize = owned->kind.Load() == ClockSlot::kOutsize;
  (outsize ? outsize_usage_ : usage_).FetchSub(owned->charged());
  delete owned;
}

// Links after the counts are settled: a slot that the index names is taken,
// and then the entry must be counted.
template <>
void ClockTableOf<ClockIndex>::Publish(const Place& place, uint64_t hash,
                                       uint64_t start, bool is_held) {
  part_.Link(place, hash);
  slot::Publish(&place.slot->word, slot::VisibleWord(is_held ? 1 : 0, start));
}

// Returns the start for slot::VisibleWord. Requires: the slot is filled and not
// yet published.
template <typename Index>
uint64_t ClockTableOf<Index>::StartOf(ClockSlot* owned, uint64_t hash,
                                      CachePriority priority) {
  if (admission_ == nullptr) {
    return slot::StartAt(slot::InitialCountdown(priority));
  }
  return admission_->Admit(
      owned, hash, priority,
      {.entries = occupancy(), .usage = usage_.Load(), .capacity = capacity()});
}

template <typename Index>
bool ClockTableOf<Index>::IsThere(const CacheKey& key, uint64_t hash) {
  return index_.Find(hash, [&](ClockSlot* there) {
    return HasVisible(there, key);
  }) != nullptr;
}

template <typename Index>
bool ClockTableOf<Index>::HasVisible(ClockSlot* there, const CacheKey& key) {
  if (!there->HasKey(key)) return false;
  uint64_t before;
  const slot::Taken taken =
      slot::TakeUncounted(&there->word, slot::kVisible, &before);
  if (taken == slot::Taken::kNothing) return false;
  const bool has = taken == slot::Taken::kReference && there->HasKey(key);
  GiveBack(there, slot::kRef);
  return has;
}

// --- Making room -------------------------------------------------------------

// Evicts what would be too much with `total` more bytes. Returns false if that
// was impossible, and usage is beyond what such failures may bring it to.
template <typename Index>
bool ClockTableOf<Index>::EvictFor(size_t total, Ending* ending, Freed* freed) {
  const size_t limit = capacity();
  const size_t now = usage_.Load();
  if (total > limit) return false;
  if (now <= limit - total) return true;
  const size_t excess = now - (limit - total);
  *freed = Evict(excess, 0, settings_->eviction_effort_cap, ending);
  return freed->bytes >= excess ||
         excess - freed->bytes <= limit / settings_->eviction_effort_cap;
}

// Threads that look at the usage at the same time may each find room for one
// entry where there is room for only one in all. A thread that then sees that
// it is too much evicts that. So usage exceeds the capacity by no more than
// what threads are just inserting.
template <typename Index>
void ClockTableOf<Index>::Settle(size_t bytes_in, size_t slots_in,
                                 const Freed& freed) {
  if (slots_in != freed.slots) occupancy_.FetchAdd(slots_in - freed.slots);
  if (bytes_in == freed.bytes) return;
  const size_t change = bytes_in - freed.bytes;
  const size_t now = usage_.FetchAdd(change) + change;
  const size_t limit = capacity();
  if (now <= limit) return;
  const Freed more = Evict(now - limit, 0, settings_->eviction_effort_cap);
  occupancy_.FetchSub(more.slots);
  usage_.FetchSub(more.bytes);
}

template <typename Index>
bool ClockTableOf<Index>::ChargeStrictly(size_t total) {
  // Each try except the last made room that another thread took.
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const size_t limit = capacity();
    if (total > limit) return false;
    size_t seen = usage_.Load();
    while (seen <= limit - total) {
      if (usage_.CompareExchange(&seen, seen + total)) return true;
    }
    const size_t excess = seen - (limit - total);
    const Freed freed = Evict(excess, 0, settings_->eviction_effort_cap);
    occupancy_.FetchSub(freed.slots);
    usage_.FetchSub(freed.bytes);
    if (freed.slots == 0) break;
  }
  return false;
}

template <typename Index>
bool ClockTableOf<Index>::HasRoomForOne(Freed* freed) {
  if (occupancy_.Load() - freed->slots < part_.occupancy_limit()) return true;
  const Freed more = Evict(0, 1, settings_->eviction_effort_cap);
  freed->bytes += more.bytes;
  freed->slots += more.slots;
  return more.slots != 0;
}

template <typename Index>
size_t ClockTableOf<Index>::Free(ClockSlot* owned, Why why, Ending* ending) {
  const EndedEntry entry(*owned);
  const CacheKey key = owned->key();
  const size_t charged = owned->charged();
  const uint64_t hash = HashOf(key);
  part_.Unlink(owned, hash);
  if (admission_ != nullptr) {
    admission_->Ended(owned, hash, why != Why::kErased);
  }
  owned->kind.Store(ClockSlot::kEmpty);
  slot::Vacate(&owned->word);
  part_.PutBack(owned);
  if (ending != nullptr) {
    ending->Add(key, entry, why);
  } else {
    EndValue(key, entry, why);
  }
  return charged;
}

template <typename Index>
void ClockTableOf<Index>::FreeAndSettle(ClockSlot* owned) {
  const size_t charged = Free(owned, Why::kErased, nullptr);
  occupancy_.FetchSub(1);
  usage_.FetchSub(charged);
}

template <typename Index>
void ClockTableOf<Index>::EndValue(const CacheKey& key,
                                   const CacheHandle& entry, Why why) const {
  if (why != Why::kErased && *settings_->eviction_callback &&
      (*settings_->eviction_callback)(key, entry,
                                      why == Why::kEvictedAfterHit)) {
    return;
  }
  if (entry.ops()->destroy != nullptr) {
    entry.ops()->destroy(entry.value(), settings_->allocator);
  }
}

template <typename Index>
void ClockTableOf<Index>::SetCapacity(size_t capacity) {
  capacity_.Store(capacity);
  const size_t now = usage_.Load();
  if (now > capacity) {
    Settle(0, 0,
           Evict(now - capacity, 0, std::numeric_limits<uint64_t>::max()));
  }
}

// --- Taking out, looking at --------------------------------------------------

// Erases all entries of the key: two Inserts at once may have added two.
template <typename Index>
void ClockTableOf<Index>::Erase(const CacheKey& key, uint64_t hash) {
  const auto hide = [&](ClockSlot* there) {
    uint64_t before;
    const slot::Taken taken =
        slot::TakeUncounted(&there->word, slot::kVisible, &before);
    if (taken == slot::Taken::kNothing) return false;
    if (taken == slot::Taken::kReference && there->HasKey(key)) {
      slot::Hide(&there->word);
      if (slot::IsSpread(there->word.LoadRelaxed())) Gather(there);
    }
    GiveBack(there, slot::kRef);
    return false;
  };
  static_cast<void>(index_.Find(hash, hide));
}

template <typename Index>
void ClockTableOf<Index>::EraseUnRefEntries() {
  for (ClockSlot& each : part_.slots()) {
    if (slot::IsSpread(each.word.LoadRelaxed())) Gather(&each);
    if (slot::ClaimUnreferenced(&each.word)) FreeAndSettle(&each);
  }
}

template <typename Index>
bool ClockTableOf<Index>::Spread(ClockSlot* held) {
  const uint64_t number = index_.IndexOf(held);
  SpreadSets* sets = settings_->spread_sets->Load();
  if (sets == nullptr) {
    auto* const made = new (std::nothrow) SpreadSets;
    if (made == nullptr) return false;
    sets = settings_->spread_sets->PublishFirst(made);
    if (sets != made) delete made;
  }
  SpreadSet* const set = &sets->Of(number);
  if (!slot::ClaimSet(set, number)) return false;
  held->kind.Store(ClockSlot::kSpread);
  part_.AddSpread(held, HashOf(held->key()));
  slot::Spread(&held->word, set, number);
  // A thread that hid it before did not see it spread.
  if (!slot::IsVisible(held->word.LoadRelaxed())) Gather(held);
  return true;
}

template <typename Index>
void ClockTableOf<Index>::Gather(ClockSlot* there) {
  if (!slot::ClaimGather(&there->word)) return;
  const uint64_t number = index_.IndexOf(there);
  // Before the set is free, and another thread may spread the slot.
  there->kind.Store(ClockSlot::kUsual);
  part_.SubSpread(there, HashOf(there->key()));
  SpreadSet* const set = &settings_->spread_sets->Load()->Of(number);
  if (slot::Gather(&there->word, set) == slot::Given::kOwned) EndOwned(there);
}

template <typename Index>
size_t ClockTableOf<Index>::PinnedUsage() {
  size_t pinned = standalone_usage_.Load();
  for (ClockSlot& each : part_.slots()) {
    // Otherwise it looks as if it were in use.
    if (slot::IsSpread(each.word.LoadRelaxed())) Gather(&each);
    const uint64_t word = each.word.LoadRelaxed();
    if (slot::IsShareable(word) && slot::Refs(word) != 0) {
      pinned += each.charged();
    }
  }
  return pinned;
}

template <typename Index>
void ClockTableOf<Index>::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  for (ClockSlot& each : part_.slots()) {
    if (!slot::IsVisible(each.word.LoadRelaxed())) continue;
    uint64_t before;
    const slot::Taken taken =
        slot::TakeUncounted(&each.word, slot::kVisible, &before);
    if (taken == slot::Taken::kNothing) continue;
    const HeldForVisit held{this, &each};
    if (taken == slot::Taken::kReference) callback(ViewOf(each, before));
  }
}

template <typename Index>
bool ClockTableOf<Index>::VisitEntry(
    const CacheKey& key, uint64_t hash,
    const std::function<void(const CacheEntryView&)>& callback) {
  return index_.Find(hash, [&](ClockSlot* there) {
    if (!there->HasKey(key)) return false;
    uint64_t before;
    const slot::Taken taken =
        slot::TakeUncounted(&there->word, slot::kVisible, &before);
    if (taken == slot::Taken::kNothing) return false;
    const HeldForVisit held{this, there};
    if (taken != slot::Taken::kReference || !there->HasKey(key)) return false;
    callback(ViewOf(*there, before));
    return true;
  }) != nullptr;
}

// `word`: that of the slot before the caller took its reference.
template <typename Index>
CacheEntryView ClockTableOf<Index>::ViewOf(const ClockSlot& held,
                                           uint64_t word) const {
  // The clock is read only now: so no entry is younger than that.
  return {.key = held.key(),
          .value = held.value(),
          .ops = held.ops(),
          .charge = held.charge(),
          .age_seconds = held.AgeAt(settings_->age_clock()),
          .was_hit = slot::WasHit(word),
          .stay = StayOf(held, word)};
}

// Returns how far the hand has to go until it evicts the entry. Entries that
// are on probation and were not used come before all others.
template <typename Index>
uint64_t ClockTableOf<Index>::StayOf(const ClockSlot& held,
                                     uint64_t word) const {
  const bool is_used = slot::IsSpread(word) || slot::Refs(word) != 0;
  uint64_t rounds = is_used ? slot::kMaxCountdown
                            : std::min(slot::Countdown(word) + slot::Hits(word),
                                       slot::kMaxCountdown);
  if (slot::IsOnProbation(word)) {
    if (!is_used && rounds == 0) return 0;
    rounds = 0;  // as in main, with countdown 0
  }
  // Read without order, so it may be what it was before the first entry came.
  const uint64_t positions = std::max<uint64_t>(1, part_.positions());
  const uint64_t hand = hand_.Load() % positions;
  const uint64_t at = part_.PositionOf(&held) % positions;
  return 1 + rounds * positions + (at + positions - hand) % positions;
}

template class ClockTableOf<ClockIndex>;
template class ClockTableOf<GrowingIndex>;

}  // namespace ashlar::internal
