// SlotArray: the memory of a cache of fixed size. Used by ClockCacheOf. Not
// thread-safe: it is allocated once, before the cache is used.
#ifndef ASHLAR_CACHE_CLOCK_SLOT_ARRAY_H_
#define ASHLAR_CACHE_CLOCK_SLOT_ARRAY_H_

#include <cstddef>

#include "cache/clock/clock_slot.h"
#include "cache/clock/tag_group.h"

namespace ashlar::internal {

// The groups and slots of all tables.
class SlotArray {
 public:
  SlotArray() = default;
  ~SlotArray();
  SlotArray(const SlotArray&) = delete;
  SlotArray& operator=(const SlotArray&) = delete;

  // Returns false if there is no memory.
  [[nodiscard]] bool Allocate(size_t groups);

  TagGroup* groups() const { return groups_; }
  ClockSlot* slots() const { return slots_; }
  size_t bytes() const { return bytes_; }

 private:
  void* memory_ = nullptr;
  size_t bytes_ = 0;
  TagGroup* groups_ = nullptr;
  ClockSlot* slots_ = nullptr;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_SLOT_ARRAY_H_
