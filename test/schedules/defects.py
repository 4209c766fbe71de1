"""Defects for the schedules to find: each breaks one step of a protocol.

A defect replaces text of a file. It is then compiled into `units`, the sources
that use that file in the scenarios. Those that are `weak` are defects only where
memory is weaker than one order of all steps.
"""

import dataclasses

SYNC = ("test/schedules/sync_scenarios.cc",)
CLOCK = ("cache/clock/clock_cache.cc", "cache/clock/clock_eviction.cc",
         "cache/clock/clock_table.cc", "cache/clock/clock_growth.cc")


@dataclasses.dataclass(frozen=True)
class Defect:
    name: str
    file: str
    old: str
    new: str
    units: tuple
    scenarios: str
    weak: bool = False


DEFECTS = (
    Defect("semaphore: looks for sleepers before it adds the token",
           "util/sync/semaphore.h",
           """    count_.fetch_add(n, std::memory_order_seq_cst);
    SchedulePoint();
    if (waiters_.load(std::memory_order_seq_cst) > 0) {
""",
           """    const bool anyone = waiters_.load(std::memory_order_seq_cst) > 0;
    SchedulePoint();
    count_.fetch_add(n, std::memory_order_seq_cst);
    if (anyone) {
""", SYNC, "semaphore"),
    Defect("semaphore: takes a token without a compare-exchange",
           "util/sync/semaphore.h",
           """      if (count_.compare_exchange_weak(count, count - 1,
                                       std::memory_order_acquire,
                                       std::memory_order_relaxed)) {
        return true;
      }
""",
           """      count_.store(count - 1);
      return true;
""", SYNC, "semaphore"),
    Defect("semaphore: two tokens wake one sleeper",
           "util/sync/semaphore.h",
           "port::FutexWake(Word(), n);", "port::FutexWake(Word(), n > 0);",
           SYNC, "semaphore"),
    Defect("bell: sleeps on the count of now, not the one it saw",
           "util/sync/bell.h",
           "while (Count() == seen) port::FutexWait(Word(), seen);",
           "if (Count() == seen) port::FutexWait(Word(), Count());",
           SYNC, "bell"),
    Defect("late part: wakes one of those that wait",
           "util/sync/late_part.cc", "UINT32_MAX", "1",
           ("util/sync/late_part.cc",), "late"),
    Defect("late part: loads without a look after it got the turn",
           "util/sync/late_part.h",
           """    const TurnEnd end{turn_};
    *part = pointer_.Load();
    if (*part != nullptr) return {};
""", "    const TurnEnd end{turn_};\n", SYNC, "late"),
    Defect("claims: looks for waiters before it ends the claim",
           "util/sync/claims.cc",
           """  slot.word.store(number << 1, std::memory_order_seq_cst);
  SchedulePoint();
  slot.finishes.fetch_add(1, std::memory_order_seq_cst);
  SchedulePoint();
  if (slot.waiters.load(std::memory_order_seq_cst) == 0) return;
""",
           """  const bool nobody = slot.waiters.load(std::memory_order_seq_cst) == 0;
  SchedulePoint();
  slot.word.store(number << 1, std::memory_order_seq_cst);
  slot.finishes.fetch_add(1, std::memory_order_seq_cst);
  if (nobody) return;
""", ("util/sync/claims.cc",), "claims"),
    Defect("claims: sleeps on the count of now, not the one it saw",
           "util/sync/claims.cc",
           "port::FutexWait(reinterpret_cast<const uint32_t*>"
           "(&slot.finishes), now);",
           "port::FutexWait(reinterpret_cast<const uint32_t*>"
           "(&slot.finishes), slot.finishes.load());",
           ("util/sync/claims.cc",), "claims"),
    Defect("claims: are taken by a store",
           "util/sync/claims.cc",
           """    if (slot.word.compare_exchange_weak(seen, done | kBusy,
                                        std::memory_order_acquire,
                                        std::memory_order_acquire)) {
      return seen == done ? Turn::kMineAgain : Turn::kMine;
    }
""",
           """    slot.word.store(done | kBusy);
    return seen == done ? Turn::kMineAgain : Turn::kMine;
""", ("util/sync/claims.cc",), "claims"),
    Defect("gate: a reader does not look at the epoch again",
           "util/sync/reader_gate.h",
           "if (epoch_.load(std::memory_order_seq_cst) == epoch) "
           "return &count;", "return &count;", SYNC, "gate"),
    Defect("gate: waits for the readers of the wrong epoch",
           "util/sync/reader_gate.cc", "inside[before % 2]",
           "inside[(before + 1) % 2]", ("util/sync/reader_gate.cc",), "gate"),
    Defect("job: steps by a store", "util/sync/pool_job.h",
           "} while (!word_.CompareExchange(&seen, "
           "Protocol::Pack(step.next)));",
           "} while (false);\n    word_.Store(Protocol::Pack(step.next));",
           ("util/sync/worker_crew.cc",), "crew"),
    Defect("loop: ends while a worker is on its way",
           "util/sync/loop_state.h",
           "if (s.attending == 0 && s.tickets == 0) "
           "return {s, LoopTask::kProceed};",
           "if (s.attending == 0) return {s, LoopTask::kProceed};",
           ("util/sync/worker_crew.cc", "util/sync/pool_call.cc"),
           "crew,call"),
    Defect("ring: two threads write at once", "table/write/ring_state.h",
           "return (compressed & 1) != 0 && !writing;",
           "return (compressed & 1) != 0;",
           ("table/write/compression_ring.cc",), "ring"),
    Defect("ring: the last worker leaves without a word",
           "table/write/ring_state.h",
           "return step.next.attending == 0 ? WakeEmit(step) : step;",
           "return step;", ("table/write/compression_ring.cc",), "ring"),
    Defect("ring: ends while a worker is in it", "table/write/ring_state.h",
           "if (s.attending == 0 && s.tickets == 0) "
           "return {s, RingTask::kProceed};",
           "if (s.tickets == 0) return {s, RingTask::kProceed};",
           ("table/write/compression_ring.cc",), "ring"),
    Defect("slot: the last of two references ends the entry twice",
           "cache/clock/slot_word.h",
           """  return word->CompareExchangeAcquire(&seen, OwnedWordOf(seen))
             ? Given::kOwned
             : Given::kShared;
""",
           """  word->StoreRelease(OwnedWordOf(seen));
  return Given::kOwned;
""", CLOCK, "clock"),
    Defect("slot: an unreferenced entry is claimed by a store",
           "cache/clock/slot_word.h",
           """Refs(seen) == 0 &&
         word->CompareExchangeAcquire(&seen, OwnedWordOf(seen));
""",
           """Refs(seen) == 0 &&
         (word->StoreRelease(OwnedWordOf(seen)), true);
""", CLOCK, "clock"),
    Defect("slot: the sweep stores", "cache/clock/slot_word.h",
           "if (!word->CompareExchangeAcquire(&seen, swept)) "
           "return Swept::kPassed;", "word->StoreRelease(swept);",
           CLOCK, "clock"),
    Defect("slot: two inserts claim one empty slot",
           "cache/clock/slot_word.h",
           "return IsEmpty(word->FetchOrAcquire(kOccupied));",
           """const uint64_t seen = word->LoadRelaxed();
  if (IsEmpty(seen)) word->StoreRelease(seen | kOccupied);
  return IsEmpty(seen);""", CLOCK, "clock,growing"),
    Defect("slot: an entry is taken that its owner ends",
           "cache/clock/slot_word.h",
           "if (!IsShareable(before)) return Taken::kNothing;\n", "",
           CLOCK, "clock"),
    Defect("growing: a lookup does not see that the table has grown",
           "cache/clock/growing_steps.h",
           """    if (now == segment) return kNoSlot;
    segment = now;
""", "    return kNoSlot;\n", CLOCK, "splitting"),
    Defect("growing: an entry is visible before its place is the right one",
           "cache/clock/clock_growth.cc",
           "slot::ComingWord(1, start)",
           "slot::ComingWord(1, start) | slot::kVisible",
           CLOCK, "growing,splitting"),
    Defect("growing: an entry stays where it was before a split",
           "cache/clock/growing_steps.h",
           "return SegmentNow(space, hash) == segment || "
           "Rehome(space, at, word, hash);", "return true;",
           CLOCK, "splitting"),
    Defect("buffer: counts committed entries by a store",
           "cache/fifo/hand_over.h",
           "const uint32_t before = "
           "words->Committed(block).FetchAddBoth(count);",
           "const uint32_t before = words->Committed(block).LoadRelaxed();\n"
           "  static_cast<void>(words->Committed(block).LoadRelaxed());\n"
           "  words->Committed(block).StoreRelaxed(before + count);",
           SYNC, "buffer"),
    Defect("buffer: two threads drain", "cache/fifo/hand_over.h",
           "return (seen & kDraining) == 0;", "return true;",
           SYNC, "buffer"),
    Defect("buffer: a block is free before the sink has had it",
           "cache/fifo/hand_over.h",
           """      words->GiveToSink(oldest);
      words->Reset(oldest);  // committed 0, size N
      SetFree(words, oldest);
""",
           """      words->Reset(oldest);  // committed 0, size N
      SetFree(words, oldest);
      words->GiveToSink(oldest);
""", SYNC, "buffer"),
    Defect("late part: is published without a release", "util/sync/atomic.h",
           """    return pointer_.compare_exchange_strong(seen, pointer,
                                            std::memory_order_acq_rel,
""",
           """    return pointer_.compare_exchange_strong(seen, pointer,
                                            std::memory_order_acquire,
""", SYNC, "late", True),
    Defect("late part: is found without an acquire", "util/sync/atomic.h",
           "return pointer_.load(std::memory_order_acquire);",
           "return pointer_.load(std::memory_order_relaxed);",
           SYNC, "late", True),
    Defect("claims: are taken without an acquire", "util/sync/claims.cc",
           """                                        std::memory_order_acquire,
                                        std::memory_order_acquire)) {
      return seen == done""",
           """                                        std::memory_order_relaxed,
                                        std::memory_order_relaxed)) {
      return seen == done""", ("util/sync/claims.cc",), "claims", True),
    Defect("claims: the look for waiters is in no order", "util/sync/claims.cc",
           "if (slot.waiters.load(std::memory_order_seq_cst) == 0) return;",
           "if (slot.waiters.load(std::memory_order_acquire) == 0) return;",
           ("util/sync/claims.cc",), "claims", True),
    Defect("semaphore: the look for sleepers is in no order",
           "util/sync/semaphore.h",
           "if (waiters_.load(std::memory_order_seq_cst) > 0) {",
           "if (waiters_.load(std::memory_order_acquire) > 0) {",
           SYNC, "semaphore", True),
    Defect("gate: a reader enters in no order", "util/sync/reader_gate.h",
           "count.fetch_add(1, std::memory_order_seq_cst);",
           "count.fetch_add(1, std::memory_order_acq_rel);",
           SYNC, "gate", True),
    Defect("gate: a reader leaves without a release",
           "util/sync/reader_gate.h",
           "count_->fetch_sub(1, std::memory_order_release);",
           "count_->fetch_sub(1, std::memory_order_relaxed);",
           SYNC, "gate", True),
    Defect("bell: rings without a release", "util/sync/bell.h",
           "count_.fetch_add(1, std::memory_order_release);",
           "count_.fetch_add(1, std::memory_order_relaxed);",
           SYNC, "bell", True),
    Defect("job: steps publish nothing", "util/sync/atomic.h",
           """    return value_.compare_exchange_weak(*expected, desired,
                                        std::memory_order_acq_rel,
""",
           """    return value_.compare_exchange_weak(*expected, desired,
                                        std::memory_order_acquire,
""", ("util/sync/worker_crew.cc", "util/sync/pool_call.cc"), "crew,call",
           True),
    Defect("buffer: passes blocks on without a release",
           "util/sync/exchange_word.h",
           """                                          std::memory_order_acq_rel,
""",
           """                                          std::memory_order_acquire,
""", SYNC, "buffer", True),
    Defect("slot: an entry is published without a release",
           "util/sync/atomic.h",
           """  void StoreRelease(T value) {
    SchedulePoint();
    value_.store(value, std::memory_order_release);
""",
           """  void StoreRelease(T value) {
    SchedulePoint();
    value_.store(value, std::memory_order_relaxed);
""", CLOCK, "clock,growing", True),
    Defect("slot: an entry is taken without an acquire", "util/sync/atomic.h",
           "return value_.fetch_add(n, std::memory_order_acquire);",
           "return value_.fetch_add(n, std::memory_order_relaxed);",
           CLOCK, "clock,growing", True),
    Defect("slot: a reference is given back without a release",
           "util/sync/atomic.h",
           "return value_.fetch_sub(n, std::memory_order_release);",
           "return value_.fetch_sub(n, std::memory_order_relaxed);",
           CLOCK, "clock,growing", True),
)
