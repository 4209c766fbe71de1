// What only a growing table does: it links an entry after it was published, and
// splits segments.

#include "cache/clock/clock_table.h"
#include "port/threads.h"

namespace ashlar::internal {

// The Entries of growing::Split: the entries in the slots that words tell of.
template <>
class ClockTableOf<GrowingIndex>::Entries {
 public:
  explicit Entries(GrowingTable* table)
      : table_(table), part_(table->part_.part()) {}

  uint64_t HashOf(uint32_t number) const {
    return table_->HashOf(part_.SlotAt(number)->key());
  }
  // If there are too many references, one more is still a reference until it is
  // given back.
  bool Hold(uint32_t number) {
    uint64_t before;
    return slot::TakeUncounted(&part_.SlotAt(number)->word, slot::kShareable,
                               &before) != slot::Taken::kNothing;
  }
  void Hide(uint32_t number) {
    ClockSlot* const held = part_.SlotAt(number);
    table_->table_full_count_.FetchAdd(1);
    slot::Hide(&held->word);
    if (slot::IsSpread(held->word.LoadRelaxed())) table_->Gather(held);
  }
  void LetGo(uint32_t number) {
    table_->GiveBack(part_.SlotAt(number), slot::kRef);
  }
  void Prefetch(uint64_t group) const {
    for (uint32_t left = part_.Filled(group); left != 0; left &= left - 1) {
      const uint32_t word = part_.Word(group, GrowingIndex::LowestOf(left));
      __builtin_prefetch(part_.SlotAt(growing::NumberOf(word)), 1);
    }
  }

 private:
  GrowingTable* const table_;
  GrowingPart& part_;
};

// Returns false if another thread is splitting. One more segment makes room for
// hundreds of entries. So a thread that inserts one entry need not do more,
// unless others were stopped while they split.
template <>
bool ClockTableOf<GrowingIndex>::GrowAsNeeded() {
  constexpr int kMostAtOnce = 2;
  GrowingPart& part = part_.part();
  for (int i = 0; i < kMostAtOnce && part.WantsToGrow(occupancy()); ++i) {
    if (!part.ClaimSplit()) return false;
    Entries entries(this);
    if (part.WantsToGrow(occupancy())) growing::Split(&part, &entries);
    part.EndSplit();
  }
  return true;
}

namespace {

// Waits, for the i-th time.
void WaitForOthers(int i) {
  constexpr int kYields = 100;
  if (i < kYields) {
    port::YieldThread();
  } else {
    port::NapThread();
  }
}

}  // namespace

// The entry is held until it is linked, and visible only then: see
// growing_steps.h.
//
// If there is no place because growth is behind, its thread was stopped. The
// others then let that thread run: it needs a processor, which yields alone may
// not give it. A segment counts from when it begins to be filled. So growth
// that is no longer behind may still be about to make places. When it is seen
// to have ended, it has made them since the last look.
//
// Before all that, a thread that comes while growth is far behind waits too: a
// split that was stopped needs room for what it has yet to move.
template <>
void ClockTableOf<GrowingIndex>::Publish(const Place& place, uint64_t hash,
                                         uint64_t start, bool is_held) {
  constexpr int kPatience = 1000;
  GrowingPart& part = part_.part();
  for (int i = 0; i < kPatience && part.IsFarBehind(occupancy()); ++i) {
    if (!GrowAsNeeded()) WaitForOthers(i);
  }
  const uint32_t number = part.NumberOf(place.slot);
  slot::Publish(&place.slot->word, slot::ComingWord(1, start));
  bool linked = growing::Link(&part, hash, number);
  bool may_get_room = true;
  for (int i = 0; !linked && may_get_room && i < kPatience; ++i) {
    const bool is_behind = part.WantsToGrow(occupancy());
    may_get_room = is_behind || part.IsSplitting();
    if (may_get_room && !(is_behind && GrowAsNeeded())) WaitForOthers(i);
    linked = growing::Link(&part, hash, number);
  }
  if (!linked) {
    slot::Hide(&place.slot->word);
    table_full_count_.FetchAdd(1);
  }
  if (!slot::Show(&place.slot->word, is_held ? 0 : slot::kRef) && !is_held) {
    GiveBack(place.slot, slot::kRef);
  }
  static_cast<void>(GrowAsNeeded());
}

}  // namespace ashlar::internal
