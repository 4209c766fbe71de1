// The protocol of the compression ring: one 64-bit word, and the steps on it.
//
// Purpose. One emit thread (the thread that calls TableBuilder) fills ring
// slots with runs of uncompressed blocks. Workers compress these and write
// them. The emit thread helps instead of waiting. One word holds all that
// decides which thread does what, so each step below is one compare-exchange:
// what a thread decided from a word happens if and only if the word has not
// changed since. The steps here are pure functions. compression_ring.cc takes
// them, by means of PoolJob, and test/model explores every interleaving.
//
// Terms. A worker *attends* a ring from when it arrives with a ticket until it
// leaves because nothing is left for it to do. A *ticket* is a promise of the
// worker pool to send a worker; a pool that is busy, or has no threads, may
// never keep it. The *head* is the ring slot that is to be written next.
//
// Layout of the word, from the low bit:
//
//   bits  field        meaning
//      5  head         number of the head
//      6  emitted      slots published and not yet written
//      6  claimed      of these, from the head on: claimed for compression
//     32  compressed   bit k: slot k after the head is compressed
//      1  writing      a thread has the writer role
//      5  attending    workers in the ring
//      5  tickets      workers promised and not yet there
//      1  emit_sleeps  the emit thread sleeps, or is about to
//      1  closed       no more slots will come
//      1  failed       the ring has an error, or was abandoned
//      1  ending       tickets that are left will arrive
//
// Who owns a slot, by its position counted from the head:
//
//   position >= emitted              the emit thread, which fills it or will
//   claimed <= position < emitted    no thread: its raw blocks wait
//   position < claimed, bit clear    the thread that claimed it, to compress it
//   position < claimed, bit set      no thread: it waits to be written
//   the head, while `writing`        the thread that has the writer role
//
// Steps, and the threads that take them:
//
//   Publish      emit    A slot is full. Sends for a worker if one more may
//                        come and none is on its way.
//   LookForEmit  emit    Wants few slots in flight: all but one, so that one is
//                        free; or none, once closed. Proceeds, compresses,
//                        writes or sleeps. Also works when more are in flight
//                        than the workers that attend can make use of.
//   Arrive       worker  Turns its ticket into attendance.
//   Look         worker  Writes the head, else compresses, else leaves. Sends
//                        for the next worker if raw slots are left.
//   Yield        worker  Leaves for another ring; its ticket is queued again.
//   Compressed   both    The slot is ready to be written.
//   Wrote        writer  The head is free. Goes on with the next one if that is
//                        ready.
//   Fail         any     The first error, or Abandon. A block that cannot be
//                        verified is an error of the writer: the thread that
//                        compressed it leaves the fault in the slot and takes
//                        Compressed, so that faults come in the file's order.
//   Close        emit    No more slots will come.
//   Withdraw     emit    Takes tickets back that the pool has not honoured.
//   LookForEnd   emit    Waits until no worker can touch the ring any more.
//
// A step that wakes the emit thread, or sends for a worker, changes the bit or
// the count in the word first. The thread posts the token afterwards. So there
// are never more tokens than sleepers.
//
// Memory orders. Every step is a compare-exchange on the one word, with acquire
// and release. Release: what the thread wrote into its slot is visible to the
// thread that the step hands it to. Publish hands a slot to the thread that
// claims it, Compressed to the writer, Wrote to the emit thread; Fail hands the
// error to all. Acquire pairs with these. A chain of read-modify-writes keeps a
// release sequence, so steps of other threads in between do no harm.
//
// Progress. The emit thread sleeps only while a worker that attends has a claim
// or the writer role. The last worker to leave wakes the emit thread if it
// sleeps. So "all threads sleep" is emit_sleeps and attending == 0 (and, while
// the emit thread waits for the end, tickets == 0). No step may produce that
// state: IsStuck recognises it, and each step is asserted against it. A token
// that is promised and does not come is found by the watchdog
// (util/sync/watchdog.h). No thread waits for tickets until Withdraw has taken
// back those that no worker holds.
//
// ABA. A decision depends on the word alone. So if the word has the same value
// again, the same decision is right, whatever happened in between.
//
// Where cores are few. If a worker was sent for and has not come, the machine
// has no core for it. So no second one is sent for meanwhile, and the emit
// thread, which has a core, compresses and writes what it just made instead of
// filling the ring. 32 builders with 8 workers each on 2 cores are then nearly
// serial.
//
// Limits: 32 slots, 31 workers.
//
// Rejected: a count of sleeping workers in the word (a pool's workers sleep in
// the pool and serve many rings); a flag per slot beside the word (a model of
// it deadlocks); a wake-up per block (hand-offs cost more than cheap codecs
// gain).
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
  uint32_t workers = 1;  // how many may attend at once: at most kMaxRingWorkers
};

struct RingState {
  uint32_t head = 0;        // the slot to be written next
  uint32_t emitted = 0;     // slots published and not yet written
  uint32_t claimed = 0;     // of these, from the head: claimed for compression
  uint32_t compressed = 0;  // bit k: slot k after the head is compressed
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
  kSleep,     // emit: sleep until its token comes
  kLeave,     // worker: leave this ring
};

// The next value of the word, and what the thread does once the word has it.
struct RingStep {
  using Task = RingTask;
  RingState next;
  RingTask task = RingTask::kProceed;
  uint32_t slot = 0;
  bool wake_owner = false;   // post the emit thread's token
  bool send_worker = false;  // submit a ticket to the pool
};

class RingProtocol {
 public:
  using State = RingState;
  using Step = RingStep;
  static constexpr uint64_t Pack(const State& s) { return PackRingState(s); }
  static constexpr State Unpack(uint64_t word) { return UnpackRingState(word); }

  constexpr explicit RingProtocol(const RingShape& shape) : shape_(shape) {}

  constexpr RingStep Publish(RingState s) const {
    assert(s.emitted < shape_.slots && !s.closed);
    ++s.emitted;
    return SendForWorker({s});
  }

  // `most`: how many slots may be in flight. Requires: most < number of slots.
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

  // Called between two tasks only. Leaves without a ticket if nothing is left
  // to do.
  constexpr RingStep Yield(const RingState& s) const {
    RingStep step = Depart(s);
    step.task = RingTask::kLeave;
    if (!s.failed && (s.HeadReady() || s.RawWaits())) {
      ++step.next.tickets;
      step.send_worker = true;
    }
    return step;
  }

  // A step of the emit thread may have to send for a worker: else no thread
  // might look at the head until the emit thread wants something again.
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
    // The emit thread is woken once half the ring is free, so that each wake-up
    // is worth its cost. It cannot sleep for ever: the last worker to leave
    // wakes it.
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

  // Returns whether no thread is awake, and none is sure to come.
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
  // Step of a worker that came: sends for one more if there is work for it.
  constexpr RingStep SendForNext(RingStep step) const {
    return step.next.RawWaits() ? SendForWorker(step) : step;
  }
  // Returns how many slots in flight the workers that attend can make use of:
  // each works on one, and another waits for it.
  constexpr uint32_t FewFor(const RingState& s) const {
    return std::min(shape_.slots, 1 + 2 * s.attending);
  }
  static constexpr RingStep WakeEmit(RingStep step) {
    step.wake_owner = step.next.emit_sleeps;
    step.next.emit_sleeps = false;
    return step;
  }

  RingShape shape_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_RING_STATE_H_
