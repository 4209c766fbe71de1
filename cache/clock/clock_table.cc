#include "cache/clock/clock_table.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <new>

namespace ashlar::internal {

namespace {

// Above it groups are full so often that entries lie far from home.
constexpr double kMaxLoad = 0.9;
// One slot a step keeps the order of a small table. In others a thread claims
// many positions of the hand at a time, since all threads move it, and sweeps
// them step by step, in as many evictions as that takes.
constexpr size_t kSmallTable = 16 << 10;
constexpr uint32_t kSweepStep = 4;
constexpr uint32_t kClaim = 64;

// Positions that a thread has claimed and not swept. What it leaves when it
// ends is swept when the hand comes round again. A table may lie where another
// lay: any positions will do.
struct Claim {
  const ClockTable* table = nullptr;
  uint64_t next = 0;
  uint64_t end = 0;
  uint32_t passed_over = 0;  // by other tables, since it was last used
};
thread_local std::array<Claim, 4> claims;
// Visits after which an entry that nobody uses is gone.
constexpr uint64_t kMostRounds = slot::kMaxCountdown + 3;

Status NoMemory() { return Status::MemoryLimit("no memory for an entry"); }

// What is about to be ended, without a slot.
class EndedEntry : public CacheHandle {
 public:
  explicit EndedEntry(const CacheHandle& entry) : CacheHandle(entry) {}
  EndedEntry(void* value, const CacheItemOps* ops, size_t charge) {
    value_ = value;
    ops_ = ops;
    charge_ = charge;
  }
};

}  // namespace

ClockTable::ClockTable(size_t number, const ClockSettings* settings)
    : number_(number),
      settings_(settings),
      index_(settings->index),
      first_group_(number * index_.groups_of_table()),
      slots_(index_.SlotAt(first_group_, 0),
             index_.groups_of_table() * kSlotsPerGroup),
      occupancy_limit_(std::max<size_t>(
          1,
          static_cast<size_t>(static_cast<double>(slots_.size()) * kMaxLoad))),
      sweep_step_(slots_.size() < kSmallTable ? 1 : kSweepStep) {}

ClockTable::~ClockTable() {
  EraseUnRefEntries();
  for ([[maybe_unused]] const ClockSlot& each : slots_) {
    assert(slot::IsEmpty(each.word.LoadRelaxed()) && "a handle is still held");
  }
  assert(usage() == 0 && occupancy() == 0);
  for (uint64_t i = 0; i < index_.groups_of_table(); ++i) {
    [[maybe_unused]] const TagGroup& tags = index_.GroupAt(first_group_ + i);
    assert(tags.Empty() == tags::kAllSlots && tags.Passed() == 0);
    assert(!tags.HasSpread());
  }
}

void ClockTable::GiveBack(ClockSlot* held, uint64_t units) {
  if (slot::Give(&held->word, units) == slot::Given::kOwned) EndOwned(held);
}

void ClockTable::EndOwned(ClockSlot* owned) { FreeAndSettle(owned); }

// --- Putting in
// ---------------------------------------------------------------

// What came and what went are put together before the counts are touched, which
// all threads share: an entry that takes the place of another of its size
// touches neither. Before the entry is published, as it may go at once.
Status ClockTable::Insert(const CacheKey& key, uint64_t hash, void* value,
                          const CacheItemOps* ops, size_t charge,
                          CachePriority priority, bool strict,
                          CacheHandle** handle) {
  const size_t total = TotalOf(charge);
  if (handle != nullptr) *handle = nullptr;
  if (!strict && total > capacity() && handle != nullptr) {
    *handle = CreateOutsize(key, value, ops, charge);
    return *handle != nullptr ? Status::OK() : NoMemory();
  }
  index_.PrefetchEmpty(hash);
  Freed freed;
  const bool fits = strict ? ChargeStrictly(total) : EvictFor(total, &freed);
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
    const Place place = ClaimPlace(key, hash);
    if (place.slot != nullptr) {
      place.slot->Fill(key, value, ops, charge, total, ClockSlot::kUsual);
      if (handle != nullptr) *handle = place.slot;
      Settle(uncharged, 1, freed);
      // Not before: what tags tell of is taken, and that is for entries.
      index_.GroupAt(place.group).Set(place.number, TagGroup::TagOf(hash));
      slot::Publish(&place.slot->word,
                    slot::VisibleWord(handle != nullptr ? 1 : 0, priority));
      return Status::OK();
    }
    if (place.key_is_there) why = Why::kErased;
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

CacheHandle* ClockTable::CreateStandalone(const CacheKey& key, void* value,
                                          const CacheItemOps* ops,
                                          size_t charge, bool strict,
                                          bool allow_uncharged) {
  const size_t total = TotalOf(charge);
  if (!strict && total > capacity()) {
    return CreateOutsize(key, value, ops, charge);
  }
  if (!strict) {
    Freed freed;
    static_cast<void>(EvictFor(total, &freed));
    Settle(total, 0, freed);
  } else if (!ChargeStrictly(total)) {
    if (!allow_uncharged) return nullptr;
    return NewStandalone(key, value, ops, charge, 0, &usage_);
  }
  return NewStandalone(key, value, ops, charge, total, &usage_);
}

// Nothing that could be evicted makes room for an entry larger than the
// capacity. It counts apart, so that while it is held the others stay, and more
// can come.
ClockSlot* ClockTable::CreateOutsize(const CacheKey& key, void* value,
                                     const CacheItemOps* ops, size_t charge) {
  const size_t total = TotalOf(charge);
  outsize_usage_.FetchAdd(total);
  return NewStandalone(key, value, ops, charge, total, &outsize_usage_);
}

// What is charged is in `usage` already. Null where there is no memory for the
// handle: the charge is then taken back, and the value still the caller's.
ClockSlot* ClockTable::NewStandalone(const CacheKey& key, void* value,
                                     const CacheItemOps* ops, size_t charge,
                                     size_t charged,
                                     RelaxedAtomic<size_t>* usage) {
  auto* const made = new (std::nothrow) ClockSlot;
  if (made == nullptr) {
    usage->FetchSub(charged);
    return nullptr;
  }
  made->Fill(
      key, value, ops, charge, charged,
      usage == &outsize_usage_ ? ClockSlot::kOutsize : ClockSlot::kStandalone);
  standalone_usage_.FetchAdd(charged);
  slot::Publish(&made->word, slot::InvisibleWord(1));
  return made;
}

void ClockTable::EndStandalone(ClockSlot* owned) {
  EndValue(owned->key(), *owned, Why::kErased);
  standalone_usage_.FetchSub(owned->charged());
  const bool outsize = owned->kind.Load() == ClockSlot::kOutsize;
  (outsize ? outsize_usage_ : usage_).FetchSub(owned->charged());
  delete owned;
}

bool ClockTable::IsThere(const CacheKey& key, uint64_t hash) {
  const uint8_t tag = TagGroup::TagOf(hash);
  uint64_t group = index_.HomeGroup(hash);
  for (uint32_t passed = 0;; ++passed) {
    const TagGroup& tags = index_.GroupAt(group);
    for (uint32_t left = tags.Matches(tag); left != 0; left &= left - 1) {
      ClockSlot* const there = index_.SlotAt(group, ClockIndex::LowestOf(left));
      if (HasVisible(there, key)) return true;
    }
    if (tags.Passed() == 0 || passed == index_.most_passed()) return false;
    group = index_.After(group);
  }
}

// Each group that is passed counts the entry before the next is looked at, so
// that no lookup stops short of it once it is there.
ClockTable::Place ClockTable::ClaimPlace(const CacheKey& key, uint64_t hash) {
  if (IsThere(key, hash)) return {.key_is_there = true};
  uint64_t group = index_.HomeGroup(hash);
  for (uint32_t passed = 0;; ++passed) {
    TagGroup& tags = index_.GroupAt(group);
    for (uint32_t left = tags.Empty(); left != 0; left &= left - 1) {
      const uint32_t number = ClockIndex::LowestOf(left);
      ClockSlot* const there = index_.SlotAt(group, number);
      if (slot::ClaimEmpty(&there->word)) return {there, group, number};
    }
    if (passed == index_.most_passed()) {
      TakeBackPassed(hash, group);
      return {};
    }
    tags.AddPassed();
    group = index_.After(group);
  }
}

void ClockTable::TakeBackPassed(uint64_t hash, uint64_t end_group) {
  for (uint64_t group = index_.HomeGroup(hash); group != end_group;
       group = index_.After(group)) {
    index_.GroupAt(group).SubPassed();
  }
}

bool ClockTable::HasVisible(ClockSlot* there, const CacheKey& key) {
  if (!there->HasKey(key)) return false;
  uint64_t before;
  const slot::Taken taken =
      slot::TakeUncounted(&there->word, slot::kVisible, &before);
  if (taken == slot::Taken::kNothing) return false;
  const bool has = taken == slot::Taken::kReference && there->HasKey(key);
  GiveBack(there, slot::kRef);
  return has;
}

// --- Making room
// --------------------------------------------------------------

// Evicts what `total` bytes more would be too many. False where that was not to
// be had, and the usage is beyond what such failures may bring it to.
bool ClockTable::EvictFor(size_t total, Freed* freed) {
  const size_t limit = capacity();
  const size_t now = usage_.Load();
  if (total > limit) return false;
  if (now <= limit - total) return true;
  const size_t excess = now - (limit - total);
  *freed = Evict(excess, 0, settings_->eviction_effort_cap);
  return freed->bytes >= excess ||
         excess - freed->bytes <= limit / settings_->eviction_effort_cap;
}

// Threads that looked at the usage at the same time may each have found room
// for one entry where there was room for one in all: who then sees that it is
// too much evicts that, so usage exceeds the capacity by no more than what
// threads are just putting in.
void ClockTable::Settle(size_t bytes_in, size_t slots_in, const Freed& freed) {
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

bool ClockTable::ChargeStrictly(size_t total) {
  // Each try but the last made room that another thread took.
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

bool ClockTable::HasRoomForOne(Freed* freed) {
  if (occupancy_.Load() - freed->slots < occupancy_limit_) return true;
  const Freed more = Evict(0, 1, settings_->eviction_effort_cap);
  freed->bytes += more.bytes;
  freed->slots += more.slots;
  return more.slots != 0;
}

// The hand goes over the first slots of all groups, then over their second, and
// so on: so what it evicts together lay in different groups, and all groups are
// about equally full. (Slot after slot, it leaves those behind it emptier than
// those before it, and one entry in six finds no room at home.)
// The first of a step's positions. Another table's claim is left alone, so that
// none of its positions is lost to it, unless nothing is made of it for long.
uint64_t ClockTable::NextToSweep() {
  constexpr uint32_t kPatience = 1000;
  Claim& claim = claims[number_ % claims.size()];
  if (sweep_step_ == 1) return hand_.FetchAdd(1);
  if (claim.table != this && claim.next != claim.end &&
      ++claim.passed_over < kPatience) {
    return hand_.FetchAdd(sweep_step_);
  }
  if (claim.table != this || claim.next == claim.end) {
    const uint64_t first = hand_.FetchAdd(kClaim);
    claim = {this, first, first + kClaim, 0};
  }
  const uint64_t first = claim.next;
  claim.next += sweep_step_;
  claim.passed_over = 0;
  return first;
}

ClockTable::HandAt ClockTable::UnderHand(uint64_t hand) const {
  const uint64_t groups = index_.groups_of_table();
  const uint64_t at = hand % slots_.size();
  return {at % groups, static_cast<uint32_t>(at / groups)};
}

void ClockTable::Advance(HandAt* at) const {
  if (++at->group < index_.groups_of_table()) return;
  at->group = 0;
  at->slot = at->slot + 1 == kSlotsPerGroup ? 0 : at->slot + 1;
}

// Null: the slot is empty.
ClockSlot* ClockTable::EntryAt(const HandAt& at) const {
  const uint64_t group = first_group_ + at.group;
  return index_.GroupAt(group).HasTag(at.slot) ? index_.SlotAt(group, at.slot)
                                               : nullptr;
}

// Sweeps until so much is freed, of either. Every step is bounded; so is their
// number, by entries in use met for each that went, and by rounds.
ClockTable::Freed ClockTable::Evict(size_t bytes, size_t slots,
                                    uint64_t effort_cap) {
  Freed freed;
  uint64_t in_use = 0;
  uint64_t met = 0;
  // Most often because one large thing outside takes all.
  if (occupancy_.Load() == 0) return freed;
  const uint64_t most_visits = kMostRounds * slots_.size();
  for (uint64_t visits = 0; visits < most_visits; visits += sweep_step_) {
    HandAt at = UnderHand(NextToSweep());
    HandAt ahead = at;
    for (uint32_t i = 0; i < sweep_step_; ++i) Advance(&ahead);
    for (uint32_t i = 0; i < sweep_step_; ++i, Advance(&at), Advance(&ahead)) {
      // For the next step.
      __builtin_prefetch(EntryAt(ahead), 1);
      ClockSlot* const there = EntryAt(at);
      if (there == nullptr) continue;
      ++met;
      uint64_t before;
      const slot::Swept swept = slot::Sweep(&there->word, &before);
      if (swept == slot::Swept::kInUse) ++in_use;
      if (swept == slot::Swept::kIsSpread) Gather(there);
      if (swept != slot::Swept::kOwned) continue;
      const Why why = !slot::IsVisible(before) ? Why::kErased
                      : slot::WasHit(before)   ? Why::kEvictedAfterHit
                                               : Why::kEvicted;
      freed.bytes += Free(there, why);
      ++freed.slots;
    }
    if (freed.bytes >= bytes && freed.slots >= slots) break;
    if (in_use / effort_cap > freed.slots) {
      effort_exceeded_.FetchAdd(1);
      break;
    }
    // A round in which nothing came nearer to its end.
    if (visits >= slots_.size() && met == in_use) break;
  }
  return freed;
}

size_t ClockTable::Free(ClockSlot* owned, Why why) {
  const EndedEntry entry(*owned);
  const CacheKey key = owned->key();
  const size_t charged = owned->charged();
  const uint64_t index = index_.IndexOf(owned);
  const uint64_t group = index / kSlotsPerGroup;
  const uint64_t hash = KeyHash(key, settings_->seed);
  index_.GroupAt(group).Clear(static_cast<uint32_t>(index % kSlotsPerGroup),
                              TagGroup::TagOf(hash));
  TakeBackPassed(hash, group);
  owned->kind.Store(ClockSlot::kEmpty);
  slot::Vacate(&owned->word);
  EndValue(key, entry, why);
  return charged;
}

void ClockTable::FreeAndSettle(ClockSlot* owned) {
  const size_t charged = Free(owned, Why::kErased);
  occupancy_.FetchSub(1);
  usage_.FetchSub(charged);
}

void ClockTable::EndValue(const CacheKey& key, const CacheHandle& entry,
                          Why why) {
  if (why != Why::kErased && *settings_->eviction_callback &&
      (*settings_->eviction_callback)(key, entry,
                                      why == Why::kEvictedAfterHit)) {
    return;
  }
  if (entry.ops()->destroy != nullptr) {
    entry.ops()->destroy(entry.value(), settings_->allocator);
  }
}

void ClockTable::SetCapacity(size_t capacity) {
  capacity_.Store(capacity);
  const size_t now = usage_.Load();
  if (now > capacity) {
    Settle(0, 0,
           Evict(now - capacity, 0, std::numeric_limits<uint64_t>::max()));
  }
}

// --- Taking out, looking at
// ---------------------------------------------------

// All of them, where two Inserts at once put in two.
void ClockTable::Erase(const CacheKey& key, uint64_t hash) {
  const uint8_t tag = TagGroup::TagOf(hash);
  uint64_t group = index_.HomeGroup(hash);
  for (uint32_t passed = 0;; ++passed) {
    TagGroup& tags = index_.GroupAt(group);
    for (uint32_t left = tags.Matches(tag); left != 0; left &= left - 1) {
      ClockSlot* const there = index_.SlotAt(group, ClockIndex::LowestOf(left));
      uint64_t before;
      const slot::Taken taken =
          slot::TakeUncounted(&there->word, slot::kVisible, &before);
      if (taken == slot::Taken::kNothing) continue;
      if (taken == slot::Taken::kReference && there->HasKey(key)) {
        slot::Hide(&there->word);
        if (slot::IsSpread(there->word.LoadRelaxed())) Gather(there);
      }
      GiveBack(there, slot::kRef);
    }
    if (tags.Passed() == 0 || passed == index_.most_passed()) return;
    group = index_.After(group);
  }
}

void ClockTable::EraseUnRefEntries() {
  for (ClockSlot& each : slots_) {
    if (slot::IsSpread(each.word.LoadRelaxed())) Gather(&each);
    if (slot::ClaimUnreferenced(&each.word)) FreeAndSettle(&each);
  }
}

bool ClockTable::Spread(ClockSlot* held) {
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
  index_.GroupAt(number / kSlotsPerGroup).AddSpread();
  slot::Spread(&held->word, set, number);
  // Who hid it before that did not see it spread.
  if (!slot::IsVisible(held->word.LoadRelaxed())) Gather(held);
  return true;
}

void ClockTable::Gather(ClockSlot* there) {
  if (!slot::ClaimGather(&there->word)) return;
  const uint64_t number = index_.IndexOf(there);
  // Before the set is free, and another may spread the slot.
  there->kind.Store(ClockSlot::kUsual);
  index_.GroupAt(number / kSlotsPerGroup).SubSpread();
  SpreadSet* const set = &settings_->spread_sets->Load()->Of(number);
  if (slot::Gather(&there->word, set) == slot::Given::kOwned) EndOwned(there);
}

size_t ClockTable::PinnedUsage() {
  size_t pinned = standalone_usage_.Load();
  for (ClockSlot& each : slots_) {
    // Else it looks as if it were in use.
    if (slot::IsSpread(each.word.LoadRelaxed())) Gather(&each);
    const uint64_t word = each.word.LoadRelaxed();
    if (slot::IsShareable(word) && slot::Refs(word) != 0) {
      pinned += each.charged();
    }
  }
  return pinned;
}

void ClockTable::ForEachEntry(
    const std::function<void(const CacheEntryView&)>& callback) {
  for (ClockSlot& each : slots_) {
    if (!slot::IsVisible(each.word.LoadRelaxed())) continue;
    uint64_t before;
    const slot::Taken taken =
        slot::TakeUncounted(&each.word, slot::kVisible, &before);
    if (taken == slot::Taken::kNothing) continue;
    if (taken == slot::Taken::kReference) {
      callback({each.key(), each.value(), each.ops(), each.charge()});
    }
    GiveBack(&each, slot::kRef);
  }
}

}  // namespace ashlar::internal
