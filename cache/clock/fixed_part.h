// FixedPart: the slots of one table of fixed size, as ClockTableOf uses them.
// tag_group.h says how the slot of a key is found. Thread-safe.
#ifndef ASHLAR_CACHE_CLOCK_FIXED_PART_H_
#define ASHLAR_CACHE_CLOCK_FIXED_PART_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "cache/clock/clock_index.h"

namespace ashlar::internal {

template <typename Index>
struct TablePartOf;

// The number of positions that one sweep goes over. 1 keeps the order of a
// small table.
constexpr uint32_t SweepStep(size_t positions) {
  constexpr size_t kSmallTable = 16 << 10;
  return positions < kSmallTable ? 1 : 4;
}

class FixedPart {
 public:
  struct Place {
    ClockSlot* slot = nullptr;  // owned; null: none was found
    uint64_t group = 0;
    uint32_t number = 0;  // in the group
  };
  struct HandAt {
    uint64_t group;  // among the groups of the table
    uint32_t slot;   // among the slots of the group
  };

  FixedPart(const ClockIndex* index, size_t table);

  std::span<ClockSlot> slots() const { return slots_; }
  size_t occupancy_limit() const { return occupancy_limit_; }

  Place Claim(uint64_t hash);
  // Makes an entry visible to lookups, before it is published.
  void Link(const Place& place, uint64_t hash) {
    index_.GroupAt(place.group).Set(place.number, TagGroup::TagOf(hash));
  }
  // For the owner, before it vacates the slot.
  void Unlink(const ClockSlot* owned, uint64_t hash);
  static void PutBack(ClockSlot* /*vacated*/) {}

  void AddSpread(const ClockSlot* slot, uint64_t /*hash*/) {
    GroupOf(slot).AddSpread();
  }
  void SubSpread(const ClockSlot* slot, uint64_t /*hash*/) {
    GroupOf(slot).SubSpread();
  }

  // The positions of the hand, and the slots at them.
  uint64_t positions() const { return slots_.size(); }
  uint32_t sweep_step() const { return sweep_step_; }
  HandAt UnderHand(uint64_t hand) const {
    const uint64_t groups = index_.groups_of_table();
    const uint64_t at = hand % slots_.size();
    return {at % groups, static_cast<uint32_t>(at / groups)};
  }
  uint64_t PositionOf(const ClockSlot* slot) const {
    const auto number = static_cast<uint64_t>(slot - slots_.data());
    return number % kSlotsPerGroup * index_.groups_of_table() +
           number / kSlotsPerGroup;
  }
  void Advance(HandAt* at) const {
    if (++at->group < index_.groups_of_table()) return;
    at->group = 0;
    at->slot = at->slot + 1 == kSlotsPerGroup ? 0 : at->slot + 1;
  }
  // Returns null if the slot is empty.
  ClockSlot* EntryAt(const HandAt& at) const {
    const uint64_t group = first_group_ + at.group;
    return index_.GroupAt(group).HasTag(at.slot) ? index_.SlotAt(group, at.slot)
                                                 : nullptr;
  }
  void Prefetch(const HandAt& at) const { __builtin_prefetch(EntryAt(at), 1); }

  // Returns whether no tag and no count is left.
  bool IsBlank() const;

 private:
  TagGroup& GroupOf(const ClockSlot* slot) const {
    return index_.GroupAt(index_.IndexOf(slot) / kSlotsPerGroup);
  }
  void TakeBackPassed(uint64_t hash, uint64_t end_group);

  const ClockIndex& index_;
  const uint64_t first_group_;
  const std::span<ClockSlot> slots_;
  const size_t occupancy_limit_;
  const uint32_t sweep_step_;
};

template <>
struct TablePartOf<ClockIndex> {
  using Type = FixedPart;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_FIXED_PART_H_
