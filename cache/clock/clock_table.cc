#include "cache/clock/clock_table.h"

#include <algorithm>
#include <cassert>
#include <limits>

namespace ashlar::internal {

namespace {

// Above it groups are full so often that entries lie far from home.
constexpr double kMaxLoad = 0.9;
// One slot a step keeps the order of a small table; with more the hand, which
// all threads that evict move, is moved less often.
constexpr size_t kSmallTable = 1024;
constexpr uint32_t kSweepStep = 4;
// Visits after which an entry that nobody uses is gone.
constexpr uint64_t kMostRounds = slot::kMaxCountdown + 2;

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
    : settings_(settings),
      index_(settings->index),
      slots_(index_.SlotAt(number * index_.groups_of_table(), 0),
             index_.groups_of_table() * kSlotsPerGroup),
      occupancy_limit_(std::max<size_t>(
          1,
          static_cast<size_t>(static_cast<double>(slots_.size()) * kMaxLoad))),
      sweep_step_(slots_.size() < kSmallTable ? 1 : kSweepStep) {}

ClockTable::~ClockTable() {
  for (ClockSlot& each : slots_) {
    if (slot::ClaimUnreferenced(&each.word)) Free(&each, Why::kErased);
    assert(slot::IsEmpty(each.word.LoadRelaxed()) && "a handle is still held");
  }
  assert(usage() == 0 && occupancy() == 0);
  for (uint64_t i = 0; i < index_.groups_of_table(); ++i) {
    [[maybe_unused]] const TagGroup& tags =
        index_.GroupAt(index_.IndexOf(slots_.data()) / kSlotsPerGroup + i);
    assert(tags.Empty() == tags::kAllSlots && tags.Passed() == 0);
  }
}

void ClockTable::GiveBack(ClockSlot* held, uint64_t units) {
  if (slot::Give(&held->word, units) == slot::Given::kOwned) EndOwned(held);
}

void ClockTable::EndOwned(ClockSlot* owned) { Free(owned, Why::kErased); }

// --- Putting in
// ---------------------------------------------------------------

Status ClockTable::Insert(const CacheKey& key, uint64_t hash, void* value,
                          const CacheItemOps* ops, size_t charge,
                          CachePriority priority, bool strict,
                          CacheHandle** handle) {
  const size_t total = charge + settings_->metadata_charge;
  const bool charged = strict ? ChargeStrictly(total) : Charge(total);
  if (handle != nullptr) *handle = nullptr;
  if (strict && !charged) {
    if (handle != nullptr) {
      return Status::MemoryLimit("the cache is full of entries in use");
    }
    EndValue(key, EndedEntry(value, ops, charge), Why::kEvicted);
    return Status::OK();
  }
  Why why = Why::kEvicted;
  if (charged && TakeRoomForOne()) {
    const Place place = ClaimPlace(key, hash);
    if (place.slot != nullptr) {
      place.slot->Fill(key, value, ops, charge, total);
      if (handle != nullptr) *handle = place.slot;
      slot::Publish(&place.slot->word,
                    slot::VisibleWord(handle != nullptr ? 1 : 0, priority));
      return Status::OK();
    }
    occupancy_.FetchSub(1);
    if (place.key_is_there) why = Why::kErased;
  }
  if (why == Why::kEvicted) table_full_count_.FetchAdd(1);
  if (handle != nullptr) {
    *handle = NewStandalone(key, value, ops, charge, total);
  } else {
    EndValue(key, EndedEntry(value, ops, charge), why);
    usage_.FetchSub(total);
  }
  return Status::OK();
}

CacheHandle* ClockTable::CreateStandalone(const CacheKey& key, void* value,
                                          const CacheItemOps* ops,
                                          size_t charge, bool strict,
                                          bool allow_uncharged) {
  const size_t total = charge + settings_->metadata_charge;
  if (!strict) {
    static_cast<void>(Charge(total));
  } else if (!ChargeStrictly(total)) {
    if (!allow_uncharged) return nullptr;
    return NewStandalone(key, value, ops, charge, 0);
  }
  return NewStandalone(key, value, ops, charge, total);
}

// Its charge is in the usage already.
ClockSlot* ClockTable::NewStandalone(const CacheKey& key, void* value,
                                     const CacheItemOps* ops, size_t charge,
                                     size_t charged) {
  auto* const made = new ClockSlot;
  made->Fill(key, value, ops, charge, charged);
  standalone_usage_.FetchAdd(charged);
  slot::Publish(&made->word, slot::InvisibleWord(1));
  return made;
}

void ClockTable::EndStandalone(ClockSlot* owned) {
  EndValue(owned->key(), *owned, Why::kErased);
  standalone_usage_.FetchSub(owned->charged());
  usage_.FetchSub(owned->charged());
  delete owned;
}

// Each group that is passed counts the entry before the next is looked at, so
// that no lookup stops short of it once it is there.
ClockTable::Place ClockTable::ClaimPlace(const CacheKey& key, uint64_t hash) {
  const uint8_t tag = TagGroup::TagOf(hash);
  uint64_t group = index_.HomeGroup(hash);
  for (uint32_t passed = 0;; ++passed) {
    TagGroup& tags = index_.GroupAt(group);
    for (uint32_t left = tags.Matches(tag); left != 0; left &= left - 1) {
      if (HasVisible(index_.SlotAt(group, ClockIndex::LowestOf(left)), key)) {
        TakeBackPassed(hash, group);
        return {nullptr, true};
      }
    }
    for (uint32_t left = tags.Empty(); left != 0; left &= left - 1) {
      ClockSlot* const there = index_.SlotAt(group, ClockIndex::LowestOf(left));
      if (slot::ClaimEmpty(&there->word)) {
        index_.GroupAt(group).Set(ClockIndex::LowestOf(left), tag);
        return {there, false};
      }
    }
    if (passed == index_.most_passed()) {
      TakeBackPassed(hash, group);
      return {};
    }
    index_.GroupAt(group).AddPassed();
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

// Charged first and evicted for afterwards: so usage exceeds the capacity by no
// more than what threads are just putting in. False where that much could not
// be evicted, and the usage is beyond what such failures may bring it to.
bool ClockTable::Charge(size_t total) {
  const size_t limit = capacity();
  const size_t before = usage_.FetchAdd(total);
  if (before <= limit && total <= limit - before) return true;
  if (total > limit) return false;
  const size_t excess = before + total - limit;
  if (Evict(excess, 0, settings_->eviction_effort_cap).bytes >= excess) {
    return true;
  }
  return usage_.Load() <= limit + limit / settings_->eviction_effort_cap;
}

bool ClockTable::ChargeStrictly(size_t total) {
  // Each try but the last made room that another thread took.
  constexpr int kTries = 16;
  for (int i = 0; i < kTries; ++i) {
    const size_t limit = capacity();
    if (total > limit) return false;
    size_t seen = usage_.Load();
    while (seen <= limit && total <= limit - seen) {
      if (usage_.CompareExchange(&seen, seen + total)) return true;
    }
    const size_t excess = seen - (limit - total);
    if (Evict(excess, 0, settings_->eviction_effort_cap).slots == 0) break;
  }
  return false;
}

bool ClockTable::TakeRoomForOne() {
  if (occupancy_.FetchAdd(1) < occupancy_limit_) return true;
  if (Evict(0, 1, settings_->eviction_effort_cap).slots != 0) return true;
  occupancy_.FetchSub(1);
  return false;
}

// The hand goes over the first slots of all groups, then over their second, and
// so on: so what it evicts together lay in different groups, and all groups are
// about equally full. (Slot after slot, it leaves those behind it emptier than
// those before it, and one entry in six finds no room at home.)
ClockSlot* ClockTable::SlotUnderHand(uint64_t hand) {
  const uint64_t groups = index_.groups_of_table();
  const uint64_t at = hand % slots_.size();
  return &slots_[at % groups * kSlotsPerGroup + at / groups];
}

// Sweeps until so much is freed, of either. Every step is bounded; so is their
// number, by entries in use met for each that went, and by rounds.
ClockTable::Freed ClockTable::Evict(size_t bytes, size_t slots,
                                    uint64_t effort_cap) {
  Freed freed;
  uint64_t in_use = 0;
  const uint64_t most_visits = kMostRounds * slots_.size();
  for (uint64_t visits = 0; visits < most_visits; visits += sweep_step_) {
    const uint64_t first = hand_.FetchAdd(sweep_step_);
    for (uint32_t i = 0; i < sweep_step_; ++i) {
      __builtin_prefetch(SlotUnderHand(first + i), 1);
    }
    for (uint32_t i = 0; i < sweep_step_; ++i) {
      ClockSlot* const there = SlotUnderHand(first + i);
      uint64_t before;
      const slot::Swept swept = slot::Sweep(&there->word, &before);
      if (swept == slot::Swept::kInUse) ++in_use;
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
  slot::Vacate(&owned->word);
  occupancy_.FetchSub(1);
  EndValue(key, entry, why);
  usage_.FetchSub(charged);
  return charged;
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
    Evict(now - capacity, 0, std::numeric_limits<uint64_t>::max());
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
      }
      GiveBack(there, slot::kRef);
    }
    if (tags.Passed() == 0 || passed == index_.most_passed()) return;
    group = index_.After(group);
  }
}

void ClockTable::EraseUnRefEntries() {
  for (ClockSlot& each : slots_) {
    if (slot::ClaimUnreferenced(&each.word)) Free(&each, Why::kErased);
  }
}

size_t ClockTable::PinnedUsage() {
  size_t pinned = standalone_usage_.Load();
  for (const ClockSlot& each : slots_) {
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
