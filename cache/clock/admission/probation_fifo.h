// ProbationFifo: the slots of the entries on probation, in order of arrival.
//
// Used by Admission. It is a ring of slot numbers, 4 bytes each. Each entry
// that arrives gets a number, its arrival, which is also in its slot. A number
// in the ring is current if the two agree. It is stale if the entry was removed
// in another way, or if another entry is in that slot now. Nothing is ever
// taken out of the middle.
//
// Three positions move along the ring: where the next entry arrives, where the
// oldest one is, and between them the burst cursor, a quarter of the length
// behind the youngest. When the cursor comes to an entry, its hits are
// forgotten (admission.h, rule 3).
//
// Threads share the three positions as counters, without order. They compare
// what they find with the slot, and the slot's word decides. A number may be
// read before it is written, or be overwritten when the ring is full, or the
// ring's length may change meanwhile. An entry on probation is then no longer
// in the FIFO: it is lost. Its arrival shows that, and a thread that sweeps
// over it puts it into main.
#ifndef ASHLAR_CACHE_CLOCK_ADMISSION_PROBATION_FIFO_H_
#define ASHLAR_CACHE_CLOCK_ADMISSION_PROBATION_FIFO_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cache/clock/clock_slot.h"

namespace ashlar::internal {

class ProbationFifo {
 public:
  static constexpr size_t BytesFor(size_t most_entries) {
    return LengthFor(most_entries) * sizeof(uint32_t);
  }
  // `memory`: all zeros, for as many entries as the table can have. `slots`:
  // those of the table. (A number in the ring that is not written yet is that
  // of the first slot.)
  ProbationFifo(char* memory, ClockSlot* slots)
      : ring_(reinterpret_cast<RelaxedAtomic<uint32_t>*>(memory)),
        slots_(slots) {}

  // Sets the number of entries. All entries that are in the FIFO are then lost.
  // Requires: there is memory for that many.
  void SetEntries(size_t entries) {
    length_.Store(static_cast<uint32_t>(LengthFor(entries)));
    oldest_.Store(next_.Load());
  }
  size_t bytes() const { return length_.Load() * sizeof(uint32_t); }
  bool IsEmpty() const { return Distance(oldest_.Load(), next_.Load()) <= 0; }

  // Appends the entry of a slot. For its owner, before the entry is published.
  // Returns the slot whose entry is lost for that, or null.
  const ClockSlot* Append(ClockSlot* owned) {
    const uint32_t arrival = next_.FetchAdd(1);
    const uint32_t first = arrival + 1 - length_.Load();
    uint32_t oldest = oldest_.Load();
    const ClockSlot* const lost =
        Distance(oldest, first) > 0 ? SlotOf(first - 1) : nullptr;
    owned->set_arrival(arrival);
    Ring(arrival).Store(static_cast<uint32_t>(owned - slots_));
    while (Distance(oldest, first) > 0 &&
           !oldest_.CompareExchange(&oldest, first)) {
    }
    return lost;
  }
  // Takes the oldest position off the ring. Returns null if it was stale.
  ClockSlot* PopOldest() {
    uint32_t oldest = oldest_.Load();
    return Claim(&oldest_, &oldest) ? SlotOf(oldest) : nullptr;
  }
  // Moves the burst cursor by one, and returns the slot there. Returns null if
  // it did not move, or found a stale position.
  ClockSlot* MoveCursor() {
    const uint32_t oldest = oldest_.Load();
    const uint32_t next = next_.Load();
    uint32_t at = cursor_.Load();
    const uint32_t from = Distance(at, oldest) > 0 ? oldest : at;
    const uint32_t goal = next - (next - oldest) / kPartBehindCursor;
    if (Distance(from, goal) <= 0) return nullptr;
    return cursor_.CompareExchange(&at, from + 1) ? SlotOf(from) : nullptr;
  }

  // Returns whether an entry on probation is no longer in the FIFO.
  bool HasLost(const ClockSlot* slot) const {
    return Distance(slot->arrival(), oldest_.Load()) > 0;
  }

 private:
  static constexpr uint32_t kPartBehindCursor = 4;

  // A quarter more than there can be, for stale positions.
  static constexpr size_t LengthFor(size_t entries) {
    return entries + entries / 4 + 1;
  }
  // The numbers wrap around. Once in some thousand million steps, something may
  // be lost for that.
  static int32_t Distance(uint32_t from, uint32_t to) {
    return static_cast<int32_t>(to - from);
  }
  RelaxedAtomic<uint32_t>& Ring(uint32_t arrival) const {
    return ring_[arrival % length_.Load()];
  }
  // Returns null if the position is stale.
  ClockSlot* SlotOf(uint32_t arrival) const {
    ClockSlot* const slot = slots_ + Ring(arrival).Load();
    return slot->arrival() == arrival ? slot : nullptr;
  }
  bool Claim(RelaxedAtomic<uint32_t>* place, uint32_t* at) const {
    while (Distance(*at, next_.Load()) > 0) {
      if (place->CompareExchange(at, *at + 1)) return true;
    }
    return false;
  }

  RelaxedAtomic<uint32_t>* const ring_;
  ClockSlot* const slots_;
  RelaxedAtomic<uint32_t> length_{1};
  alignas(64) RelaxedAtomic<uint32_t> next_{0};
  RelaxedAtomic<uint32_t> oldest_{0};
  RelaxedAtomic<uint32_t> cursor_{0};
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_ADMISSION_PROBATION_FIFO_H_
