// Admission: decides which entries of a clock table are swept, and which must
// first show that they are used. Its method is a probation clock.
//
// Why. A clock gives every new key the same start. So a scan goes over the
// whole table and counts everything down, and all that was useful is gone. Here
// new entries stay on probation: a small part of the table, which only they
// fill and empty, first in, first out. Entries that are used there, or come
// back soon after they were evicted, get into main, the part that the clock
// sweeps. All of this happens when an entry is inserted or evicted. A hit
// remains the single addition that it was.
//
// What there is, for a table of N entries.
//   a bit in the slot's word, and the arrival in its slot    no more memory
//   ProbationFifo     the order on probation                 5 N bytes
//   EvictedKeys       the last 2 N keys that were evicted    16 N bytes
//   a few counters
//
// Rules at a miss. A share p of the table's bytes is for probation.
//   1. Start. An entry of high priority starts in main, with countdown 3, as
//      without admission. An entry of low priority whose key is remembered and
//      young (4) starts in main, with countdown 2. While the cache is filled to
//      less than 1 - 0.15, entries start in main, with countdown 0. So there is
//      a set to begin with that nothing replaces without proof. All others
//      start on probation, with countdown 0. So do entries of bottom priority,
//      always.
//   2. Room. If probation has its share, its oldest entry makes room. If that
//      was hit, it gets into main, with countdown 0, and the next oldest is
//      tried. If it was not hit, it is evicted. If probation has less than its
//      share, the sweep continues, and passes over probation.
//   3. Bursts. When a quarter of probation has arrived after an entry, its hits
//      are forgotten. So hits that came with the load do not count: a scan may
//      look at a block a few times before it goes on.
//   4. Young. A key is young if the misses since it was evicted, plus
//      p + N / 8, are no more than the misses of a rotation of the hand (the
//      last full one, or the current one if that is longer already). An entry
//      that would not be hit before main finds it unused has no place there.
//      Promotions turn the hand, and so shorten the rotation. Before the first
//      rotation has ended, all keys are young.
//   5. Share. p is 0.15 at first. If a key comes back that was among the last
//      N / 20 that were evicted from probation, p grows by 3 entries. If it was
//      among the last N / 20 that were evicted from main, p shrinks by 3
//      entries. p stays between 0.02 and 0.9.
//
// What a second tier gets to know. It compresses what it is given. That is
// worth it for entries that will be needed again, so it decides by `was_hit` of
// an evicted entry. Hits that rule 3 has forgotten do not count. A key that is
// remembered, young or not, comes in with kWasHit (except with high priority,
// for which the memory is not asked). This is decided when a key comes in and
// when an entry is promoted or cooled, from what is looked at then anyway. It
// costs nothing more, not even a bit. So the memory of evicted keys serves both
// tiers. The second tier's own notes (SeenOnce) reach farther back.
//
// Special cases.
//   entries in use    are not evicted. If the oldest on probation is in use
//                     when its turn comes, it counts as used.
//   charges           Shares are in bytes, so that one large entry does not
//                     count as one small one. Steps and ages are in entries of
//                     mean size, which is what the table holds now.
//   standalone ones   are in neither part. The share is of what the table
//                     itself holds.
//   Erase             leaves a stale position in the FIFO, and remembers
//                     nothing.
//   SetCapacity, a strict limit   evict by rule 2. If main has nothing more to
//                     give, probation gives all that is not in use.
//   several tables    have a p each, by their own misses.
//   a growing table   has its memory reserved for the most that it can be. FIFO
//                     and memory of evicted keys are sized for the entries that
//                     there are when it is nearly full. When the entries become
//                     a quarter more, both start again, and what was on
//                     probation is then in main. They never become smaller.
//
// Threads share all of this without locks and without order. The positions of
// the FIFO are counters, a record of an evicted key is one word, and p and the
// counts of a rotation are numbers that a lost step does not hurt. Only the
// word of a slot decides what becomes of its entry (probation_steps.h). Only
// the sum of charges on probation is exact: a charge is added before the entry
// is published, and subtracted by the thread that took its bit or owns it. An
// entry that the FIFO has lost is in that sum until the sweep finds it, but
// fills no place on probation. How much that is, is known approximately. What
// was lost before the last rotation is found by the end of that rotation
// (unless the table grew in it: then the hand jumps).
//
// Cost. A miss costs about six additions on two lines that inserts share, a
// look at one line of the memory of evicted keys when the entry comes, a look
// at another line when an entry goes, and a look at two slots, of which one is
// evicted.
//
// Figures, and what each rule is worth: docs/benchmarks.md.
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
  // Bytes per entry, at the size that the table was made for.
  static constexpr size_t kBytesOfEntry = 21;
  static constexpr double kFirstShare = 0.15;
  static constexpr double kLeastShare = 0.02;
  static constexpr double kMostShare = 0.9;

  // How full a table is.
  struct Filling {
    size_t entries;
    size_t usage;  // bytes, like the capacity
    size_t capacity;
  };

  // Returns the bytes of memory for a table of at most this many entries.
  static size_t BytesFor(size_t most_entries);
  // `memory`: BytesFor(most_entries) bytes, all zeros. `slots`: those of the
  // table.
  Admission(char* memory, size_t most_entries, ClockSlot* slots);

  // For a thread that is about to insert an entry.
  void Prefetch(uint64_t hash) const { evicted_.Prefetch(hash); }
  // Returns the start of an entry, as slot::VisibleWord takes it. For the owner
  // of the filled slot, before it publishes it.
  uint64_t Admit(ClockSlot* owned, uint64_t hash, CachePriority priority,
                 const Filling& now);

  // Returns whether probation has its share, and must give the next entry.
  bool IsProbationDue(size_t bytes_of_entries) const {
    const size_t all = bytes_.Load();
    return !fifo_.IsEmpty() &&
           static_cast<double>(all - std::min(all, lost_.Load())) >=
               share_.Load() * static_cast<double>(bytes_of_entries);
  }
  bool HasOnProbation() const { return !fifo_.IsEmpty(); }
  // Takes the oldest entry off the FIFO. Returns null if it is not to be
  // evicted. Otherwise the caller owns it, and *before is its word before that.
  // `also_used`: see slot::Judge.
  ClockSlot* TakeOldest(bool also_used, uint64_t* before);
  // For an entry on probation: returns whether the FIFO has lost it, so that
  // the sweep must find it.
  bool HasLost(const ClockSlot* there) const { return fifo_.HasLost(there); }
  // For an entry on probation that the sweep has found. Returns as TakeOldest.
  ClockSlot* PassOver(ClockSlot* there, uint64_t* before);

  // For the owner of a slot, about the entry that was in it.
  void Ended(const ClockSlot* owned, uint64_t hash, bool was_evicted);
  // For the sweep: tells how far the hand has come in all, in a table of this
  // many positions.
  void SawHand(uint64_t hand, uint64_t positions);

  size_t bytes_on_probation() const { return bytes_.Load(); }
  double share() const { return share_.Load(); }
  size_t memory_bytes() const { return evicted_.bytes() + fifo_.bytes(); }

 private:
  EvictedKeys::When Now(bool of_probation) const;
  // For a key that comes in: whether it was evicted recently, and whether it is
  // young.
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
  // The entries for which there is memory now, and the binary logarithm of a
  // step of EvictedKeys.
  RelaxedAtomic<size_t> entries_{0};
  RelaxedAtomic<uint32_t> step_{0};

  // Inserts and evictions change these all the time.
  alignas(64) RelaxedAtomic<size_t> bytes_{0};
  RelaxedAtomic<uint32_t> misses_{0};
  RelaxedAtomic<uint32_t> evictions_of_main_{0};
  RelaxedAtomic<uint32_t> evictions_of_probation_{0};
  // These change now and then.
  alignas(64) RelaxedAtomic<double> share_{kFirstShare};
  RelaxedAtomic<size_t> lost_{0};              // part of bytes_: see above
  RelaxedAtomic<size_t> lost_in_rotation_{0};  // part of lost_
  RelaxedAtomic<uint64_t> rotation_{0};  // where the hand was when it began
  RelaxedAtomic<uint32_t> began_at_{0};  // number of the miss
  RelaxedAtomic<uint32_t> last_rotation_{0};  // misses in it
  RelaxedAtomic<uint64_t> positions_{0};      // when the last rotation ended
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_CLOCK_ADMISSION_ADMISSION_H_
