// ClockIndex: where in the slots of a cache the entry of a key is.
//
// The hot path of the cache. Groups of 14 slots, each group with its tags
// (tag_group.h); equal parts of them belong to the tables (clock_table.h),
// whose entries never leave their part. A key's hash tells its table, its home
// group in it, and its tag, by different bits. Immutable but for the slots and
// tags that it points to, which it does not own; thread-safe.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_INDEX_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cache/cache.h"
#include "cache/clock/slot_word.h"
#include "cache/clock/tag_group.h"
#include "cache/hash/key_hash.h"

namespace ashlar::internal {

// One entry. Standalone ones lie on the heap, all others in a table.
class alignas(64) ClockSlot : public CacheHandle {
 public:
  enum Kind : uint8_t {
    kUsual,
    kEmpty,
    kSpread,      // see spread.h
    kStandalone,  // on the heap
    kOutsize,     // standalone; see ClockTable::CreateOutsize
  };

  // A hint, unless by who holds a reference or owns the slot.
  CacheKey key() const { return {key_file_.Load(), key_block_.Load()}; }
  bool HasKey(const CacheKey& key) const {
    return key_file_.Load() == key.file && key_block_.Load() == key.block;
  }
  // What the table's usage holds for it, its own memory by policy included.
  size_t charged() const { return charged_.Load(); }
  // By the owner.
  void Fill(const CacheKey& key, void* value, const CacheItemOps* ops,
            size_t charge, size_t charged, Kind its_kind) {
    kind.Store(its_kind);
    key_file_.Store(key.file);
    key_block_.Store(key.block);
    charged_.Store(charged);
    value_ = value;
    ops_ = ops;
    charge_ = charge;
  }

  HoldAtomic<uint64_t> word{slot::kEmptyWord};
  // Of what must not be treated as most are, for those who would not look at
  // the word before they change it. A hint but for standalone ones.
  RelaxedAtomic<Kind> kind{kEmpty};

 private:
  RelaxedAtomic<uint64_t> key_file_{0};
  RelaxedAtomic<uint64_t> key_block_{0};
  RelaxedAtomic<size_t> charged_{0};
};
static_assert(sizeof(ClockSlot) == 64);

class ClockIndex {
 public:
  ClockIndex() = default;
  ClockIndex(TagGroup* groups, ClockSlot* slots, size_t groups_of_table,
             size_t tables)
      : groups_(groups),
        slots_(slots),
        groups_of_table_(groups_of_table),
        tables_(tables),
        groups_of_all_(groups_of_table * tables),
        most_passed_(static_cast<uint32_t>(
            std::min<size_t>(kMaxGroupsPassed, groups_of_table - 1))) {}

  // That of the home group.
  size_t TableOf(uint64_t hash) const { return ScaleHash(hash, tables_); }
  uint64_t HomeGroup(uint64_t hash) const {
    return ScaleHash(hash, groups_of_all_);
  }
  // In the same table.
  uint64_t After(uint64_t group) const {
    const bool at_end = (group + 1) % groups_of_table_ == 0;
    return group + 1 - (at_end ? groups_of_table_ : 0);
  }
  TagGroup& GroupAt(uint64_t group) const { return groups_[group]; }
  ClockSlot* SlotAt(uint64_t group, uint32_t i) const {
    return slots_ + group * kSlotsPerGroup + i;
  }
  uint64_t IndexOf(const ClockSlot* slot) const {
    return static_cast<uint64_t>(slot - slots_);
  }
  bool Contains(const ClockSlot* slot) const {
    return slot >= slots_ && IndexOf(slot) < slot_count();
  }
  ClockSlot* slots() const { return slots_; }
  size_t slot_count() const { return groups_of_all_ * kSlotsPerGroup; }
  size_t groups_of_table() const { return groups_of_table_; }
  uint32_t most_passed() const { return most_passed_; }

  // The first slot with its tag, wherever it may be, that `take` takes; or
  // null.
  template <typename Take>
  ClockSlot* Find(uint64_t hash, const Take& take) const {
    uint64_t group = HomeGroup(hash);
    const uint8_t tag = TagGroup::TagOf(hash);
    for (uint32_t passed = 0;; ++passed) {
      const TagGroup& tags = groups_[group];
      for (uint32_t left = tags.Matches(tag); left != 0; left &= left - 1) {
        ClockSlot* const there = SlotAt(group, LowestOf(left));
        if (take(there)) return there;
      }
      if (tags.Passed() == 0 || passed == most_passed_) return nullptr;
      group = After(group);
    }
  }

  // Make Find wait less when it comes: one for each key, then the other.
  void PrefetchTags(uint64_t hash) const {
    __builtin_prefetch(&groups_[HomeGroup(hash)]);
  }
  void PrefetchSlot(uint64_t hash) const {
    const uint64_t group = HomeGroup(hash);
    const uint32_t all = groups_[group].Matches(TagGroup::TagOf(hash));
    if (all == 0) return;
    const ClockSlot* const there = SlotAt(group, LowestOf(all));
    // Of a spread one the line must stay with all who read it.
    if (groups_[group].HasSpread()) {
      __builtin_prefetch(there);
    } else {
      __builtin_prefetch(there, 1);
    }
  }

  // For who is about to put in an entry.
  void PrefetchEmpty(uint64_t hash) const {
    const uint64_t group = HomeGroup(hash);
    const uint32_t all = groups_[group].Empty();
    if (all != 0) __builtin_prefetch(SlotAt(group, LowestOf(all)), 1);
  }

  static uint32_t LowestOf(uint32_t mask) {
    return static_cast<uint32_t>(__builtin_ctz(mask));
  }

 private:
  TagGroup* groups_ = nullptr;
  ClockSlot* slots_ = nullptr;
  uint64_t groups_of_table_ = 1;
  uint64_t tables_ = 1;
  uint64_t groups_of_all_ = 1;
  uint32_t most_passed_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_CLOCK_INDEX_H_
