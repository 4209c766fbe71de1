// ClockIndex: finds the slot of a key in a cache of fixed size.
//
// This is the hot path of the cache. It has groups of 14 slots, each group with
// its tags (tag_group.h). Equal shares of the groups belong to the tables
// (clock_table.h), and the entries of a table never leave its share. Different
// bits of a key's hash choose its table, its home group there, and its tag.
// Immutable, except for the slots and tags that it points to, which it does not
// own. Thread-safe.
#ifndef ASHLAR_CACHE_CLOCK_CLOCK_INDEX_H_
#define ASHLAR_CACHE_CLOCK_CLOCK_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ashlar/cache/hash/key_hash.h"
#include "cache/clock/clock_slot.h"
#include "cache/clock/tag_group.h"

namespace ashlar::internal {

class ClockIndex {
 public:
  static constexpr bool kGrows = false;

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

  // Returns the table of the hash, which has its home group.
  size_t TableOf(uint64_t hash) const { return ScaleHash(hash, tables_); }
  uint64_t HomeGroup(uint64_t hash) const {
    return ScaleHash(hash, groups_of_all_);
  }
  // Returns the next group of the same table.
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
  size_t TableOfSlot(const ClockSlot* slot) const {
    return IndexOf(slot) / kSlotsPerGroup / groups_of_table_;
  }
  bool Contains(const ClockSlot* slot) const {
    return slot >= slots_ && IndexOf(slot) < slot_count();
  }
  ClockSlot* slots() const { return slots_; }
  size_t slot_count() const { return groups_of_all_ * kSlotsPerGroup; }
  size_t room() const { return slot_count(); }
  size_t groups_of_table() const { return groups_of_table_; }
  uint32_t most_passed() const { return most_passed_; }

  // Returns the first slot with the hash's tag, wherever it is, for which
  // take(slot) returns true. Returns null if there is none.
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

  // These two make a later Find wait less: first PrefetchTags for each key,
  // then Likely.
  void PrefetchTags(uint64_t hash) const {
    __builtin_prefetch(&groups_[HomeGroup(hash)]);
  }
  // Returns where Find will most often find the entry: the first slot of the
  // home group whose tag matches.
  LikelySlot Likely(uint64_t hash) const {
    const uint64_t home = HomeGroup(hash);
    const TagGroup& tags = groups_[home];
    const uint32_t all = tags.Matches(TagGroup::TagOf(hash));
    if (all == 0) return {};
    return {SlotAt(home, LowestOf(all)), tags.HasSpread()};
  }

  // For a thread that is about to insert an entry.
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
