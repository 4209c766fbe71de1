// Admission: which entries of a clock table are swept, and which must first
// show that they are used. The probation clock.
//
// Why. A clock gives every key that comes the same start: a scan goes over the
// table, counts everything down, and all that was of use is gone. Here what is
// new stays on probation, a small part of the table that it alone fills and
// empties, first in first out. What is used there, or comes back soon after it
// went, gets into main, which the clock sweeps. All of it happens when an entry
// is put in or evicted; a hit is the one addition that it was.
//
// What there is, a table of N entries.
//   a bit in the slot's word, and the arrival in its slot    nothing more
//   ProbationFifo     the order on probation                 5 N bytes
//   EvictedKeys       the 2 N keys that went last            16 N bytes
//   a few counters
//
// Rules, at a miss. A share of p of the table's bytes is for probation.
//   1. Start. An entry of high priority: in main, countdown 3, as ever. One of
//      low priority whose key is remembered and young (4): in main, countdown
//      2. While the cache is filled to less than 1 - 0.15: in main, countdown
//      0, so that there is a set to begin with that nothing replaces without
//      proof. All others, and those of bottom priority always: on probation,
//      countdown 0.
//   2. Room. If probation holds its share, its oldest entry: one that was hit
//      gets into main, countdown 0, and it goes on with the next; one that was
//      not is evicted. Else the sweep goes on, over probation.
//   3. Bursts. What has had a quarter of probation come after it has its hits
//      forgotten. So those do not count that came with the load: a scan may
//      well look at a block some times before it goes on.
//   4. Young: the misses since the key was evicted, and p + N / 8 more, are no
//      more than those of a rotation of the hand (the last full one, or this
//      one if it is longer already). What would not be hit before main finds
//      it unused has no place there. Promotions turn the hand and so shorten
//      it. Before the first rotation has ended, all are young.
//   5. Share. p is 0.15 at first. A key that comes back among the last N / 20
//      that were evicted from probation moves it up by 3 entries; one that was
//      among the last N / 20 evicted from main moves it down. 0.02 to 0.9.
//
// What a second tier is told. It compresses what it is
// given, which is worth it for what will be asked for again, and so goes by
// `was_hit` of an evicted entry. Asked when a key comes in and when an entry is
// promoted or cooled, of what is looked at then anyway; costs nothing more, not
// even a bit. Hits that rule 3 has forgotten do not count; a key that is
// remembered, young or not, comes in with kWasHit (not one of high priority,
// about which the memory is not asked). So the memory of evicted keys serves
// both tiers; the second one's own notes (SeenOnce) reach farther
// back than it.
//
// What the table has besides.
//   entries in use    are not evicted. The oldest on probation, if it is in
//                     use when its turn comes, counts as used.
//   charges           shares are of bytes, so that one large entry does not
//                     count as one small one; steps and ages are of entries of
//                     mean size, which is what the table holds now.
//   standalone ones   are in neither part. The share is of what the table
//                     itself holds.
//   Erase             leaves a stale place in the FIFO, remembers nothing.
//   SetCapacity, a strict limit   evict by rule 2. Where main has nothing more
//                     to give, probation gives all that is not in use.
//   several tables    have a p each, by their own misses.
//   a growing table   has its memory reserved for the most that it can be. FIFO
//                     and memory are made for the entries that there are when
//                     it is nearly full; when there come to be a quarter more,
//                     both begin anew (what was on probation is then in main).
//                     They never become smaller.
//
// Threads share all of this without locks and without order. The FIFO's places
// are counters, a record of an evicted key is one word, p and the counts of a
// rotation are numbers that a lost step does not hurt. Only the word of a slot
// decides what becomes of its entry (probation_steps.h), and only the sum of
// charges on probation is exact: added before an entry is published, taken off
// by who took its bit or owns it. What the FIFO has lost is in that sum until
// the sweep finds it, and fills no place on probation: how much that is, is
// known nearly, and what was lost before the last rotation is found by its end
// (of one in which the table did not grow: else the hand leaps).
// A miss costs about six additions on two lines
// that inserts share, a look at a line of the memory when it comes, another
// when something goes, and a look at two slots, of which one is evicted.
//
// Figures and what each rule is worth: docs/benchmarks.md.
#ifndef ASHLAR_CACHE_CLOCK_ADMISSION_ADMISSION_H_
#define ASHLAR_CACHE_CLOCK_ADMISSION_ADMISSION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ashlar/cache/cache_entry.h"
#include "cache/clock/admission/evicted_keys.h"
#include "cache/clock/admission/probation_fifo.h"
#include "cache/clock/admission/probation_steps.h"

namespace ashlar::internal {

class Admission {
 public:
  // Of each entry, at the size that the table was made for.
  static constexpr size_t kBytesOfEntry = 21;
  static constexpr double kFirstShare = 0.15;
  static constexpr double kLeastShare = 0.02;
  static constexpr double kMostShare = 0.9;

  // How a table is filled.
  struct Filling {
    size_t entries;
    size_t usage;  // bytes, like the capacity
    size_t capacity;
  };

  // Memory that is all zeros, for the most entries that a table can have.
  static size_t BytesFor(size_t most_entries);
  // `slots`: of the table.
  Admission(char* memory, size_t most_entries, ClockSlot* slots);

  // For who is about to put in an entry.
  void Prefetch(uint64_t hash) const { evicted_.Prefetch(hash); }
  // How an entry starts, as slot::VisibleWord wants it. By the owner of the
  // filled slot, before he publishes it.
  uint64_t Admit(ClockSlot* owned, uint64_t hash, CachePriority priority,
                 const Filling& now);

  // Whether probation has its share, and is to give next.
  bool IsProbationDue(size_t bytes_of_entries) const {
    const size_t all = bytes_.Load();
    return !fifo_.IsEmpty() &&
           static_cast<double>(all - std::min(all, lost_.Load())) >=
               share_.Load() * static_cast<double>(bytes_of_entries);
  }
  bool HasOnProbation() const { return !fifo_.IsEmpty(); }
  // The oldest one: null, it is not to be evicted; else it is the caller's, and
  // `before` its word before that. `also_used`: see slot::Judge.
  ClockSlot* TakeOldest(bool also_used, uint64_t* before);
  // Of what is on probation: whether the FIFO no longer tells of it, so that it
  // is for the sweep to find.
  bool HasLost(const ClockSlot* there) const { return fifo_.HasLost(there); }
  // What the sweep has found on probation. As above.
  ClockSlot* PassOver(ClockSlot* there, uint64_t* before);

  // By who owns a slot, of what was in it.
  void Ended(const ClockSlot* owned, uint64_t hash, bool was_evicted);
  // Of the sweep: how far the hand has come in all, in a table of so many
  // positions.
  void SawHand(uint64_t hand, uint64_t positions);

  size_t bytes_on_probation() const { return bytes_.Load(); }
  double share() const { return share_.Load(); }
  uint64_t looks() const { return fifo_.looks(); }
  size_t memory_bytes() const { return evicted_.bytes() + fifo_.bytes(); }

 private:
  EvictedKeys::When Now(bool of_probation) const;
  // Of a key that comes in: whether it was evicted lately, and is young.
  enum class Return : uint8_t { kNone, kLate, kSoon };
  Return ReturnOf(uint64_t hash, const Filling& now);
  bool IsYoung(uint32_t misses_ago, const Filling& now) const;
  void MoveShare(double entries, const Filling& now);
  void Fit(const Filling& now);
  void Append(ClockSlot* owned);
  void NoteLost(const ClockSlot* lost);
  void TakeOff(const ClockSlot* its, bool was_lost);
  ClockSlot* PutIntoMain(ClockSlot* held, bool was_lost, uint64_t* before);

  const size_t most_entries_;
  ProbationFifo fifo_;
  EvictedKeys evicted_;
  // Entries for which there is memory now, and the binary logarithm of a step
  // of EvictedKeys.
  RelaxedAtomic<size_t> entries_{0};
  RelaxedAtomic<uint32_t> step_{0};

  // Inserts and evictions change them all the time.
  alignas(64) RelaxedAtomic<size_t> bytes_{0};
  RelaxedAtomic<uint32_t> misses_{0};
  RelaxedAtomic<uint32_t> evictions_of_main_{0};
  RelaxedAtomic<uint32_t> evictions_of_probation_{0};
  // Now and then.
  alignas(64) RelaxedAtomic<double> share_{kFirstShare};
  RelaxedAtomic<size_t> lost_{0};              // of bytes_; see above
  RelaxedAtomic<size_t> lost_in_rotation_{0};  // of lost_
  RelaxedAtomic<uint64_t> rotation_{0};        // where the hand was as it began
  RelaxedAtomic<uint32_t> began_at_{0};        // miss
  RelaxedAtomic<uint32_t> last_rotation_{0};   // misses of it
  RelaxedAtomic<uint64_t> positions_{0};       // as the last rotation ended
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_ADMISSION_ADMISSION_H_
