// The steps on the word of a slot whose entry is on probation.
//
// Purpose. With admission (admission.h), an entry that is new to the cache has
// a bit set in its slot's word (slot_word.h). The sweep passes over such
// entries. The entry is evicted, or loses the bit, when it is the oldest that
// has it. Hits know nothing of the bit. The steps are templates over the word,
// like the others, for test/model.
//
// Steps. Each is one compare-exchange, tried a few times at most.
//   Judge    an entry that was not used -> owned; else Promote
//   Promote  takes the bit away and takes a reference. If there are no other
//            references, it also clears the counts (but keeps that the entry
//            was hit)
//   Cool     clears the counts if there are no references. Leaves kWasHit as
//            it is, which is set from the beginning or not at all
//
// Why Promote takes a reference. The charges of entries on probation are
// summed, and the sum must be exact. The thread that takes the bit away
// subtracts the charge from the sum. So it must see the charge of that entry,
// and not of one that came into the same slot later. The word of both may be
// the same. A thread that ends an entry that still has the bit owns the slot,
// and subtracts the charge then.
//
// Why an entry in use keeps its counts. A Take that was a mistake will be taken
// back, with its hit. Subtracted from a count of 0, that would leave the
// largest count.
//
// What can be mixed up. The word may belong to another entry than the one that
// was meant, which was put into the slot meanwhile. That entry is then judged
// early, which is no worse than what a neighbour's hash can do to it.
//
// Memory orders: those of slot_word.h. A thread that comes to own or hold the
// entry acquires. Tests: test/model/slot_word_test.cc.
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

// Returns true if the caller now holds a reference, and took the bit away.
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
  kLeft,      // not there, or being ended, or changing all the time
  kPromoted,  // see Promote
  kOwned,
};

// `also_used`: an entry that was used is owned too, unless it is in use. Sets
// *before to the word that was judged, if the result is kOwned.
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
