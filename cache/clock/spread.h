// Spread slots: the references to a hot entry, counted on several lines.
//
// Why. Two cores that look up one key take its slot's line from each other for
// every addition to its word (slot_word.h); all of them together are then
// slower than one alone. So when threads see that this happens, the slot is
// spread: each thread counts what it takes and gives on a line of its own, and
// of the slot's line they only read.
//
// What there is. A cache has a few sets of lines, made when the first is
// wanted; a slot can use one of them, by its number. A line's word, from the
// low bit: number of the slot 32, open 1, references 31. These are on top: an
// overflow leaves the word. Of a set they only mean something in sum, since
// who gives on another line than it took on leaves one too few there.
//
// Steps.
//   ClaimSet     by who then spreads, and until then holds a reference
//   Spread       adds many references to the word, so that nobody sees it
//                unused, opens the lines, sets the word's bit `spread`
//   TakeOnLine   one reference more on an open line of this slot's, by compare-
//                exchange; if the word says that the entry is not visible, to
//                be given back. Where the line is not open for this slot, or
//                others always come first: Take, at the word
//   GiveOnLine   one less, or Give at the word
//   ClaimGather  takes the bit from the word; who did, gathers
//   Gather       closes the lines, frees the set, and gives what was added to
//                the word but for the sum of the lines, as some hits too. As
//                with any Give, it may turn out the last to an invisible entry
//
// Who gathers. Who hides the entry, after that; who spread it, if it was hidden
// before; the sweep, which ages only what is not spread; who wants to know or
// to end what nobody refers to; who wants the set for another slot. All of them
// but the first may do it at any time: lookups go on at the word.
//
// Why it holds. All references are those of the word, less what Spread added,
// plus the sum of the lines while they are open; each step but Gather changes
// one of these by one, and Gather moves them: what is on a line when it is
// closed goes to the word, and what comes later goes there by itself. Lines are
// only changed by comparison with slot and `open`, so that who is late changes
// no other slot's. While a slot is spread its word does not come down to 0: for
// that kSpreadRefs releases must each have lost four races on their own line.
//
// Memory orders. Spread opens lines by release, and sets the bit by release;
// TakeOnLine acquires what it took on, ClaimGather the bit: who takes sees the
// entry, who gathers sees the lines open. GiveOnLine releases and Gather
// acquires each line, and then Gives, with release: what holders read was read
// before the next owner writes. The set is freed by release and claimed by
// acquire. That Hide and Spread can't miss each other needs no order but the
// word's own: the one that comes second sees what the first has left.
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

// Far from both ends of what a word can count.
inline constexpr uint64_t kSpreadRefs = kMaxRefs >> 2;
inline constexpr uint64_t kClosedLine = 0;
inline constexpr uint64_t kOpen = uint64_t{1} << 32;
inline constexpr int kLineRefsShift = 33;
inline constexpr uint64_t kLineRef = uint64_t{1} << kLineRefsShift;
// Of the sweep; as many as a word that was hit by as many as can be.
inline constexpr uint64_t kHitsOfSpread = kMaxCountdown;

constexpr uint64_t OpenLine(uint64_t number) { return number | kOpen; }
constexpr bool IsOpenFor(uint64_t line, uint64_t number) {
  return (line & (kLineRef - 1)) == OpenLine(number);
}

// False: the set is another slot's, or has been claimed for this one.
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

// `change`: kLineRef, up or down, in the order that goes with it. False: the
// line is not open for the slot, or others always come first.
template <typename Line, typename Exchange>
[[gnu::always_inline]] inline bool ChangeLine(Line* line, uint64_t number,
                                              uint64_t change,
                                              const Exchange& exchange) {
  uint64_t seen = line->LoadRelaxed();
  for (int i = 0; i < kTriesOnLine && IsOpenFor(seen, number); ++i) {
    if (exchange(&seen, seen + change)) [[likely]]
      return true;
  }
  return false;
}

// kNothing: it must be done at the word.
template <typename Word, typename Line>
[[gnu::always_inline]] inline Taken TakeOnLine(Word* word, Line* line,
                                               uint64_t number) {
  const auto exchange = [line](uint64_t* seen, uint64_t desired) {
    return line->CompareExchangeAcquire(seen, desired);
  };
  if (!ChangeLine(line, number, kLineRef, exchange)) return Taken::kNothing;
  return IsVisible(word->LoadRelaxed()) ? Taken::kReference : Taken::kTakeBack;
}

template <typename Word, typename Line>
[[gnu::always_inline]] inline Given GiveOnLine(Word* word, Line* line,
                                               uint64_t number) {
  const auto exchange = [line](uint64_t* seen, uint64_t desired) {
    return line->CompareExchangeRelease(seen, desired);
  };
  if (ChangeLine(line, number, 0 - kLineRef, exchange)) [[likely]] {
    return Given::kShared;
  }
  return Give(word, kRef);
}

template <typename Word>
bool ClaimGather(Word* word) {
  return IsSpread(word->FetchAndAcquire(~kSpread));
}

// By who has claimed that.
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

// One slot's lines, or nobody's.
class SpreadSet {
 public:
  static constexpr size_t kLines = 16;
  using Word = HoldAtomic<uint64_t>;

  Word& owner() { return owner_.word; }  // number of the slot + 1, or 0
  Word& line(size_t i) { return lines_[i].word; }
  static constexpr size_t size() { return kLines; }
  // This thread's; threads share lines where there are more of them.
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

// Of one cache.
class SpreadSets {
 public:
  SpreadSet& Of(uint64_t number) { return sets_[number % kSets]; }

 private:
  static constexpr size_t kSets = 32;
  std::array<SpreadSet, kSets> sets_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_SPREAD_H_
