#include "cache/clock/admission/admission.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace ashlar::internal {

namespace {

constexpr double kStepOfShare = 3;     // entries
constexpr double kRecentPart = 0.05;   // of the table's entries
constexpr double kMarginPart = 0.125;  // the same, of rule 4
constexpr uint64_t kStartInMain = slot::StartAt(0);
constexpr uint64_t kStartOnProbation = slot::kOnProbation | slot::StartAt(0);
// For a table that is being filled, it is known only when it is nearly full how
// many entries it will have. Below this, all new entries go to main.
constexpr double kFilled = 1 - Admission::kFirstShare;
constexpr uint32_t kStepsOfTable = 1024;
constexpr size_t kLine = 64;

size_t RoundUp(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

}  // namespace

size_t Admission::BytesFor(size_t most_entries) {
  return EvictedKeys::BytesFor(most_entries) +
         RoundUp(ProbationFifo::BytesFor(most_entries));
}

Admission::Admission(char* memory, size_t most_entries, ClockSlot* slots)
    : most_entries_(most_entries),
      fifo_(memory + EvictedKeys::BytesFor(most_entries), slots),
      evicted_(memory) {}

// --- Coming in ---------------------------------------------------------------

uint64_t Admission::Admit(ClockSlot* owned, uint64_t hash,
                          CachePriority priority, const Filling& now) {
  misses_.FetchAdd(1);
  if (ClockSlot* const passed = fifo_.MoveCursor()) slot::Cool(&passed->word);
  if (priority == CachePriority::kHigh) {
    return slot::StartAt(slot::InitialCountdown(priority));
  }
  const Return comes_back = ReturnOf(hash, now);
  if (priority != CachePriority::kBottom) {
    if (comes_back == Return::kSoon) {
      return slot::kWasHit | slot::StartAt(slot::InitialCountdown(priority));
    }
    if (static_cast<double>(now.usage) <=
        kFilled * static_cast<double>(now.capacity)) {
      return comes_back == Return::kNone ? kStartInMain
                                         : slot::kWasHit | kStartInMain;
    }
  }
  Fit(now);
  Append(owned);
  return comes_back == Return::kNone ? kStartOnProbation
                                     : slot::kWasHit | kStartOnProbation;
}

void Admission::Append(ClockSlot* owned) {
  bytes_.FetchAdd(owned->charged());
  const ClockSlot* const lost = fifo_.Append(owned);
  if (lost != nullptr) NoteLost(lost);
}

// Counts an entry that is still on probation but that the FIFO has lost.
void Admission::NoteLost(const ClockSlot* lost) {
  if (!slot::IsOnProbation(lost->word.LoadRelaxed())) return;
  lost_.FetchAdd(lost->charged());
  lost_in_rotation_.FetchAdd(lost->charged());
}

// Subtracts an entry that is no longer on probation. `was_lost`: it left it
// otherwise than as the oldest.
void Admission::TakeOff(const ClockSlot* its, bool was_lost) {
  const size_t charged = its->charged();
  bytes_.FetchSub(charged);
  size_t lost = lost_.Load();
  if (!was_lost || lost == 0) return;
  while (!lost_.CompareExchange(&lost, lost - std::min(lost, charged))) {
  }
}

Admission::Return Admission::ReturnOf(uint64_t hash, const Filling& now) {
  const auto found = evicted_.Find(hash);
  if (!found) return Return::kNone;
  const uint32_t step = step_.Load();
  const EvictedKeys::When at = Now(found->was_on_probation);
  const uint32_t evictions =
      (at.of_kind - found->when.of_kind) & EvictedKeys::kOfKindMask;
  const uint32_t misses = (at.miss - found->when.miss) & EvictedKeys::kMissMask;
  const auto recent =
      static_cast<uint32_t>(kRecentPart * static_cast<double>(now.entries));
  if (evictions <= recent >> step) {
    MoveShare(found->was_on_probation ? kStepOfShare : -kStepOfShare, now);
  }
  return IsYoung(misses << step, now) ? Return::kSoon : Return::kLate;
}

bool Admission::IsYoung(uint32_t misses_ago, const Filling& now) const {
  const uint32_t last = last_rotation_.Load();
  if (last == 0) return true;
  const uint32_t longest = std::max(last, misses_.Load() - began_at_.Load());
  const double more =
      (share_.Load() + kMarginPart) * static_cast<double>(now.entries);
  return static_cast<double>(misses_ago) + more <= static_cast<double>(longest);
}

void Admission::MoveShare(double entries, const Filling& now) {
  double seen = share_.Load();
  const double step =
      entries / static_cast<double>(std::max<size_t>(1, now.entries));
  while (!share_.CompareExchange(
      &seen, std::clamp(seen + step, kLeastShare, kMostShare))) {
  }
}

// Sizes the memory for the entries that there would be if the whole capacity
// were used. If all charges are alike, nothing changes once it is set.
void Admission::Fit(const Filling& now) {
  const double bytes = static_cast<double>(std::max<size_t>(1, now.usage));
  const double whole = static_cast<double>(now.entries) *
                       std::max(1.0, static_cast<double>(now.capacity) / bytes);
  const size_t wanted =
      std::min(most_entries_, static_cast<size_t>(std::llround(whole)));
  size_t seen = entries_.Load();
  if (wanted <= seen + seen / 4) return;
  if (!entries_.CompareExchange(&seen, wanted)) return;
  step_.Store(static_cast<uint32_t>(std::bit_width(wanted / kStepsOfTable)));
  evicted_.SetEntries(wanted);
  fifo_.SetEntries(wanted);
  lost_.Store(bytes_.Load());
  lost_in_rotation_.Store(bytes_.Load());
}

// --- Going -------------------------------------------------------------------

ClockSlot* Admission::TakeOldest(bool also_used, uint64_t* before) {
  ClockSlot* const there = fifo_.PopOldest();
  if (there == nullptr) return nullptr;
  switch (slot::Judge(&there->word, also_used, before)) {
    case slot::Judged::kLeft:
      NoteLost(there);
      return nullptr;
    case slot::Judged::kPromoted:
      return PutIntoMain(there, false, before);
    case slot::Judged::kOwned:
      return there;
  }
  return nullptr;
}

ClockSlot* Admission::PassOver(ClockSlot* there, uint64_t* before) {
  if (!fifo_.HasLost(there) || !slot::Promote(&there->word)) return nullptr;
  return PutIntoMain(there, true, before);
}

// Called after slot::Promote. If the entry was erased meanwhile, the caller
// owns it.
ClockSlot* Admission::PutIntoMain(ClockSlot* held, bool was_lost,
                                  uint64_t* before) {
  TakeOff(held, was_lost);
  *before = slot::kStateMask & ~slot::kVisible;
  return slot::Give(&held->word, slot::kRef) == slot::Given::kOwned ? held
                                                                    : nullptr;
}

void Admission::Ended(const ClockSlot* owned, uint64_t hash, bool was_evicted) {
  const bool on_probation = slot::IsOnProbation(owned->word.LoadRelaxed());
  if (on_probation) TakeOff(owned, !was_evicted && fifo_.HasLost(owned));
  if (!was_evicted) return;
  auto& evictions = on_probation ? evictions_of_probation_ : evictions_of_main_;
  evictions.FetchAdd(1);
  evicted_.Remember(hash, on_probation, Now(on_probation));
}

EvictedKeys::When Admission::Now(bool of_probation) const {
  const auto& evictions =
      of_probation ? evictions_of_probation_ : evictions_of_main_;
  const uint32_t step = step_.Load();
  return {misses_.Load() >> step, evictions.Load() >> step};
}

void Admission::SawHand(uint64_t hand, uint64_t positions) {
  uint64_t began = rotation_.Load();
  // Otherwise the thread that saw it is late.
  const auto gone = static_cast<int64_t>(hand - began);
  if (gone < static_cast<int64_t>(positions) ||
      !rotation_.CompareExchange(&began, hand)) {
    return;
  }
  const uint32_t now = misses_.Load();
  last_rotation_.Store(now - began_at_.Load());
  began_at_.Store(now);
  // If the table has grown, the hand has jumped, and has not met all entries.
  const bool has_grown = positions_.Load() != positions;
  positions_.Store(positions);
  if (has_grown) return;
  lost_.Store(std::min(lost_.Load(), lost_in_rotation_.Load()));
  lost_in_rotation_.Store(0);
}

}  // namespace ashlar::internal
