// Spread slots: references to a hot entry, counted on several cache lines.
//
// Why. If two cores look up the same key, they take its slot's line from each
// other for every addition to its word (slot_word.h). All of them together are
// then slower than one alone. So when threads see that this happens, the slot
// is spread. Then each thread counts the references that it takes and gives on
// a line of its own, and only reads the slot's line.
//
// What there is. A cache has a few sets of lines, which are allocated when the
// first is needed. A slot can use one of them, chosen by its number. A line's
// word, from the low bit: number of the slot 32, open 1, references 31. The
// references are the uppermost bits, so an overflow leaves the word. Only the
// sum of the references over a set means something: a thread that gives on
// another line than it took on leaves one too few there.
//
// Steps.
//   ClaimSet     by the thread that will spread, and that holds a reference
//                until then
//   Spread       adds many references to the word, so that no thread sees it
//                unreferenced, opens the lines, and sets the word's bit
//                `spread`
//   TakeOnLine   adds one reference to an open line of this slot, by
//                compare-exchange. If the word then says that the entry is not
//                visible, the caller gives it back. If the line is not open for
//                this slot, counts too many already, or other threads are
//                always faster: Take, at the word
//   GiveOnLine   subtracts one, or does Give at the word
//   ClaimGather  takes the bit from the word. The thread that took it must
//                Gather
//   Gather       closes the lines, and frees the set. Gives back what Spread
//                added to the word, less the sum of the lines, and adds some
//                hits. As with any Give, this may be the last reference to an
//                invisible entry
//
// Gather is called by: a thread that has hidden the entry, after hiding it; the
// thread that spread it, if the entry was hidden before; the sweep, which ages
// only what is not spread; a thread that wants to know or to end what is
// unreferenced; a thread that wants the set for another slot. All of these
// except the first may do it at any time: lookups continue at the word. So a
// thread whose line counts too many gathers before it takes at the word, which
// then has the true count. For the line alone says nothing: others may give on
// their lines what this thread takes on its own.
//
// Why it is correct. The number of references is that of the word, less what
// Spread added, plus the sum of the lines while they are open. Each step except
// Gather changes one of these by one. Gather moves references: what is on a
// line when it is closed goes to the word, and what comes later goes to the
// word by itself. A line is only changed by comparing it with the slot's number
// and `open`. So a late thread does not change the lines of another slot. While
// a slot is spread, its word does not come down to 0: for that, kSpreadRefs
// releases would each have to lose four races on their own line.
//
// Memory orders.
//   Spread opens the lines by release, and sets the bit by release. TakeOnLine
//   acquires the line that it changes, ClaimGather acquires the bit. So a
//   thread that takes sees the entry, and a thread that gathers sees the lines
//   open.
//   GiveOnLine releases, and Gather acquires each line and then Gives, with
//   release. So what holders read was read before the next owner writes.
//   The set is freed by release and claimed by acquire.
//   That Hide and Spread cannot miss each other needs no order except the
//   word's own: the one that comes second sees what the first has left.
//
// Tests: test/model/spread_test.cc, and TSan in
// test/cache/clock_spread_test.cc.
#ifndef ASHLAR_CACHE_CLOCK_SPREAD_H_
#define ASHLAR_CACHE_CLOCK_SPREAD_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "cache/clock/slot_word.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

namespace slot {

// Far from both ends of what the count of a word can hold.
inline constexpr uint64_t kSpreadRefs = kMaxRefs >> 2;
inline constexpr uint64_t kClosedLine = 0;
inline constexpr uint64_t kOpen = uint64_t{1} << 32;
inline constexpr int kLineRefsShift = 33;
inline constexpr uint64_t kLineRef = uint64_t{1} << kLineRefsShift;
// The hits that Gather leaves: as many as the sweep can count for an entry.
inline constexpr uint64_t kHitsOfSpread = kMaxCountdown;

// The most lines of a set, and the references from which on a line counts too
// many. All lines together, and the most that a word has of its own, leave room
// in the references of a word.
inline constexpr size_t kMostLines = 16;
inline constexpr uint64_t kMostRefsOnLine =
    (kMaxRefs - kSpreadRefs) / kMostLines;
static_assert(kMostRefsOnLine * kMostLines + kMaxRefs < kRefsMask);

constexpr uint64_t OpenLine(uint64_t number) { return number | kOpen; }
// Whatever else the line says: its references are its uppermost bits, with a
// sign.
constexpr bool CountsTooMany(uint64_t line) {
  return static_cast<int64_t>(line) >=
         static_cast<int64_t>(kMostRefsOnLine << kLineRefsShift);
}
constexpr bool IsOpenFor(uint64_t line, uint64_t number) {
  return (line & (kLineRef - 1)) == OpenLine(number);
}

// Returns false if the set belongs to another slot, or has been claimed for
// this slot already.
template <typename Set>
bool ClaimSet(Set* set, uint64_t number) {
  uint64_t nobody = 0;
  return set->owner().CompareExchangeAcquire(&nobody, number + 1);
}

template <typename Word, typename Set>
void Spread(Word* word, Set* set, uint64_t number) {
  static_cast<void>(word->FetchAddAcquire(kSpreadRefs));
  for (size_t i = 0; i < set->size(); ++i) {
    set->line(i).StoreRelease(OpenLine(number));
  }
  static_cast<void>(word->FetchOrRelease(kSpread));
}

inline constexpr int kTriesOnLine = 4;

// Adds `change` (kLineRef, or minus that) to the line, whose word was `seen`,
// with `exchange`, which has the memory order. Returns false if the line is not
// open for the slot, or if others are always faster.
template <typename Exchange>
[[gnu::always_inline]] inline bool ChangeLine(uint64_t seen, uint64_t number,
                                              uint64_t change,
                                              const Exchange& exchange) {
  for (int i = 0; i < kTriesOnLine && IsOpenFor(seen, number); ++i) {
    if (exchange(&seen, seen + change)) [[likely]]
      return true;
  }
  return false;
}

// Returns kNothing if the caller must do it at the word instead.
template <typename Word, typename Line>
[[gnu::always_inline]] inline Taken TakeOnLine(Word* word, Line* line,
                                               uint64_t number) {
  const auto exchange = [line](uint64_t* seen, uint64_t desired) {
    return line->CompareExchangeAcquire(seen, desired);
  };
  const uint64_t before = line->LoadRelaxed();
  if (CountsTooMany(before) ||
      !ChangeLine(before, number, kLineRef, exchange)) {
    return Taken::kNothing;
  }
  return IsVisible(word->LoadRelaxed()) ? Taken::kReference : Taken::kTakeBack;
}

template <typename Word, typename Line>
[[gnu::always_inline]] inline Given GiveOnLine(Word* word, Line* line,
                                               uint64_t number) {
  const auto exchange = [line](uint64_t* seen, uint64_t desired) {
    return line->CompareExchangeRelease(seen, desired);
  };
  if (ChangeLine(line->LoadRelaxed(), number, 0 - kLineRef, exchange))
      [[likely]] {
    return Given::kShared;
  }
  return Give(word, kRef);
}

template <typename Word>
bool ClaimGather(Word* word) {
  return IsSpread(word->FetchAndAcquire(~kSpread));
}

// For the thread whose ClaimGather returned true.
template <typename Word, typename Set>
Given Gather(Word* word, Set* set) {
  uint64_t sum = 0;
  for (size_t i = 0; i < set->size(); ++i) {
    sum += set->line(i).ExchangeAcquire(kClosedLine) & ~(kLineRef - 1);
  }
  set->owner().StoreRelease(0);
  const auto refs = static_cast<int64_t>(sum) >> kLineRefsShift;
  return Give(word, kSpreadRefs - static_cast<uint64_t>(refs) * kRef -
                        kHitsOfSpread * kHit);
}

}  // namespace slot

// The lines of one slot, or of none.
class SpreadSet {
 public:
  static constexpr size_t kLines = slot::kMostLines;
  using Word = HoldAtomic<uint64_t>;

  Word& owner() { return owner_.word; }  // number of the slot + 1, or 0
  Word& line(size_t i) { return lines_[i].word; }
  static constexpr size_t size() { return kLines; }
  // The line of the calling thread. If there are more threads than lines,
  // threads share lines.
  Word& own_line() { return line(NumberOfThread() % kLines); }

 private:
  struct alignas(64) Line {
    Word word{slot::kClosedLine};
  };

  static uint32_t NumberOfThread() {
    static thread_local uint32_t number = 0;
    if (number == 0) [[unlikely]]
      number = NextNumber();
    return number;
  }
  static uint32_t NextNumber() {
    static RelaxedAtomic<uint32_t> threads{0};
    return threads.FetchAdd(1) + 1;
  }

  Line owner_;
  std::array<Line, kLines> lines_;
};

// The sets of one cache.
class SpreadSets {
 public:
  SpreadSet& Of(uint64_t number) { return sets_[number % kSets]; }

 private:
  static constexpr size_t kSets = 32;
  std::array<SpreadSet, kSets> sets_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_SPREAD_H_
