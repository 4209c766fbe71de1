// The protocol of a clock slot: one 64-bit word and the steps on it.
//
// Purpose. Each slot of the clock table is a cache line of 64 bytes that holds
// one entry: key, value, operations, charge. Its word decides which thread may
// look at the entry and which may change it. So a lookup takes a reference by
// one atomic addition, and gives it back by another. This file has the steps,
// and clock_table.cc puts them together. The steps are templates over the word,
// so that test/model explores the interleavings of this very code.
//
// Layout, from the low bit: refs 29, occupied 1, shareable 1, visible 1,
// countdown 2, was_hit 1, spread 1, on_probation 1, coming 1, hits 26. Three
// bits (occupied, shareable, visible) are the state:
//
//   empty      000   nobody owns the slot, and its contents mean nothing
//   owned      100   one thread owns the slot, and fills or empties it
//   invisible  110   an entry that lookups must not find: erased, standalone,
//                    or coming. The bit `coming` is set until every lookup
//                    would find the entry by the index
//   visible    111   an entry
//
// OR-ing `occupied` into any word takes an empty slot, and leaves every other
// slot as it is. Hits are the uppermost bits. So an overflow leaves the word,
// and the entry looks a little less used than it is. That is why a hit need not
// check how many hits there were.
//
// Who may do what.
//   the holder of a reference (taken     reads the entry
//   while the slot was shareable)
//   the owner                            reads and writes the whole slot
//   any thread, at any time              reads the two words of the key, as a
//                                        hint: they may be another key's by
//                                        then
//
// Steps.
//   Take         adds 1 to refs and to hits. This is a reference if the word
//                before was visible. If the word before was invisible, or the
//                key turns out to be another one, the caller takes the step
//                back (Give). If the word before was empty or owned, there is
//                nothing to take back: the owner ends with a plain store, and
//                the counts of an empty slot mean nothing. Such counts must
//                stay small. So a thread tries a slot only if a tag names
//                an entry there, or if it has just seen that the word is
//                visible.
//   TakeUncounted  the same without the hit. The caller may also want invisible
//                entries. For threads that walk over the table.
//   Give         subtracts 1 from refs (and 1 from hits, for a Take that is
//                taken back). A thread that gives back the last reference to
//                an invisible entry tries to own it. So does the sweep.
//   Hide         visible or coming -> invisible, and no longer coming, by the
//                holder of a reference
//   Show         coming -> visible, by the thread that published the entry and
//                still holds a reference, unless the entry was hidden meanwhile
//   ClaimEmpty   empty -> owned
//   Publish      owned -> visible or invisible
//   Vacate       owned -> empty
//   Sweep        takes an unreferenced entry: adds its hits to its countdown,
//                up to 3, and lowers that by 1. If it was 0 already, or the
//                entry is invisible, -> owned
//   ClaimUnreferenced  an unreferenced entry -> owned, whatever its countdown
//   ClaimOnlyRef if the caller's reference is the only one, -> owned
//
// admission/probation_steps.h has more steps, for entries on probation, which
// the sweep passes over. A thread that comes to own such an entry still sees
// that bit. spread.h says what becomes of the references to a slot that threads
// contend for. The word of a spread slot is never unreferenced.
//
// Rare cases.
//
// A Take may meet a slot that is just being given to another key. It then holds
// that other entry for a moment. The entry cannot be evicted meanwhile, and if
// it is erased in that moment, the thread that Gives last destroys it.
//
// Two threads that give back references to an invisible entry, one after the
// other, may both see the last reference go. They compete by compare-exchange,
// and the winner destroys the entry. The word that they compete with may be
// another entry's by then. But it is equal only if that entry is invisible and
// unreferenced too, and then any thread may destroy it. ClaimOnlyRef competes
// while it still holds its reference, so there the word cannot be another
// entry's.
//
// An entry that is hidden between Take and the comparison of its key counts as
// found: the lookup came first.
//
// Memory orders.
//   Publish and Vacate store with release. Take, Sweep and ClaimEmpty acquire.
//   So what the owner wrote is visible to the thread that takes. Changes in
//   between are read-modify-writes, which keep a release sequence.
//   Give releases. Sweep, ClaimUnreferenced, ClaimOnlyRef and the last Give
//   acquire. So what the holder read is read before the next owner writes.
//   Hide needs no order: the Give that follows it has one.
//   Show releases. So who finds the entry sees the index as that thread left
//   it, and so does everybody whom it tells.
// TSan finds a wrong order of either pair, in test/cache/cache_stress_test.cc.
// On x86-64 a relaxed addition is the same instruction, so nothing could see it
// fail there.
//
// Progress. Take, Give (except for the last reference to an invisible entry),
// Hide, ClaimEmpty, Publish and Vacate are one instruction each. So lookups and
// releases are wait-free. Sweep and the last Give try one compare-exchange
// each, ClaimOnlyRef tries a few. Show tries until no other thread takes or
// gives a reference at that moment.
//
// Limits. 2^28 references, or three quarters of that while the slot is spread.
// A Take beyond that is taken back, as a miss. The other 2^28 values leave room
// for references that are about to be taken back, and for those that the lines
// of a spread slot count beside the word: three quarters of 2^28 at most.
//
// Rejected: counters of acquires and releases whose difference is the number of
// references (both overflow into the bits next to them, and must be watched for
// it), comparing the key before the addition (a line that another core wrote
// moves twice), references in a table beside the slots (one more line per hit).
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
inline constexpr uint64_t kComing = kWasHit << 3;
inline constexpr int kHitsShift = kCountdownShift + 6;
inline constexpr uint64_t kHit = uint64_t{1} << kHitsShift;
// A reference that counts as a hit.
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
// From the word before a Take: returns whether the Take got a reference, and
// that one is the only one.
constexpr bool IsSoleHit(uint64_t before) {
  return (before & (kVisible | kRefsMask)) == kVisible;
}
constexpr bool WasHit(uint64_t word) {
  return (word & kWasHit) != 0 || Hits(word) != 0;
}

// The number of visits by the sweep that an unused entry survives.
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

// The start of an entry that is not on probation: see VisibleWord.
constexpr uint64_t StartAt(uint64_t countdown) {
  return countdown << kCountdownShift;
}
// The word of a new visible entry. `start`: from StartAt or Admission::Admit.
constexpr uint64_t VisibleWord(uint64_t refs, uint64_t start) {
  return refs | kStateMask | start;
}
constexpr uint64_t VisibleWord(uint64_t refs, CachePriority priority) {
  return VisibleWord(refs, StartAt(InitialCountdown(priority)));
}
constexpr uint64_t InvisibleWord(uint64_t refs) {
  return refs | kOccupied | kShareable;
}
// The word of a new entry that the publishing thread will Show.
constexpr uint64_t ComingWord(uint64_t refs, uint64_t start) {
  return InvisibleWord(refs) | kComing | start;
}

// The word of a slot that was in state `word` and is owned now.
constexpr uint64_t OwnedWordOf(uint64_t word) {
  return kOwnedWord | (word & kOnProbation);
}

// The word that the sweep makes of an entry that no thread refers to.
constexpr uint64_t SweptWord(uint64_t word) {
  const uint64_t left = std::min(Countdown(word) + Hits(word), kMaxCountdown);
  if (left == 0 || !IsVisible(word)) return OwnedWordOf(word);
  const uint64_t was_hit = WasHit(word) ? kWasHit : 0;
  return (word & kStateMask) | (left - 1) << kCountdownShift | was_hit;
}

enum class Taken : uint8_t { kReference, kTakeBack, kNothing };

// Returns what an addition of one reference took, from the word before it.
// `wanted_state`: kVisible or kShareable.
constexpr Taken WhatWasTaken(uint64_t before, uint64_t wanted_state) {
  if (!IsShareable(before)) return Taken::kNothing;
  const bool wanted = (before & wanted_state) != 0 && Refs(before) < kMaxRefs;
  return wanted ? Taken::kReference : Taken::kTakeBack;
}

template <typename Word>
Taken Take(Word* word) {
  return WhatWasTaken(word->FetchAddAcquire(kTake), kVisible);
}

// `wanted_state`: kVisible or kShareable. Sets *before to the word without this
// reference.
template <typename Word>
Taken TakeUncounted(Word* word, uint64_t wanted_state, uint64_t* before) {
  *before = word->FetchAddAcquire(kRef);
  return WhatWasTaken(*before, wanted_state);
}

enum class Given : uint8_t {
  kShared,  // others go on with the entry
  kOwned,   // the caller owns it now, and ends it
};

// Tries to own an invisible entry without references. `seen`: the word after
// the caller's addition or subtraction.
template <typename Word>
Given EndIfLast(Word* word, uint64_t seen) {
  if (IsVisible(seen) || Refs(seen) != 0) return Given::kShared;
  return word->CompareExchangeAcquire(&seen, OwnedWordOf(seen))
             ? Given::kOwned
             : Given::kShared;
}

// `units`: kRef, or kTake to take back a Take that should not have been.
template <typename Word>
Given Give(Word* word, uint64_t units) {
  const uint64_t before = word->FetchSubRelease(units);
  return EndIfLast(word, before - units);
}

template <typename Word>
void Hide(Word* word) {
  static_cast<void>(word->FetchAndRelaxed(~(kVisible | kComing)));
}

// `given_back`: how many of the caller's references end with that. Returns
// false, and gives none back, if the entry was hidden.
template <typename Word>
bool Show(Word* word, uint64_t given_back) {
  uint64_t seen = word->LoadRelaxed();
  while ((seen & kComing) != 0) {
    const uint64_t shown = (seen & ~kComing) | kVisible;
    if (word->CompareExchangeRelease(&seen, shown - given_back)) return true;
  }
  return false;
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

// Sets *before to the word before it was swept, if the result is kOwned.
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

// Gives up the caller's own reference. Returns false, and changes nothing, if
// there are others, or if others keep coming and going.
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
