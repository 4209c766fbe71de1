// The protocol of the compression ring: one 64-bit word and the steps on it.
//
// Purpose. One emit thread (who calls the table builder) fills slots with runs
// of uncompressed blocks; workers compress and write them; the emit thread
// lends a hand instead of waiting. All that decides who does what is in one
// word, so that each step below is one compare-exchange: what a thread decided
// from a word is done if and only if the word is still that one. Here are the
// steps, pure; compression_ring.cc loops over them; test/model explores every
// interleaving of them.
//
// Words. A worker *attends* a ring from when it arrives with a ticket until it
// leaves because nothing is left to do for it. A *ticket* is the promise of the
// pool to send a worker; a busy pool, or one without threads, may take for ever
// to keep it. The *head* is the slot that is to be written next.
//
// Layout, from the low bit: head 5, emitted 6, claimed 6, compressed 32,
// writing 1, attending 5, tickets 5, emit_sleeps 1, closed 1, failed 1,
// ending 1.
//
// Who owns a slot (counted from the head):
//   position >= emitted              the emit thread fills it, or will
//   claimed <= position < emitted    nobody: raw blocks wait
//   position < claimed, bit clear    the thread that claimed it compresses it
//   position < claimed, bit set      nobody: it waits to be written
//   the head while writing           the thread that took the writer role
//
// Steps, who takes them, and what they claim for others:
//   Publish     emit     a slot is full; sends for a worker if one may come and
//                        none is on its way
//   LookForEmit emit     wants few slots in flight (all but one: a free slot),
//                        or (closed) none: proceeds, compresses, writes, or
//                        sleeps; works too before those who attend get more
//                        than they can make use of
//   Arrive      worker   the ticket becomes attendance
//   Look        worker   writes the head, else compresses, else leaves; sends
//   for
//                        the next worker where raw slots are left
//   Yield       worker   leaves for another ring, its ticket queued again
//   Compressed  both     the slot is ready to be written
//   Wrote       writer   the head is free; goes on with the next if it is ready
//   Fail        any      the first error, or Abandon. A block that cannot be
//                        verified is an error of the writer: the thread that
//                        compressed it leaves the fault in the slot and takes
//                        Compressed, so the faults of a file come in its order
//   Close       emit     no more slots will come
//   Withdraw    emit     tickets that were taken back from the pool
//   LookForEnd  emit     waits until no worker can touch the ring any more
// A thread that puts the emit thread to rights, or sends for a worker, takes
// the bit or count in its step and posts the token afterwards: tokens never
// exceed sleepers.
//
// Memory orders. Every step is a compare-exchange with acquire and release on
// the one word. Release: what the thread wrote into its slot is there for whom
// the step hands it to (Publish to the claimer, Compressed to the writer, Wrote
// to the emit thread, Fail: the error to all). Acquire pairs with these. A
// chain of read-modify-writes keeps a release sequence, so steps of other
// threads in between do no harm.
//
// Progress. The emit thread sleeps only while an attending worker holds a claim
// or the writer role; a worker that leaves with the emit thread asleep and no
// other worker attending wakes it. So "everybody sleeps" is emit_sleeps and
// attending == 0 (while it waits for the end: and tickets == 0), which no step
// may produce; IsStuck says so, and each step is asserted against it. A token
// that is promised and does not come is the watchdog's (util/sync/watchdog.h).
// Tickets are never waited for, until Withdraw has taken back those nobody
// holds.
//
// ABA. Decisions depend on the word alone, so an equal word makes an equal
// decision right, whatever happened in between.
//
// Where cores are few. A worker that was sent for and has not come is one that
// the machine has no core for: so no second one is sent for meanwhile, and the
// emit thread, which has a core, compresses and writes what it just made
// instead of filling the ring. So 32 builders of 8 workers on 2 cores are
// nearly serial.
//
// Limits: 32 slots, 31 workers. Rejected: sleeping workers counted in the word
// (a pool's workers sleep in the pool and serve many rings), a flag a slot
// beside the word (a model of it deadlocks), a wake-up a block (hand-offs cost
// more than cheap codecs gain).
//
// Tests: test/model/ring_state_test.cc, test/table/watchdog_test.cc.
#ifndef ASHLAR_TABLE_WRITE_RING_STATE_H_
#define ASHLAR_TABLE_WRITE_RING_STATE_H_

#include <algorithm>
#include <cassert>
#include <cstdint>

namespace ashlar::internal {

inline constexpr uint32_t kMaxRingSlots = 32;
inline constexpr uint32_t kMaxRingWorkers = 31;

struct RingShape {
  uint32_t slots = 16;   // 1 to kMaxRingSlots
  uint32_t workers = 1;  // that may attend at once, at most kMaxRingWorkers
};

struct RingState {
  uint32_t head = 0;        // the slot to be written next
  uint32_t emitted = 0;     // published and not yet written
  uint32_t claimed = 0;     // of them, from the head: claimed for compression
  uint32_t compressed = 0;  // bit k: the slot k behind the head
  bool writing = false;
  uint32_t attending = 0;
  uint32_t tickets = 0;
  bool emit_sleeps = false;
  bool closed = false;
  bool failed = false;
  bool ending = false;  // tickets that are left will arrive

  constexpr bool HeadReady() const { return (compressed & 1) != 0 && !writing; }
  constexpr bool RawWaits() const { return claimed < emitted; }
  constexpr bool operator==(const RingState&) const = default;
};

constexpr uint64_t PackRingState(const RingState& s) {
  uint64_t word = 0;
  int shift = 0;
  const auto put = [&word, &shift](uint64_t value, int bits) {
    word |= value << shift;
    shift += bits;
  };
  put(s.head, 5);
  put(s.emitted, 6);
  put(s.claimed, 6);
  put(s.compressed, 32);
  put(s.writing ? 1 : 0, 1);
  put(s.attending, 5);
  put(s.tickets, 5);
  put(s.emit_sleeps ? 1 : 0, 1);
  put(s.closed ? 1 : 0, 1);
  put(s.failed ? 1 : 0, 1);
  put(s.ending ? 1 : 0, 1);
  return word;
}

constexpr RingState UnpackRingState(uint64_t word) {
  const auto take = [&word](int bits) {
    const uint64_t value = word & ((uint64_t{1} << bits) - 1);
    word >>= bits;
    return static_cast<uint32_t>(value);
  };
  RingState s;
  s.head = take(5);
  s.emitted = take(6);
  s.claimed = take(6);
  s.compressed = take(32);
  s.writing = take(1) != 0;
  s.attending = take(5);
  s.tickets = take(5);
  s.emit_sleeps = take(1) != 0;
  s.closed = take(1) != 0;
  s.failed = take(1) != 0;
  s.ending = take(1) != 0;
  return s;
}

enum class RingTask : uint8_t {
  kProceed,   // emit: there is room, or all is written, or it failed
  kCompress,  // the slot of the step
  kWrite,     // the head, which is the slot of the step
  kSleep,     // emit: until its token comes
  kLeave,     // worker: done with this ring
};

// What a thread shall make of the word, and do once it has.
struct RingStep {
  RingState next;
  RingTask task = RingTask::kProceed;
  uint32_t slot = 0;
  bool wake_emit = false;    // post the emit thread's token
  bool send_worker = false;  // put a ticket into the pool
};

class RingProtocol {
 public:
  constexpr explicit RingProtocol(const RingShape& shape) : shape_(shape) {}

  constexpr RingStep Publish(RingState s) const {
    assert(s.emitted < shape_.slots && !s.closed);
    ++s.emitted;
    return SendForWorker({s});
  }

  // `most`: slots that may be in flight, below the number of slots.
  constexpr RingStep LookForEmit(const RingState& s, uint32_t most) const {
    const uint32_t few = s.closed ? 0 : std::min(most, FewFor(s));
    if (s.failed || s.emitted <= few) return {s, RingTask::kProceed};
    if (s.RawWaits()) return Claim(s);
    if (s.HeadReady()) return TakeWriterRole(s);
    if (!s.closed && s.emitted <= most) return {s, RingTask::kProceed};
    RingStep step{s, RingTask::kSleep};
    step.next.emit_sleeps = true;
    return step;
  }

  constexpr RingStep Arrive(RingState s) const {
    assert(s.tickets > 0);
    --s.tickets;
    ++s.attending;
    return {s};
  }

  constexpr RingStep Look(const RingState& s) const {
    if (!s.failed && s.HeadReady()) return SendForNext(TakeWriterRole(s));
    if (!s.failed && s.RawWaits()) return SendForNext(Claim(s));
    RingStep step = Depart(s);
    step.task = RingTask::kLeave;
    return step;
  }

  // Only between two tasks. Leaves for good where nothing is left to do.
  constexpr RingStep Yield(const RingState& s) const {
    RingStep step = Depart(s);
    step.task = RingTask::kLeave;
    if (!s.failed && (s.HeadReady() || s.RawWaits())) {
      ++step.next.tickets;
      step.send_worker = true;
    }
    return step;
  }

  // By the emit thread a worker may have to be sent for: nobody else may look
  // at the head before the emit thread wants something again.
  constexpr RingStep Compressed(RingState s, uint32_t slot,
                                bool by_emit) const {
    s.compressed |= 1U << ((slot + shape_.slots - s.head) % shape_.slots);
    RingStep step{s};
    return by_emit && s.HeadReady() ? SendForWorker(step) : step;
  }

  constexpr RingStep Wrote(RingState s) const {
    assert(s.writing && (s.compressed & 1) != 0);
    s.head = (s.head + 1) % shape_.slots;
    --s.emitted;
    --s.claimed;
    s.compressed >>= 1;
    RingStep step{s, RingTask::kProceed};
    if (!s.failed && (s.compressed & 1) != 0) {
      step.task = RingTask::kWrite;
      step.slot = s.head;
    } else {
      step.next.writing = false;
    }
    // Half the ring at once: each wake-up of the emit thread shall be worth it.
    // It cannot sleep on: a worker that is the last to leave would wake it.
    const bool enough =
        s.closed ? s.emitted == 0 : s.emitted <= shape_.slots / 2;
    return enough ? WakeEmit(step) : step;
  }

  constexpr RingStep Fail(RingState s, bool drop_writer_role) const {
    s.failed = true;
    if (drop_writer_role) s.writing = false;
    return WakeEmit({s});
  }

  constexpr RingStep Close(RingState s) const {
    s.closed = true;
    return {s};
  }

  constexpr RingStep Withdraw(RingState s, uint32_t tickets) const {
    assert(s.tickets >= tickets);
    s.tickets -= tickets;
    s.ending = true;
    return {s};
  }

  constexpr RingStep LookForEnd(const RingState& s) const {
    if (s.attending == 0 && s.tickets == 0) return {s, RingTask::kProceed};
    RingStep step{s, RingTask::kSleep};
    step.next.emit_sleeps = true;
    return step;
  }

  // Nobody awake, and nobody who is sure to come.
  static constexpr bool IsStuck(const RingState& s) {
    return s.emit_sleeps && s.attending == 0 && (!s.ending || s.tickets == 0);
  }

 private:
  constexpr RingStep Claim(const RingState& s) const {
    RingStep step{s, RingTask::kCompress, (s.head + s.claimed) % shape_.slots};
    ++step.next.claimed;
    return step;
  }
  constexpr RingStep TakeWriterRole(const RingState& s) const {
    RingStep step{s, RingTask::kWrite, s.head};
    step.next.writing = true;
    return step;
  }
  constexpr RingStep Depart(const RingState& s) const {
    assert(s.attending > 0);
    RingStep step{s};
    --step.next.attending;
    return step.next.attending == 0 ? WakeEmit(step) : step;
  }
  constexpr RingStep SendForWorker(RingStep step) const {
    RingState& s = step.next;
    if (!s.failed && s.tickets == 0 && s.attending < shape_.workers) {
      ++s.tickets;
      step.send_worker = true;
    }
    return step;
  }
  // By one who came, where there is work for one more.
  constexpr RingStep SendForNext(RingStep step) const {
    return step.next.RawWaits() ? SendForWorker(step) : step;
  }
  // Slots in flight that those who attend can make use of: each works on one,
  // and another waits for it.
  constexpr uint32_t FewFor(const RingState& s) const {
    return std::min(shape_.slots, 1 + 2 * s.attending);
  }
  static constexpr RingStep WakeEmit(RingStep step) {
    step.wake_emit = step.next.emit_sleeps;
    step.next.emit_sleeps = false;
    return step;
  }

  RingShape shape_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_RING_STATE_H_
