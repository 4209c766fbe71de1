// The protocol of a clock slot: one 64-bit word and the steps on it.
//
// Purpose. Each slot of the clock table is a 64-byte line that holds an entry:
// key, value, operations, charge. Everything that decides who may look at it
// and who may change it is in its word, so that a lookup takes a reference by
// one atomic addition and gives it back by another. Here are the steps;
// clock_table.cc puts them together. They are templates over the word so that
// test/model explores the interleavings of this very code.
//
// Layout, from the low bit: refs 29, occupied 1, shareable 1, visible 1,
// countdown 2, was_hit 1, spread 1, on_probation 1, hits 27. States, by three
// bits:
//
//   empty      000   nobody's; its contents mean nothing
//   owned      100   one thread's, which fills or empties it
//   invisible  110   an entry that lookups must not find (erased, standalone)
//   visible    111   an entry
//
// OR-ing `occupied` into any word takes an empty slot and leaves every other as
// it is. Hits are on top: an overflow leaves the word, and the entry looks a
// little colder than it is. So a hit needs no look at how many there were.
//
// Who may do what.
//   who holds a reference (took it while shareable)  reads the entry
//   the owner                                        reads and writes all of it
//   anyone, at any time                              reads the key's two words,
//                                                    which may be another's by
//                                                    then: a hint
//
// Steps.
//   Take         +ref +hit; a reference if the word before was visible. If it
//                was invisible, or the key turns out another's, the step is
//                taken back (Give). If it was empty or owned there is nothing
//                to take back: the owner ends with a plain store, and an empty
//                slot's counts mean nothing. They must stay few, so slots are
//                tried where a tag tells of an entry, or where the word itself
//                was just seen to be visible.
//   TakeUncounted  the same without the hit, also of invisible entries if that
//                is wanted: for those that walk over the table
//   Give         -ref (-hit). Who lets go of the last reference to an invisible
//                entry tries to own it; so does the sweep.
//   Hide         visible -> invisible, by who holds a reference
//   ClaimEmpty   empty -> owned
//   Publish      owned -> visible or invisible
//   Vacate       owned -> empty
//   Sweep        an unreferenced entry: countdown one down, or at its end, or
//                if it is invisible, -> owned
//   ClaimUnreferenced  the same without regard to the countdown
//   ClaimOnlyRef the reference of the caller, if it is the only one, -> owned
// More of them, for entries on probation, which the sweep passes over, are in
// admission/probation_steps.h. Who comes to own one still sees that bit.
// What becomes of the references to a slot that threads contend for is in
// spread.h. The word of such a one is never unreferenced.
//
// Rare cases. A Take that meets an entry just being given to another key holds
// that other entry for a moment: it cannot be evicted meanwhile, and an Erase
// in that moment leaves its end to whoever Gives last. Two threads that let go
// of an invisible entry, one after the other, may both see the last reference
// go: they compete by compare-exchange, and the one that gets it ends the
// entry. The word they compete with may by then be another entry's: it is equal
// only if that one is invisible and unreferenced too, and so anybody's to end.
// ClaimOnlyRef competes while it still holds its reference, so there the word
// cannot be another's. An entry hidden between Take and the comparison of its
// key counts as found: the lookup came first.
//
// Memory orders. Publish and Vacate store with release: what the owner wrote is
// there for who takes (Take, Sweep, ClaimEmpty acquire; changes in between are
// read-modify-writes, which keep a release sequence). Give releases: what the
// holder read is read before the next owner (Sweep, ClaimUnreferenced,
// ClaimOnlyRef, the last Give: all acquire) writes. Hide needs no order: the
// Give that follows has one. What notices: TSan, in
// test/cache/cache_stress_test.cc, for either pair; on x86-64 a relaxed
// addition is the same instruction, so nothing could see it fail there.
//
// Progress. Take, Give but for the last reference to an invisible entry, Hide,
// ClaimEmpty, Publish, Vacate: one instruction each, so lookups and releases
// are wait-free. Sweep and the last Give try one compare-exchange; ClaimOnlyRef
// a few.
//
// Limits. 2^28 references, three quarters of it while spread: a Take beyond is
// taken back, as a miss; the other 2^28 leave room for those that are about to
// be taken back. Rejected: counters of acquires and releases whose difference
// is the references (both overflow into what is next to them, and must be
// watched for it), comparing the key before the addition (a line that another
// core wrote moves twice), references in a table beside the slots (a line more
// a hit).
//
// Tests: test/model/slot_word_test.cc.
#ifndef ASHLAR_CACHE_CLOCK_SLOT_WORD_H_
#define ASHLAR_CACHE_CLOCK_SLOT_WORD_H_

#include <algorithm>
#include <cstdint>

#include "ashlar/cache/cache_entry.h"

namespace ashlar::internal::slot {

inline constexpr int kRefBits = 29;
inline constexpr uint64_t kRef = 1;
inline constexpr uint64_t kRefsMask = (uint64_t{1} << kRefBits) - 1;
inline constexpr uint64_t kMaxRefs = uint64_t{1} << (kRefBits - 1);
inline constexpr uint64_t kOccupied = uint64_t{1} << kRefBits;
inline constexpr uint64_t kShareable = kOccupied << 1;
inline constexpr uint64_t kVisible = kOccupied << 2;
inline constexpr uint64_t kStateMask = kOccupied | kShareable | kVisible;
inline constexpr int kCountdownShift = kRefBits + 3;
inline constexpr uint64_t kMaxCountdown = 3;
inline constexpr uint64_t kCountdownMask = kMaxCountdown << kCountdownShift;
inline constexpr uint64_t kWasHit = uint64_t{1} << (kCountdownShift + 2);
inline constexpr uint64_t kSpread = kWasHit << 1;
inline constexpr uint64_t kOnProbation = kWasHit << 2;
inline constexpr int kHitsShift = kCountdownShift + 5;
inline constexpr uint64_t kHit = uint64_t{1} << kHitsShift;
// A reference that counts as a use.
inline constexpr uint64_t kTake = kRef + kHit;
inline constexpr uint64_t kEmptyWord = 0;
inline constexpr uint64_t kOwnedWord = kOccupied;

constexpr uint64_t Refs(uint64_t word) { return word & kRefsMask; }
constexpr uint64_t Countdown(uint64_t word) {
  return (word & kCountdownMask) >> kCountdownShift;
}
constexpr uint64_t Hits(uint64_t word) { return word >> kHitsShift; }
constexpr bool IsEmpty(uint64_t word) { return (word & kOccupied) == 0; }
constexpr bool IsShareable(uint64_t word) { return (word & kShareable) != 0; }
constexpr bool IsVisible(uint64_t word) { return (word & kVisible) != 0; }
constexpr bool IsSpread(uint64_t word) { return (word & kSpread) != 0; }
constexpr bool IsOnProbation(uint64_t word) {
  return (word & kOnProbation) != 0;
}
// Of the word before a Take: what it took is a reference, and the only one.
constexpr bool IsSoleHit(uint64_t before) {
  return (before & (kVisible | kRefsMask)) == kVisible;
}
constexpr bool WasHit(uint64_t word) {
  return (word & kWasHit) != 0 || Hits(word) != 0;
}

// Visits of the sweep that an unused entry lives through.
constexpr uint64_t InitialCountdown(CachePriority priority) {
  switch (priority) {
    case CachePriority::kHigh:
      return 3;
    case CachePriority::kLow:
      return 2;
    case CachePriority::kBottom:
      return 1;
  }
  return 1;
}

// How an entry starts that is not on probation.
constexpr uint64_t StartAt(uint64_t countdown) {
  return countdown << kCountdownShift;
}
constexpr uint64_t VisibleWord(uint64_t refs, uint64_t start) {
  return refs | kStateMask | start;
}
constexpr uint64_t VisibleWord(uint64_t refs, CachePriority priority) {
  return VisibleWord(refs, StartAt(InitialCountdown(priority)));
}
constexpr uint64_t InvisibleWord(uint64_t refs) {
  return refs | kOccupied | kShareable;
}

constexpr uint64_t OwnedWordOf(uint64_t word) {
  return kOwnedWord | (word & kOnProbation);
}

// What the sweep makes of an entry that nobody refers to.
constexpr uint64_t SweptWord(uint64_t word) {
  const uint64_t left = std::min(Countdown(word) + Hits(word), kMaxCountdown);
  if (left == 0 || !IsVisible(word)) return OwnedWordOf(word);
  const uint64_t was_hit = WasHit(word) ? kWasHit : 0;
  return (word & kStateMask) | (left - 1) << kCountdownShift | was_hit;
}

enum class Taken : uint8_t { kReference, kTakeBack, kNothing };

// From the word before the addition.
constexpr Taken WhatWasTaken(uint64_t before, uint64_t wanted_state) {
  if (!IsShareable(before)) return Taken::kNothing;
  const bool wanted = (before & wanted_state) != 0 && Refs(before) < kMaxRefs;
  return wanted ? Taken::kReference : Taken::kTakeBack;
}

template <typename Word>
Taken Take(Word* word) {
  return WhatWasTaken(word->FetchAddAcquire(kTake), kVisible);
}

// `wanted_state`: kVisible or kShareable. `before` is the word without it.
template <typename Word>
Taken TakeUncounted(Word* word, uint64_t wanted_state, uint64_t* before) {
  *before = word->FetchAddAcquire(kRef);
  return WhatWasTaken(*before, wanted_state);
}

enum class Given : uint8_t {
  kShared,  // others go on with the entry
  kOwned,   // the caller owns it now, and ends it
};

// `seen`: what an addition or subtraction has left.
template <typename Word>
Given EndIfLast(Word* word, uint64_t seen) {
  if (IsVisible(seen) || Refs(seen) != 0) return Given::kShared;
  return word->CompareExchangeAcquire(&seen, OwnedWordOf(seen))
             ? Given::kOwned
             : Given::kShared;
}

// `units`: kRef, or kTake for a Take that shall not have been.
template <typename Word>
Given Give(Word* word, uint64_t units) {
  const uint64_t before = word->FetchSubRelease(units);
  return EndIfLast(word, before - units);
}

template <typename Word>
void Hide(Word* word) {
  static_cast<void>(word->FetchAndRelaxed(~kVisible));
}

template <typename Word>
bool ClaimEmpty(Word* word) {
  return IsEmpty(word->FetchOrAcquire(kOccupied));
}

template <typename Word>
void Publish(Word* word, uint64_t published) {
  word->StoreRelease(published);
}

template <typename Word>
void Vacate(Word* word) {
  word->StoreRelease(kEmptyWord);
}

enum class Swept : uint8_t {
  kPassed,
  kInUse,
  kIsSpread,
  kIsOnProbation,
  kOwned
};

// `before` is the word that was swept, where the outcome is kOwned.
template <typename Word>
Swept Sweep(Word* word, uint64_t* before) {
  uint64_t seen = word->LoadRelaxed();
  if (!IsShareable(seen)) return Swept::kPassed;
  if (IsSpread(seen)) return Swept::kIsSpread;
  if (IsOnProbation(seen) && IsVisible(seen)) return Swept::kIsOnProbation;
  if (Refs(seen) != 0) return Swept::kInUse;
  const uint64_t swept = SweptWord(seen);
  *before = seen;
  if (!word->CompareExchangeAcquire(&seen, swept)) return Swept::kPassed;
  return IsShareable(swept) ? Swept::kPassed : Swept::kOwned;
}

template <typename Word>
bool ClaimUnreferenced(Word* word) {
  uint64_t seen = word->LoadRelaxed();
  return IsShareable(seen) && Refs(seen) == 0 &&
         word->CompareExchangeAcquire(&seen, OwnedWordOf(seen));
}

// The caller's own reference goes with it. False, and nothing is changed, where
// there are others, or others keep coming and going.
template <typename Word>
bool ClaimOnlyRef(Word* word) {
  constexpr int kTries = 4;
  uint64_t seen = word->LoadRelaxed();
  for (int i = 0; i < kTries && Refs(seen) == 1; ++i) {
    if (word->CompareExchangeAcquire(&seen, OwnedWordOf(seen))) return true;
  }
  return false;
}

}  // namespace ashlar::internal::slot

#endif  // ASHLAR_CACHE_CLOCK_SLOT_WORD_H_
