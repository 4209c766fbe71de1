#include "cache/clock/growing_index.h"

#include <new>

#include "port/huge_pages.h"

namespace ashlar::internal {

namespace {

// A table that will have only a few huge pages has no use for them.
constexpr size_t kFewHugePages = 8;

}  // namespace

// What was read of the second slot may be outdated by the time that the
// uppermost is exchanged. Then the count of changes differs, and the exchange
// fails.
ClockSlot* GrowingPart::TakeSlot() {
  constexpr int kCountShift = 32;
  uint64_t upmost = emptied_.Load();
  while (const auto number = static_cast<uint32_t>(upmost)) {
    ClockSlot* const there = SlotAt(number);
    const uint64_t count = (upmost >> kCountShift) + 1;
    if (emptied_.CompareExchange(&upmost,
                                 count << kCountShift | there->empty_below())) {
      static_cast<void>(slot::ClaimEmpty(&there->word));
      return there;
    }
  }
  uint32_t end = end_of_slots_.Load();
  while (end < most_slots_) {
    if (!end_of_slots_.CompareExchange(&end, end + 1)) continue;
    ClockSlot* const there = SlotAt(end);
    static_cast<void>(slot::ClaimEmpty(&there->word));
    return there;
  }
  return nullptr;
}

void GrowingPart::PutBackSlot(ClockSlot* slot) {
  constexpr int kCountShift = 32;
  uint64_t upmost = emptied_.Load();
  uint64_t desired;
  do {
    slot->set_empty_below(static_cast<uint32_t>(upmost));
    desired = ((upmost >> kCountShift) + 1) << kCountShift | NumberOf(slot);
  } while (!emptied_.CompareExchange(&upmost, desired));
}

bool GrowingPart::IsBlank() const {
  for (uint64_t g = 0; g < uint64_t{Segments()} * kGroups; ++g) {
    if (tags_[g].Filled() != 0 || tags_[g].Passed() != 0 ||
        tags_[g].IsFilling()) {
      return false;
    }
  }
  return true;
}

bool GrowingIndex::Reserve(size_t tables, uint32_t slots_of_table) {
  const size_t groups_of_table =
      GrowingPart::SegmentsFor(slots_of_table) * GrowingPart::kGroups;
  if (!memory_of_tags_.Reserve(tables * groups_of_table * sizeof(IndexTags)) ||
      !memory_of_groups_.Reserve(tables * groups_of_table *
                                 sizeof(IndexGroup)) ||
      !memory_of_slots_.Reserve(tables * slots_of_table * sizeof(ClockSlot))) {
    return false;
  }
  if (slots_of_table * sizeof(ClockSlot) >=
      kFewHugePages * port::kHugePageBytes) {
    memory_of_tags_.PreferHugePages();
    memory_of_groups_.PreferHugePages();
    memory_of_slots_.PreferHugePages();
  }
  tables_ = tables;
  slots_of_table_ = slots_of_table;
  auto* const tags = reinterpret_cast<IndexTags*>(memory_of_tags_.data());
  auto* const groups = reinterpret_cast<IndexGroup*>(memory_of_groups_.data());
  slots_ = reinterpret_cast<ClockSlot*>(memory_of_slots_.data());
  parts_.reset(new (std::nothrow) GrowingPart[tables]);
  if (parts_ == nullptr) return false;
  for (size_t i = 0; i < tables; ++i) {
    parts_[i].Take(tags + i * groups_of_table, groups + i * groups_of_table,
                   slots_ + i * slots_of_table, slots_of_table);
  }
  return true;
}

}  // namespace ashlar::internal
