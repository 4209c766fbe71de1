// GrowingIndex: finds the slot of a key in a cache that sizes itself.
//
// Each table has a part: its slots, which are handed out one after the other
// and never move, and its index, which grows by segments (growing_steps.h has
// the protocol, index_group.h one line of it). Both are in address space that
// is reserved for the most that there can be, and that becomes memory as it is
// used. Used by ClockCacheOf and ClockTableOf. Thread-safe, except for Reserve.
#ifndef ASHLAR_CACHE_CLOCK_GROWING_INDEX_H_
#define ASHLAR_CACHE_CLOCK_GROWING_INDEX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "ashlar/cache/hash/key_hash.h"
#include "cache/clock/clock_slot.h"
#include "cache/clock/growing_steps.h"
#include "cache/clock/index_group.h"
#include "port/reserved_memory.h"
#include "util/sync/atomic.h"
#include "util/sync/one_order_atomic.h"

namespace ashlar::internal {

// One table's part of the index: its groups and slots, and how many of them are
// in use. It is the Space of growing_steps.h, except for the entries
// themselves.
class GrowingPart {
 public:
  static constexpr uint32_t kGroups = 32;  // per segment
  static constexpr int kGroupShift = 8;    // the bits below are the tag
  static constexpr uint32_t kWordsOfSegment = kGroups * kWordsOfGroup;
  // Entries per segment, on average, above which there will be one more
  // segment. A segment that has not been split since the number doubled has up
  // to twice as many: 358 of 448 words, so that one in a million is full.
  static constexpr double kMostLoad = 0.40;
  static constexpr size_t kEntriesOfSegment =
      static_cast<size_t>(kWordsOfSegment * kMostLoad);
  static constexpr double kIndexBytesOfEntry =
      1.0 * kGroups * (sizeof(IndexGroup) + sizeof(IndexTags)) /
      kEntriesOfSegment;

  static constexpr uint32_t SegmentBits(uint64_t hash) {
    return GroupBits(hash) / kGroups;
  }
  // The bits below those of the segment: so both together are the home group.
  static constexpr uint32_t HomeInSegment(uint64_t hash) {
    return GroupBits(hash) % kGroups;
  }
  static constexpr uint8_t TagOf(uint64_t hash) {
    return IndexTags::TagOf(hash);
  }
  static constexpr size_t SegmentsFor(size_t slots) {
    return slots / kEntriesOfSegment + 1;
  }

  // Memory for `most_slots` slots, and for the groups of
  // SegmentsFor(most_slots) segments, all zeros.
  void Take(IndexTags* tags, IndexGroup* groups, ClockSlot* slots,
            uint32_t most_slots) {
    tags_ = tags;
    groups_ = groups;
    slots_ = slots;
    most_slots_ = most_slots;
    most_segments_ = static_cast<uint32_t>(SegmentsFor(most_slots));
  }

  // --- The hot path of lookups
  // Returns the home group in the segment that growing::SegmentNow returns.
  uint64_t HomeGroup(uint64_t hash) const {
    const uint64_t now = segments_.Load();
    const auto mask = static_cast<uint32_t>(now >> 32);
    uint64_t group = GroupBits(hash) & mask;
    uint64_t of_parent = GroupBits(hash) & mask >> 1;
    // Must not become a branch, which would be mispredicted as often as not.
    // The compiler makes none if both values are at hand already.
    asm volatile("" : "+r"(group), "+r"(of_parent));
    return group < static_cast<uint32_t>(now) ? group : of_parent;
  }
  const IndexTags& TagsAt(uint64_t group) const { return tags_[group]; }
  const IndexGroup& GroupAt(uint64_t group) const { return groups_[group]; }
  ClockSlot* SlotAt(uint32_t number) const { return slots_ + number; }
  // Returns the slot of a word: the word without its low bits is the slot's
  // offset in bytes.
  ClockSlot* SlotOf(uint32_t word) const {
    static_assert(sizeof(ClockSlot) == size_t{1} << growing::kNumberShift);
    constexpr uint32_t kBelow = sizeof(ClockSlot) - 1;
    return reinterpret_cast<ClockSlot*>(reinterpret_cast<char*>(slots_) +
                                        (word & ~kBelow));
  }

  // --- As a space of growing_steps.h
  uint32_t Segments() const {
    return static_cast<uint32_t>(segments_.Load()) / kGroups;
  }
  void SetSegments(uint32_t n) { segments_.Exchange(Packed(n)); }
  uint32_t Matches(uint64_t group, uint8_t tag) const {
    return tags_[group].Matches(tag);
  }
  uint32_t Empty(uint64_t group) const { return tags_[group].Empty(); }
  uint32_t Filled(uint64_t group) const { return tags_[group].Filled(); }
  uint32_t Word(uint64_t group, uint32_t i) const {
    return groups_[group].Word(i);
  }
  bool Change(uint64_t group, uint32_t i, uint32_t seen, uint32_t desired) {
    return groups_[group].Change(i, seen, desired);
  }
  void Put(uint64_t group, uint32_t i, uint32_t word) {
    IndexGroup& its = groups_[group];
    if (word == growing::kNoWord && its.MayBeSpread(i)) its.ClearSpread(i);
    its.Put(i, word);
  }
  void Show(uint64_t group, uint32_t i, uint8_t tag) {
    tags_[group].Show(i, tag);
  }
  void Unshow(uint64_t group, uint32_t i, uint8_t tag) {
    tags_[group].Unshow(i, tag);
  }
  uint32_t Passed(uint64_t group) const { return tags_[group].Passed(); }
  void AddPassed(uint64_t group) { tags_[group].AddPassed(); }
  void SubPassed(uint64_t group) { tags_[group].SubPassed(); }
  bool IsFilling(uint64_t group) const { return tags_[group].IsFilling(); }
  void SetFilling(uint64_t group) {
    groups_[group].SetFilling();
    tags_[group].SetFilling();
  }
  void ClearFilling(uint64_t group) {
    tags_[group].ClearFilling();
    groups_[group].ClearFilling();
  }
  void SpreadToo(const growing::Position& at, const growing::Position& to) {
    if (groups_[at.group].MayBeSpread(at.i)) groups_[to.group].SetSpread(to.i);
  }

  // Mark the word of an entry as perhaps spread, or as not. The caller holds
  // the entry.
  void SetSpread(uint64_t hash, uint32_t number) {
    growing::Position at;
    if (growing::Locate(this, hash, number, &at)) {
      groups_[at.group].SetSpread(at.i);
    }
  }
  void ClearSpread(uint64_t hash, uint32_t number) {
    growing::Position at;
    if (growing::Locate(this, hash, number, &at)) {
      groups_[at.group].ClearSpread(at.i);
    }
  }

  // --- Slots
  uint32_t NumberOf(const ClockSlot* slot) const {
    return static_cast<uint32_t>(slot - slots_);
  }
  // Slots have numbers from 1. Those below this one were in use at some time.
  uint32_t end_of_slots() const { return end_of_slots_.Load(); }
  uint32_t most_slots() const { return most_slots_; }
  // Returns an empty slot that the caller owns now. Returns null if there is
  // none left.
  ClockSlot* TakeSlot();
  // Gives an empty slot back.
  void PutBackSlot(ClockSlot* slot);

  // --- Growth
  bool WantsToGrow(size_t entries) const {
    const size_t segments = Segments();
    return entries > segments * kEntriesOfSegment && segments < most_segments_;
  }
  // Returns whether growth is so far behind that what a split moves might find
  // its new segment full: the splitting thread was stopped, and others
  // continued to insert.
  bool IsFarBehind(size_t entries) const {
    const size_t expected = Segments() * kEntriesOfSegment;
    return entries > expected + expected / 10 + kEntriesOfSegment / 4 &&
           WantsToGrow(entries);
  }
  // Claims the right to split. Returns false if another thread has it, or,
  // rarely, for no reason.
  bool ClaimSplit() {
    uint32_t nobody = 0;
    return splitting_.Load() == 0 && splitting_.CompareExchange(&nobody, 1);
  }
  void EndSplit() { splitting_.Store(0); }
  // If it returns false, what the last split moved is visible.
  bool IsSplitting() const { return splitting_.Load() != 0; }

  // Returns the number of entries that there is room for without more segments.
  size_t room() const {
    return std::min<size_t>(Segments() * kEntriesOfSegment, most_slots_ - 1);
  }
  size_t bytes() const {
    return end_of_slots() * sizeof(ClockSlot) +
           size_t{Segments()} * kGroups *
               (sizeof(IndexGroup) + sizeof(IndexTags));
  }
  // Returns whether no word, count or mark is left.
  bool IsBlank() const;

 private:
  static constexpr uint32_t GroupBits(uint64_t hash) {
    return static_cast<uint32_t>(hash >> kGroupShift);
  }
  // The number of groups, and above it the bits of a hash that choose one.
  static constexpr uint64_t Packed(uint32_t segments) {
    return uint64_t{std::bit_ceil(segments) * kGroups - 1} << 32 |
           segments * kGroups;
  }

  // Lookups read these. Only growth changes them.
  alignas(64) OneOrderAtomic<uint64_t> segments_{Packed(1)};
  IndexTags* tags_ = nullptr;
  IndexGroup* groups_ = nullptr;
  ClockSlot* slots_ = nullptr;
  uint32_t most_slots_ = 0;
  uint32_t most_segments_ = 0;
  // The stack of slots that were emptied: the number of the uppermost one, and
  // above it how often that has changed.
  alignas(64) OneOrderAtomic<uint64_t> emptied_{0};
  RelaxedAtomic<uint32_t> end_of_slots_{1};
  AcqRelAtomic<uint32_t> splitting_{0};
};

class GrowingIndex {
 public:
  static constexpr bool kGrows = true;

  // Returns false if there is no memory. `slots_of_table`: the most that a
  // table can have.
  [[nodiscard]] bool Reserve(size_t tables, uint32_t slots_of_table);

  size_t TableOf(uint64_t hash) const { return ScaleHash(hash, tables_); }
  size_t TableOfSlot(const ClockSlot* slot) const {
    return IndexOf(slot) / slots_of_table_;
  }
  GrowingPart& PartAt(size_t table) const { return parts_[table]; }
  // Most caches have one table. Its state can be loaded while the hash is
  // computed.
  GrowingPart& PartOf(uint64_t hash) const {
    if (tables_ == 1) [[likely]]
      return parts_[0];
    return parts_[TableOf(hash)];
  }

  uint64_t IndexOf(const ClockSlot* slot) const {
    return static_cast<uint64_t>(slot - slots_);
  }
  bool Contains(const ClockSlot* slot) const {
    return slot >= slots_ && IndexOf(slot) < slot_count();
  }
  ClockSlot* slots() const { return slots_; }
  // The number of slots that there can be. Those that were never used are
  // empty.
  size_t slot_count() const { return tables_ * slots_of_table_; }
  size_t room() const {
    size_t sum = 0;
    for (size_t i = 0; i < tables_; ++i) sum += parts_[i].room();
    return sum;
  }
  size_t bytes() const {
    size_t sum = 0;
    for (size_t i = 0; i < tables_; ++i) sum += parts_[i].bytes();
    return sum;
  }

  // See growing::Find.
  template <typename Take>
  ClockSlot* Find(uint64_t hash, const Take& take) const {
    GrowingPart& part = PartOf(hash);
    const uint32_t found = growing::Find(&part, hash, [&](uint32_t number) {
      return take(part.SlotAt(number));
    });
    return found == growing::kNoSlot ? nullptr : part.SlotAt(found);
  }

  // These two make a later Find wait less: first PrefetchTags for each key,
  // then Likely.
  void PrefetchTags(uint64_t hash) const {
    const GrowingPart& part = PartOf(hash);
    const uint64_t home = part.HomeGroup(hash);
    __builtin_prefetch(&part.TagsAt(home));
    __builtin_prefetch(&part.GroupAt(home));
  }
  // Returns where Find will most often find the entry: by the first word in the
  // home group whose tag matches. The line of that word arrives while the tags
  // are compared. The word may be gone by the time it is read.
  LikelySlot Likely(uint64_t hash) const {
    const GrowingPart& part = PartOf(hash);
    const uint64_t home = part.HomeGroup(hash);
    const IndexGroup& group = part.GroupAt(home);
    __builtin_prefetch(&group);
    const uint32_t all = part.TagsAt(home).Matches(IndexTags::TagOf(hash));
    if (all == 0) return {};
    const uint32_t word = group.Word(LowestOf(all));
    if (word == growing::kNoWord) return {};
    return {part.SlotOf(word), group.IsUnusual()};
  }
  // For a thread that is about to insert an entry.
  void PrefetchEmpty(uint64_t hash) const {
    const GrowingPart& part = PartOf(hash);
    const uint64_t home = part.HomeGroup(hash);
    __builtin_prefetch(&part.TagsAt(home), 1);
    __builtin_prefetch(&part.GroupAt(home), 1);
  }

  static uint32_t LowestOf(uint32_t mask) {
    return static_cast<uint32_t>(__builtin_ctz(mask));
  }

 private:
  ClockSlot* slots_ = nullptr;
  size_t tables_ = 1;
  size_t slots_of_table_ = 1;
  std::unique_ptr<GrowingPart[]> parts_;
  port::ReservedMemory memory_of_tags_;
  port::ReservedMemory memory_of_groups_;
  port::ReservedMemory memory_of_slots_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_GROWING_INDEX_H_
