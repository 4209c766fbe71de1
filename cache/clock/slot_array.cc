#include "cache/clock/slot_array.h"

#include <cstdlib>
#include <memory>

#include "port/huge_pages.h"

namespace ashlar::internal {

// First the tags of all groups, then the slots. Both begin at a cache line.
bool SlotArray::Allocate(size_t groups) {
  constexpr size_t kLine = 64;
  const size_t slots = groups * kSlotsPerGroup;
  const size_t tag_bytes =
      (groups * sizeof(TagGroup) + kLine - 1) / kLine * kLine;
  const size_t wanted = tag_bytes + slots * sizeof(ClockSlot);
  const bool huge = wanted >= port::kHugePageBytes;
  const size_t alignment = huge ? port::kHugePageBytes : kLine;
  if (::posix_memalign(&memory_, alignment, wanted) != 0) {
    memory_ = nullptr;
    return false;
  }
  bytes_ = wanted;
  if (huge) port::PreferHugePages(memory_, bytes_);
  groups_ = static_cast<TagGroup*>(memory_);
  std::uninitialized_default_construct_n(groups_, groups);
  slots_ =
      reinterpret_cast<ClockSlot*>(static_cast<char*>(memory_) + tag_bytes);
  std::uninitialized_default_construct_n(slots_, slots);
  return true;
}

// Groups and slots need no destruction.
SlotArray::~SlotArray() { std::free(memory_); }

}  // namespace ashlar::internal
