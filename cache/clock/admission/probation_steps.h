// The steps on the word of a slot whose entry is on probation.
//
// Purpose. With admission (admission.h) an entry that is new to the cache has a
// bit set in its slot's word (slot_word.h), which the sweep passes over: it
// goes, or has the bit taken away, when it is the oldest of those that have it.
// Hits know nothing of the bit. Templates over the word, like the others, for
// test/model.
//
// Steps, each of them one compare-exchange, tried a few times at most.
//   Judge    one that nobody has used -> owned; else Promote
//   Promote  takes the bit away, what was counted too if nobody refers to it
//            (that it was hit stays), and takes a reference
//   Cool     what was counted -> none, if nobody refers to it; kWasHit, which
//            is there from the beginning or not at all, stays
//
// Why Promote takes a reference. Charges of entries on probation are summed,
// and the sum must be exact. Who takes the bit away takes the charge from the
// sum, and so must see the charge of that entry and not of one that came after
// it into the same slot; the word of both may be the same. Who ends an entry
// that still has the bit owns it, and does it then.
//
// Why what is in use keeps its counts. A Take that was a mistake is going to be
// taken back, with its hit; from a count of 0 that would leave the most.
//
// What can be mixed up. The word may be another entry's than the one that was
// meant, put into the slot meanwhile: then that is judged early, which is no
// worse than what a neighbour's hash can do to it.
//
// Memory orders: those of slot_word.h; who comes to own or hold the entry
// acquires. Tests: test/model/slot_word_test.cc.
#ifndef ASHLAR_CACHE_CLOCK_ADMISSION_PROBATION_STEPS_H_
#define ASHLAR_CACHE_CLOCK_ADMISSION_PROBATION_STEPS_H_

#include <cstdint>

#include "cache/clock/slot_word.h"

namespace ashlar::internal::slot {

inline constexpr int kTriesOnProbation = 4;

constexpr bool WasUsed(uint64_t word) {
  return Countdown(word) + Hits(word) != 0;
}

constexpr uint64_t CooledWord(uint64_t word) {
  return word & (kStateMask | kOnProbation | kWasHit);
}
constexpr uint64_t PromotedWord(uint64_t word) {
  if (Refs(word) != 0) return word & ~kOnProbation;
  return (word & kStateMask) | (WasHit(word) ? kWasHit : 0);
}

// True: the caller holds a reference, and nobody else has taken this bit away.
template <typename Word>
bool Promote(Word* word) {
  uint64_t seen = word->LoadRelaxed();
  for (int i = 0; i < kTriesOnProbation; ++i) {
    if (!IsOnProbation(seen) || !IsVisible(seen)) return false;
    if (word->CompareExchangeAcquire(&seen, PromotedWord(seen) + kRef)) {
      return true;
    }
  }
  return false;
}

enum class Judged : uint8_t {
  kLeft,      // it is not there, or is being ended, or changes all the time
  kPromoted,  // see Promote
  kOwned,
};

// `also_used`: one that was used is owned too, unless it is in use. `before` is
// the word that was judged, where the outcome is kOwned.
template <typename Word>
Judged Judge(Word* word, bool also_used, uint64_t* before) {
  uint64_t seen = word->LoadRelaxed();
  for (int i = 0; i < kTriesOnProbation; ++i) {
    if (!IsShareable(seen) || !IsOnProbation(seen)) return Judged::kLeft;
    const bool stays = IsVisible(seen) && WasUsed(seen) && !also_used;
    if (Refs(seen) != 0 || stays) {
      return Promote(word) ? Judged::kPromoted : Judged::kLeft;
    }
    *before = seen;
    if (word->CompareExchangeAcquire(&seen, OwnedWordOf(seen))) {
      return Judged::kOwned;
    }
  }
  return Judged::kLeft;
}

template <typename Word>
void Cool(Word* word) {
  uint64_t seen = word->LoadRelaxed();
  if (!IsOnProbation(seen) || !IsVisible(seen)) return;
  if (Refs(seen) != 0 || !WasUsed(seen)) return;
  static_cast<void>(word->CompareExchangeAcquire(&seen, CooledWord(seen)));
}

}  // namespace ashlar::internal::slot

#endif  // ASHLAR_CACHE_CLOCK_ADMISSION_PROBATION_STEPS_H_
