// The protocol of an index that grows while it is used.
//
// Purpose. A growing table keeps entries in slots that never move
// (slot_word.h), so handles and slot hints stay valid when the table grows.
// What grows is the index: words that map the hash of a key to the slot to try.
// Such a word is a hint. A thread that follows it takes a reference and
// compares the key, as in the fixed table. So words may be late, or double for
// a moment. But they must never be missing. This file has the steps, as
// templates over what they work on, so that test/model explores the
// interleavings of this very code.
//
// What there is. The index has segments of a few groups, and a group has a few
// words. A hash determines its segment (given the number of segments), its home
// group there, and a tag. A word is in its home group or, if that was full, in
// a later group of the same segment. Each group that was passed counts the
// word. A word, from the low bit: busy 1, nothing 5, number of the slot 26. 0
// means no word. Lookups find a word by its tag, which is shown elsewhere (one
// byte, 0: none). The tag is shown after the word is put there, and is unshown
// before the word is taken out. So a tag always belongs to the word beside it,
// and a thread that shows a tag finds none there. Below, a "placed" word is one
// whose tag is shown.
//
// Growth is linear hashing, one segment at a time. The number of segments goes
// from n to n + 1. Segment n takes over words from its parent, which is the
// number n without its uppermost bit: the words whose hashes have that bit. So
// growth costs an insert a few hundred words now and then, and costs lookups
// nothing.
//
// Who may do what.
//   any thread, at any time     reads words
//   the holder of a reference   places the word of that entry, once, when the
//   to an entry                 entry is inserted; or makes the word busy,
//                               moves it, frees it
//   the thread that made a      is the only one that changes it
//   word busy
//   the owner of a slot         takes its word out. The word cannot be busy:
//                               the thread that made it so would hold a
//                               reference, and no thread could own the slot
//   one thread per table at     splits
//   a time
//
// Steps.
//   Find      looks in the segment of the hash. While that segment is being
//             filled, Find looks in its parent first. If it found nothing, and
//             the hash has another segment by now, it looks there again
//   Link      places the word of an entry that is published, held and coming
//             (slot_word.h): lookups do not find it yet. If the hash no longer
//             has that segment then, it does Rehome. Only then may the entry
//             be shown
//   Rehome    makes the word busy (a thread that fails to do so leaves the work
//             to the thread that did). Places a second word, busy too, where it
//             belongs, and frees the first. Makes the second one not busy, and
//             looks at the segment again
//   Split     marks the new segment as being filled, and counts it. For every
//             word of the parent that belongs to the new segment and nowhere
//             else, it holds the entry and does Rehome. Then marks the segment
//             as filled
//   Unlink    by the owner: looks in the segment, then in its ancestors
//
// Why no lookup that began after an insert misses the entry.
//   (1) A word is placed at its new position before it is freed at the old one,
//       and Find looks at the parent first. So it sees one or the other.
//   (2) A segment is marked as filled only when its parent has no word left
//       of an entry whose insert has ended. Split has gone over all words.
//       Those that it did not meet were placed after it looked. The thread
//       that placed such a word looks at the number of segments afterwards,
//       and sees the new one: place - look against count - look, in one order
//       of all.
//   (3) A lookup may come to a segment by an old number, and find it already
//       emptied. It sees the new number when it looks again, because that was
//       there before anything was moved.
//   (4) Split leaves out words that are busy, and words whose entry is owned.
//       A busy word is being moved by the thread that inserts the entry, which
//       looks again when it is done. An owned entry is about to be taken out:
//       an entry is published before its word is placed.
//   (5) Split also leaves out words that belong to an earlier child of the
//       parent. That child is filled, so its lookups do not look at the
//       parent. Such a word belongs to an insert that has not looked again
//       yet. If Split moved it, the insert would end while the word is in
//       neither segment.
//
// Why a lookup that began after another one found the entry does not miss it,
// even if the insert has not ended. Until Link has ended, the word may be where
// only lookups that know an old number of segments look. So the entry becomes
// visible after Link. A Split that finds no place for its word hides it,
// visible or not. Then its insert cannot show it.
//
// Why nothing is left behind. A word is there only while its entry is: the slot
// is owned before the word is taken out, and emptied after. A thread that moves
// the word holds a reference, so no thread owns the slot. A word that is made
// busy while its entry is held belongs to that entry, not to a later one in the
// same slot. Only the thread that inserts an entry (until its insert has ended)
// and Split move words. That is two at most, and one of them fails to make the
// word busy.
//
// Memory orders. All operations here are in one order that all threads agree on
// (OneOrderAtomic), except for the groups that a hit reads, which are hints.
//
// Which words with its tag a lookup tries, and whether it finds the slot by the
// index at all, is not part of the protocol: a reference to a slot that holds
// the key is a hit. (A caller's slot hint is tried first, without a look at the
// index.) Only a miss needs all of Find.
//
// Progress. Find goes on to another segment only if the hash has got a new one,
// at most once for each doubling that the table can ever do. So lookups are
// wait-free. So is Rehome. Place tries each word of a segment once. Split is
// bounded by the words of a segment. Lookups wait for no thread. A thread that
// is stopped while it splits keeps the table from growing. Inserts continue
// until they find no place, or until what is yet to be moved might find none
// (GrowingPart::IsFarBehind). Then they wait for that thread, for a second at
// most.
//
// Limits. 2^26 slots per table. If a segment is full, and growth is not behind
// or does not end within that second, an entry has no place. It is then never
// shown, or hidden, as if it were erased. GrowingPart::kMostLoad says how often
// that happens.
//
// Rejected: entries that are visible before Link (one thread finds the entry,
// and the next one misses it), moving entries (handles are addresses, and a
// moved entry needs a second life of its slot), chains through the slots
// (lookups wait for one line after the other), one directory entry per segment
// (one more load per hit), a version that lookups check (they would wait for
// the thread that moves).
//
// Tests: test/model/growing_test.cc.
#ifndef ASHLAR_CACHE_CLOCK_GROWING_STEPS_H_
#define ASHLAR_CACHE_CLOCK_GROWING_STEPS_H_

#include <bit>
#include <cstdint>

namespace ashlar::internal::growing {

inline constexpr uint32_t kBusy = 1;
inline constexpr int kNumberShift = 6;
inline constexpr uint32_t kMostSlotsOfTable = uint32_t{1}
                                              << (32 - kNumberShift);
inline constexpr uint32_t kNoWord = 0;
inline constexpr uint32_t kNoSlot = 0;  // the number of no entry's slot

constexpr uint32_t WordOf(uint32_t number) { return number << kNumberShift; }
constexpr uint32_t NumberOf(uint32_t word) { return word >> kNumberShift; }
constexpr bool IsBusy(uint32_t word) { return (word & kBusy) != 0; }

// Returns the segment of a hash. `bits`: the bits of the hash that choose it.
constexpr uint32_t SegmentOf(uint32_t bits, uint32_t segments) {
  const uint32_t mask = std::bit_ceil(segments) - 1;
  const uint32_t segment = bits & mask;
  return segment < segments ? segment : segment & (mask >> 1);
}
// Returns the parent of any segment but the first.
constexpr uint32_t ParentOf(uint32_t segment) {
  return segment ^ std::bit_floor(segment);
}

struct Position {
  uint32_t segment = 0;
  uint64_t group = 0;  // among all groups of the table
  uint32_t i = 0;      // among the words of the group
};

template <typename Space>
uint32_t SegmentNow(Space* space, uint64_t hash) {
  return SegmentOf(Space::SegmentBits(hash), space->Segments());
}

// Walks over the groups of a segment that may have a hash's word, from its home
// group on.
template <typename Space>
class Walk {
 public:
  Walk(uint32_t segment, uint64_t hash)
      : first_(uint64_t{segment} * Space::kGroups),
        at_(Space::HomeInSegment(hash)) {}
  uint64_t group() const { return first_ + at_; }
  bool IsLast() const { return passed_ == Space::kGroups - 1; }
  void Next() {
    ++passed_;
    at_ = at_ + 1 == Space::kGroups ? 0 : at_ + 1;
  }

 private:
  const uint64_t first_;
  uint32_t at_;
  uint32_t passed_ = 0;
};

template <typename Space>
void TakeBackPassed(Space* space, uint32_t segment, uint64_t hash,
                    uint64_t end_group) {
  for (Walk<Space> at(segment, hash); at.group() != end_group; at.Next()) {
    space->SubPassed(at.group());
  }
}

// Returns the first word with the hash's tag in the segment for which
// want(position, word) returns true. Returns kNoWord if there is none.
template <typename Space, typename Want>
uint32_t FindIn(Space* space, uint32_t segment, uint64_t hash,
                const Want& want) {
  const uint8_t tag = Space::TagOf(hash);
  for (Walk<Space> at(segment, hash);; at.Next()) {
    for (uint32_t left = space->Matches(at.group(), tag); left != 0;
         left &= left - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(left));
      const uint32_t word = space->Word(at.group(), i);
      if (word == kNoWord) continue;
      if (want(Position{segment, at.group(), i}, word)) return word;
    }
    if (at.IsLast() || space->Passed(at.group()) == 0) return kNoWord;
  }
}

// Returns the number of the first slot for which take(number) returns true.
// Returns kNoSlot if there is none.
template <typename Space, typename Take>
uint32_t Find(Space* space, uint64_t hash, const Take& take) {
  const auto want = [&take](const Position&, uint32_t word) {
    return take(NumberOf(word));
  };
  uint32_t segment = SegmentNow(space, hash);
  for (;;) {
    uint32_t found = kNoWord;
    if (space->IsFilling(Walk<Space>(segment, hash).group())) {
      found = FindIn(space, ParentOf(segment), hash, want);
    }
    if (found == kNoWord) found = FindIn(space, segment, hash, want);
    if (found != kNoWord) return NumberOf(found);
    const uint32_t now = SegmentNow(space, hash);
    if (now == segment) return kNoSlot;
    segment = now;
  }
}

// Puts the word into the first empty position of the segment and sets *place.
// Returns false if the segment is full. Each group that is passed counts the
// word before the next one is looked at, so that no lookup stops too early once
// the word is there.
template <typename Space>
bool Place(Space* space, uint32_t segment, uint64_t hash, uint32_t word,
           Position* place) {
  for (Walk<Space> at(segment, hash);; at.Next()) {
    for (uint32_t left = space->Empty(at.group()); left != 0;
         left &= left - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(left));
      if (space->Change(at.group(), i, kNoWord, word)) {
        space->Show(at.group(), i, Space::TagOf(hash));
        *place = {segment, at.group(), i};
        return true;
      }
    }
    if (at.IsLast()) {
      TakeBackPassed(space, segment, hash, at.group());
      return false;
    }
    space->AddPassed(at.group());
  }
}

// Takes a word out. For the only thread that may change it.
template <typename Space>
void TakeOut(Space* space, const Position& at, uint64_t hash) {
  space->Unshow(at.group, at.i, Space::TagOf(hash));
  space->Put(at.group, at.i, kNoWord);
  TakeBackPassed(space, at.segment, hash, at.group);
}

// Moves the word at `at` to where it belongs. For a holder of the entry.
// Returns false if there was no place for it: the entry then has no word any
// more. Returns true if the word is where it belongs, or if another thread is
// moving it there.
template <typename Space>
bool Rehome(Space* space, Position at, uint32_t word, uint64_t hash) {
  while (space->Change(at.group, at.i, word, word | kBusy)) {
    const uint32_t target = SegmentNow(space, hash);
    if (target != at.segment) {
      Position to;
      const bool placed = Place(space, target, hash, word | kBusy, &to);
      if (placed) space->SpreadToo(at, to);
      TakeOut(space, at, hash);
      if (!placed) return false;
      at = to;
    }
    space->Put(at.group, at.i, word);
    if (SegmentNow(space, hash) == at.segment) break;
  }
  return true;
}

// Places the word of a coming entry. For the thread that published it. Returns
// false if there was no place, as Rehome does.
template <typename Space>
bool Link(Space* space, uint64_t hash, uint32_t number) {
  const uint32_t word = WordOf(number);
  const uint32_t segment = SegmentNow(space, hash);
  Position at;
  // Busy until its tag is shown: no other thread moves a word that is half
  // there.
  if (!Place(space, segment, hash, word | kBusy, &at)) return false;
  space->Put(at.group, at.i, word);
  return SegmentNow(space, hash) == segment || Rehome(space, at, word, hash);
}

// Finds the position of a slot's word. For its owner or a holder of the entry.
// Returns false if it has none.
template <typename Space>
bool Locate(Space* space, uint64_t hash, uint32_t number, Position* where) {
  const auto want = [&](const Position& at, uint32_t word) {
    *where = at;
    return NumberOf(word) == number;
  };
  for (uint32_t segment = SegmentNow(space, hash);;
       segment = ParentOf(segment)) {
    if (FindIn(space, segment, hash, want) != kNoWord) return true;
    if (segment == 0) return false;
  }
}

template <typename Space>
void Unlink(Space* space, uint64_t hash, uint32_t number) {
  Position at;
  if (Locate(space, hash, number, &at)) TakeOut(space, at, hash);
}

// A part of Split: moves one word of the parent, which may be another word by
// now.
template <typename Space, typename Entries>
void MoveOne(Space* space, Entries* entries, const Position& at,
             uint32_t made) {
  const uint32_t word = space->Word(at.group, at.i);
  if (word == kNoWord || IsBusy(word)) return;
  const uint32_t number = NumberOf(word);
  // A hint. If the slot is another entry's by now, the entry that the word told
  // of is gone.
  if (SegmentNow(space, entries->HashOf(number)) != made) return;
  if (!entries->Hold(number)) return;
  const uint64_t hash = entries->HashOf(number);
  if (SegmentNow(space, hash) == made && !Rehome(space, at, word, hash)) {
    entries->Hide(number);
  }
  entries->LetGo(number);
}

// Adds a segment. For the one thread that may split. `entries`: the entries in
// the slots that words tell of.
template <typename Space, typename Entries>
void Split(Space* space, Entries* entries) {
  const uint32_t made = space->Segments();
  const uint32_t parent = ParentOf(made);
  const uint64_t first_made = uint64_t{made} * Space::kGroups;
  const uint64_t first = uint64_t{parent} * Space::kGroups;
  for (uint32_t g = 0; g < Space::kGroups; ++g) {
    space->SetFilling(first_made + g);
  }
  space->SetSegments(made + 1);
  for (uint32_t g = 0; g < Space::kGroups; ++g) {
    entries->Prefetch(first + (g + 1) % Space::kGroups);
    for (uint32_t left = space->Filled(first + g); left != 0;
         left &= left - 1) {
      const auto i = static_cast<uint32_t>(std::countr_zero(left));
      MoveOne(space, entries, {parent, first + g, i}, made);
    }
  }
  for (uint32_t g = 0; g < Space::kGroups; ++g) {
    space->ClearFilling(first_made + g);
  }
}

}  // namespace ashlar::internal::growing

#endif  // ASHLAR_CACHE_CLOCK_GROWING_STEPS_H_
