// GrowingTablePart: the slots of one growing table, as ClockTableOf uses them.
// growing_index.h says how the slot of a key is found. Thread-safe.
#ifndef ASHLAR_CACHE_CLOCK_GROWING_TABLE_PART_H_
#define ASHLAR_CACHE_CLOCK_GROWING_TABLE_PART_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "cache/clock/fixed_part.h"
#include "cache/clock/growing_index.h"

namespace ashlar::internal {

class GrowingTablePart {
 public:
  struct Place {
    ClockSlot* slot = nullptr;  // owned; null: there is none left
  };
  struct HandAt {
    uint32_t number;
    uint32_t end;
  };

  GrowingTablePart(const GrowingIndex* index, size_t table)
      : part_(index->PartAt(table)) {}

  GrowingPart& part() const { return part_; }
  std::span<ClockSlot> slots() const {
    return {part_.SlotAt(1), part_.SlotAt(part_.end_of_slots())};
  }
  size_t occupancy_limit() const { return part_.most_slots() - 1; }

  Place Claim(uint64_t /*hash*/) { return {part_.TakeSlot()}; }
  void Unlink(const ClockSlot* owned, uint64_t hash) {
    growing::Unlink(&part_, hash, part_.NumberOf(owned));
  }
  void PutBack(ClockSlot* vacated) { part_.PutBackSlot(vacated); }

  void AddSpread(const ClockSlot* slot, uint64_t hash) {
    part_.SetSpread(hash, part_.NumberOf(slot));
  }
  void SubSpread(const ClockSlot* slot, uint64_t hash) {
    part_.ClearSpread(hash, part_.NumberOf(slot));
  }

  // The hand goes over the slots that were in use at some time, one after the
  // other.
  uint64_t positions() const { return part_.end_of_slots() - 1; }
  uint32_t sweep_step() const { return SweepStep(positions()); }
  HandAt UnderHand(uint64_t hand) const {
    const uint32_t end = part_.end_of_slots();
    return {static_cast<uint32_t>(hand % (end - 1)) + 1, end};
  }
  uint64_t PositionOf(const ClockSlot* slot) const {
    return part_.NumberOf(slot) - 1;
  }
  static void Advance(HandAt* at) {
    at->number = at->number + 1 == at->end ? 1 : at->number + 1;
  }
  ClockSlot* EntryAt(const HandAt& at) const {
    ClockSlot* const there = part_.SlotAt(at.number);
    return slot::IsEmpty(there->word.LoadRelaxed()) ? nullptr : there;
  }
  void Prefetch(const HandAt& at) const {
    __builtin_prefetch(part_.SlotAt(at.number), 1);
  }

  bool IsBlank() const { return part_.IsBlank(); }

 private:
  GrowingPart& part_;
};

template <>
struct TablePartOf<GrowingIndex> {
  using Type = GrowingTablePart;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_GROWING_TABLE_PART_H_
