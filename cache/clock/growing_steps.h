// The protocol of an index that grows while it is used.
//
// Purpose. The table that sizes itself keeps entries in slots that never move
// (slot_word.h), so that handles and hints hold whatever grows. What grows is
// the index: words that tell, by a key's hash, which slot to try. Such a word
// is a hint: who follows it takes a reference and compares the key, as in the
// fixed table. So words may be late, or double for a moment; what they must
// never do is be missing. Here are the steps, as templates over what they work
// on, so that test/model explores the interleavings of this very code.
//
// What there is. Segments of a few groups, a group of a few words. A hash tells
// its segment (by the number of segments there are), its home group there, and
// a tag. A word lies in its home group or, where that was full, in a later one
// of the same segment; each group that was passed counts it. A word, from the
// low bit: busy 1, nothing 5, number of the slot 26. 0: no word. Lookups see a
// word by its tag, which is shown elsewhere (a byte, 0: none): after the word
// is put there, and no longer before it is taken out. So a tag is only ever
// that of the word beside it, and who shows one finds none. Below, a word that
// is placed is one that is shown.
//
// Growth is linear hashing, a segment at a time: the number of segments goes
// from n to n + 1, and segment n takes over from its parent, the number n
// without its uppermost bit, the words whose hashes have that bit. So growth
// costs an insert a few hundred words now and then, and lookups nothing.
//
// Who may do what.
//   anyone, at any time          reads words
//   who holds a reference to an  places the word of it, once, when it is put
//   entry                        in; or makes it busy, moves it, frees it
//   who made a word busy         alone changes it
//   the owner of a slot          takes its word out. It cannot be busy: who
//                                made it so would hold a reference, and nobody
//                                could own the slot
//   one thread a table at a time splits
//
// Steps.
//   Find      the segment of the hash; while that is being filled, its parent
//             first. If nothing was found, and the hash has another segment by
//             now, again there
//   Link      places the word of an entry that is published and held; looks
//             whether the hash still has that segment, and if not, Rehome
//   Rehome    makes the word busy (who fails to leaves it to who did), places a
//             second, busy too, where it belongs, frees the first; the second
//             is no longer busy; looks at the segment again
//   Split     says of the new segment that it is being filled; counts it; takes
//             every word of the parent that belongs there, and nowhere else,
//             holds its entry, Rehome; says that it is filled
//   Unlink    by the owner: looks in the segment, then in its ancestors
//
// Why no lookup that began after an insert misses it. (1) A word is placed anew
// before it is freed where it was, and Find looks at the parent first: so it
// sees one or the other. (2) A segment is said to be filled only when no word
// of an entry whose insert has come to its end is left in its parent: Split has
// gone over all of them, and those that it did not meet were placed later than
// it looked. Who placed them looks at the number of segments afterwards, and
// sees the new one: place - look against count - look, in one order of all.
// (3) A lookup that came to a segment by an old number, and found it already
// emptied, sees the new number when it looks again, as that was there before
// anything was moved. (4) Split leaves out words that are busy or whose entry
// is owned. The first are being moved by who puts the entry in, who looks again
// when he is done; the latter are about to be taken out: an entry is published
// before its word is placed. (5) It leaves out those that belong to an earlier
// child of the parent, too: as that is filled, its lookups do not look at the
// parent, so a word is there only of an insert that has not looked again yet.
// Were it moved by Split, that insert would end while the word is in neither.
//
// Why nothing is left behind. A word is there only while its entry is: its slot
// is owned before, and emptied after, the word is taken out; who moves it holds
// a reference, so that nobody owns the slot. A word that is made busy while its
// entry is held belongs to that entry, not to a later one in the same slot.
// Only who puts an entry in, before that has come to its end, and Split move
// words: two at most, of which one fails to make it busy.
//
// Memory orders. All of what is used here is in one order that all threads
// agree on (OneOrderAtomic), but for the groups that a hit reads, which are
// hints.
//
// Which of the words with its tag a lookup tries, and whether it finds the slot
// by the index at all, is not of the protocol: a reference to a slot that holds
// the key is a hit (a caller's hint of the slot is tried first, with no look at
// the index); only that there is none takes all of Find.
//
// Progress. Find goes on to another segment only where the hash has got a new
// one, at most once for each doubling that the table can ever do: lookups are
// wait-free. Rehome likewise. Place tries each word of a segment once. Split is
// bounded by a segment's words. Lookups wait for nobody. A thread that is
// stopped while it splits keeps the table from growing: inserts go on until
// they find no place, or what is yet to be moved might find none
// (GrowingPart::IsFarBehind), and then wait for it, a second at most.
//
// Limits. 2^26 slots a table. Where a segment is full, and growing is not
// behind, or not done within that time, an entry has no place: it is hidden at
// once, as if erased. See GrowingPart::kMostLoad for how often. Who finds an
// entry before its insert has come to its end, and erases the key, may miss it.
//
// Rejected: moving entries (handles are addresses; a moved one needs a second
// life of its slot), chains through the slots (lookups wait for one line after
// the other), one directory entry a segment (a load more a hit), a version that
// lookups check (they would wait for who moves).
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
inline constexpr uint32_t kNoSlot = 0;  // of no entry

constexpr uint32_t WordOf(uint32_t number) { return number << kNumberShift; }
constexpr uint32_t NumberOf(uint32_t word) { return word >> kNumberShift; }
constexpr bool IsBusy(uint32_t word) { return (word & kBusy) != 0; }

// Of the bits of a hash that are for it.
constexpr uint32_t SegmentOf(uint32_t bits, uint32_t segments) {
  const uint32_t mask = std::bit_ceil(segments) - 1;
  const uint32_t segment = bits & mask;
  return segment < segments ? segment : segment & (mask >> 1);
}
// Of any but the first.
constexpr uint32_t ParentOf(uint32_t segment) {
  return segment ^ std::bit_floor(segment);
}

struct Position {
  uint32_t segment = 0;
  uint64_t group = 0;  // of all of the table's
  uint32_t i = 0;      // of the group's words
};

template <typename Space>
uint32_t SegmentNow(Space* space, uint64_t hash) {
  return SegmentOf(Space::SegmentBits(hash), space->Segments());
}

// The groups of a segment that a hash may be in, from its home on.
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

// The first word of the hash's tag in the segment that `want` wants, as
// want(position, word); or none.
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

// The number of the first slot that `take` takes; or kNoSlot.
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

// Each group that is passed counts the word before the next is looked at, so
// that no lookup stops short of it once it is there.
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

// By who alone may change it.
template <typename Space>
void TakeOut(Space* space, const Position& at, uint64_t hash) {
  space->Unshow(at.group, at.i, Space::TagOf(hash));
  space->Put(at.group, at.i, kNoWord);
  TakeBackPassed(space, at.segment, hash, at.group);
}

// By who holds the entry. False: there was no place for it, and it has none any
// more. True: it is where it belongs, or somebody else moves it there.
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

// By who has published it, and holds it. False as above.
template <typename Space>
bool Link(Space* space, uint64_t hash, uint32_t number) {
  const uint32_t word = WordOf(number);
  const uint32_t segment = SegmentNow(space, hash);
  Position at;
  // Busy until its tag is shown: nobody else moves what is half there.
  if (!Place(space, segment, hash, word | kBusy, &at)) return false;
  space->Put(at.group, at.i, word);
  return SegmentNow(space, hash) == segment || Rehome(space, at, word, hash);
}

// Where the word of a slot is; by who owns or holds it. False: it has none.
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

// Of Split: a word of the parent, which may be another by now.
template <typename Space, typename Entries>
void MoveOne(Space* space, Entries* entries, const Position& at,
             uint32_t made) {
  const uint32_t word = space->Word(at.group, at.i);
  if (word == kNoWord || IsBusy(word)) return;
  const uint32_t number = NumberOf(word);
  // A hint; if it is another's, what the word told of is gone.
  if (SegmentNow(space, entries->HashOf(number)) != made) return;
  if (!entries->Hold(number)) return;
  const uint64_t hash = entries->HashOf(number);
  if (SegmentNow(space, hash) == made && !Rehome(space, at, word, hash)) {
    entries->Hide(number);
  }
  entries->LetGo(number);
}

// By who alone may split. `entries`: in the slots that words tell of.
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
