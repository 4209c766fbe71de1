// How a clock table makes room: the hand, and probation where there is
// admission.

#include <algorithm>
#include <array>

#include "cache/clock/clock_table.h"

namespace ashlar::internal {

namespace {

// All threads move the hand. So if a sweep takes more than one step, a thread
// claims many positions of the hand at a time. It sweeps them step by step,
// over as many evictions as that takes.
constexpr uint32_t kClaim = 64;

// Positions that a thread has claimed and not swept yet. If the thread ends
// before that, they are swept when the hand comes round again.
struct Claim {
  // The table's id, not its address: another table may get the same address
  // later.
  uint64_t table = 0;
  uint64_t next = 0;
  uint64_t end = 0;
  uint32_t passed_over = 0;  // by other tables, since it was last used
};
thread_local std::array<Claim, 4> claims;
// The number of visits after which an unused entry is evicted.
constexpr uint64_t kMostRounds = slot::kMaxCountdown + 3;

}  // namespace

// Returns the first position of a step. A claim that belongs to another table
// is left alone, so that no position is lost to that table, unless that table
// does not use it for a long time.
template <typename Index>
uint64_t ClockTableOf<Index>::NextToSweep(uint32_t step) {
  constexpr uint32_t kPatience = 1000;
  Claim& claim = claims[number_ % claims.size()];
  if (step == 1) return hand_.FetchAdd(1);
  if (claim.table != id_ && claim.next != claim.end &&
      ++claim.passed_over < kPatience) {
    return hand_.FetchAdd(step);
  }
  if (claim.table != id_ || claim.next == claim.end) {
    const uint64_t first = hand_.FetchAdd(kClaim);
    claim = {id_, first, first + kClaim, 0};
  }
  const uint64_t first = claim.next;
  claim.next += step;
  claim.passed_over = 0;
  return first;
}

// Sweeps until `bytes` and `slots` are freed. Every step is bounded. So is the
// number of steps: by the entries in use that are met for each one evicted, and
// by rounds of the hand.
template <typename Index>
typename ClockTableOf<Index>::Freed ClockTableOf<Index>::Evict(
    size_t bytes, size_t slots, uint64_t effort_cap, Ending* ending) {
  Freed freed{.ending = ending};
  uint64_t in_use = 0;
  uint64_t met = 0;
  // This is most often so because one large standalone entry takes everything.
  if (occupancy_.Load() == 0) return freed;
  const uint64_t positions = part_.positions();
  const uint64_t most_visits = kMostRounds * positions;
  const uint32_t step = part_.sweep_step();
  // Where the hand is if no other thread has moved it since the last step.
  uint64_t next = 0;
  typename Part::HandAt at{};
  for (uint64_t visits = 0; visits < most_visits; visits += step) {
    if (EvictFromProbation(bytes, slots, &freed)) break;
    const uint64_t hand = NextToSweep(step);
    // Not by the position, which may belong to a claim made long ago.
    if (admission_ != nullptr) {
      admission_->SawHand(hand_.Load(), positions);
    }
    if (visits == 0 || hand != next) at = part_.UnderHand(hand);
    next = hand + step;
    auto ahead = at;
    for (uint32_t i = 0; i < step; ++i) part_.Advance(&ahead);
    for (uint32_t i = 0; i < step;
         ++i, part_.Advance(&at), part_.Advance(&ahead)) {
      // Prefetch for the next step.
      part_.Prefetch(ahead);
      ClockSlot* const there = part_.EntryAt(at);
      if (there == nullptr) continue;
      uint64_t before = 0;
      const slot::Swept swept = slot::Sweep(&there->word, &before);
      if (swept == slot::Swept::kIsOnProbation) {
        // It gets into main, so it is nearer to its end.
        if (admission_->HasLost(there)) ++met;
        ClockSlot* const ended = admission_->PassOver(there, &before);
        FreeSwept(ended, before, &freed);
        continue;
      }
      ++met;
      if (swept == slot::Swept::kInUse) ++in_use;
      if (swept == slot::Swept::kIsSpread) Gather(there);
      if (swept == slot::Swept::kOwned) FreeSwept(there, before, &freed);
    }
    if (freed.Is(bytes, slots)) break;
    if (in_use / effort_cap > freed.slots) {
      effort_exceeded_.FetchAdd(1);
      break;
    }
    // In a whole round, no entry came nearer to its end.
    if (visits >= positions && met == in_use) break;
  }
  EvictAllProbation(bytes, slots, &freed);
  return freed;
}

// `owned`: null, or a slot that the caller owns after sweeping or judging it.
// `before`: its word before that.
template <typename Index>
void ClockTableOf<Index>::FreeSwept(ClockSlot* owned, uint64_t before,
                                    Freed* freed) {
  if (owned == nullptr) return;
  const Why why = !slot::IsVisible(before) ? Why::kErased
                  : slot::WasHit(before)   ? Why::kEvictedAfterHit
                                           : Why::kEvicted;
  freed->bytes += Free(owned, why, freed->ending);
  ++freed->slots;
}

// Evicts from probation as long as it is due. Returns true if `bytes` and
// `slots` are freed.
template <typename Index>
bool ClockTableOf<Index>::EvictFromProbation(size_t bytes, size_t slots,
                                             Freed* freed) {
  if (admission_ == nullptr) return false;
  // These are not all of the same moment.
  const size_t outsize = outsize_usage_.Load();
  const size_t standalone =
      std::max(standalone_usage_.Load(), outsize) - outsize;
  const size_t usage = usage_.Load();
  while (!freed->Is(bytes, slots)) {
    const size_t others = standalone + freed->bytes;
    if (!admission_->IsProbationDue(usage - std::min(usage, others))) {
      return false;
    }
    uint64_t before = 0;
    ClockSlot* const oldest = admission_->TakeOldest(false, &before);
    FreeSwept(oldest, before, freed);
  }
  return true;
}

// Evicts from probation what the rest of the table cannot give.
template <typename Index>
void ClockTableOf<Index>::EvictAllProbation(size_t bytes, size_t slots,
                                            Freed* freed) {
  if (admission_ == nullptr) return;
  while (!freed->Is(bytes, slots) && admission_->HasOnProbation()) {
    uint64_t before = 0;
    ClockSlot* const oldest = admission_->TakeOldest(true, &before);
    FreeSwept(oldest, before, freed);
  }
}

template ClockTable::Freed ClockTableOf<ClockIndex>::Evict(size_t, size_t,
                                                           uint64_t, Ending*);
template GrowingTable::Freed ClockTableOf<GrowingIndex>::Evict(size_t, size_t,
                                                               uint64_t,
                                                               Ending*);

}  // namespace ashlar::internal
