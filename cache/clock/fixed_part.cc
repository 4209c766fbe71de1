#include "cache/clock/fixed_part.h"

#include <algorithm>

namespace ashlar::internal {

namespace {

// With a higher load, groups are full so often that entries are far from their
// home groups.
constexpr double kMaxLoad = 0.9;

}  // namespace

// The hand goes over the first slots of all groups, then over their second
// slots, and so on. So the slots that it empties together are in different
// groups, and all groups are about equally full. (If it went slot after slot,
// the groups behind it would be emptier than those before it, and one entry in
// six would find no room at home.)
FixedPart::FixedPart(const ClockIndex* index, size_t table)
    : index_(*index),
      first_group_(table * index_.groups_of_table()),
      slots_(index_.SlotAt(first_group_, 0),
             index_.groups_of_table() * kSlotsPerGroup),
      occupancy_limit_(std::max<size_t>(
          1,
          static_cast<size_t>(static_cast<double>(slots_.size()) * kMaxLoad))),
      sweep_step_(SweepStep(slots_.size())) {}

// Each group that is passed counts the entry before the next one is looked at,
// so that no lookup stops too early once the entry is there.
FixedPart::Place FixedPart::Claim(uint64_t hash) {
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

void FixedPart::TakeBackPassed(uint64_t hash, uint64_t end_group) {
  for (uint64_t group = index_.HomeGroup(hash); group != end_group;
       group = index_.After(group)) {
    index_.GroupAt(group).SubPassed();
  }
}

void FixedPart::Unlink(const ClockSlot* owned, uint64_t hash) {
  const uint64_t index = index_.IndexOf(owned);
  const uint64_t group = index / kSlotsPerGroup;
  index_.GroupAt(group).Clear(static_cast<uint32_t>(index % kSlotsPerGroup),
                              TagGroup::TagOf(hash));
  TakeBackPassed(hash, group);
}

bool FixedPart::IsBlank() const {
  for (uint64_t i = 0; i < index_.groups_of_table(); ++i) {
    const TagGroup& tags = index_.GroupAt(first_group_ + i);
    if (tags.Empty() != tags::kAllSlots || tags.Passed() != 0 ||
        tags.HasSpread()) {
      return false;
    }
  }
  return true;
}

}  // namespace ashlar::internal
