// The protocol of a shared loop: one 64-bit word and the steps on it.
//
// Purpose. A caller has a number of units of work that do not depend on each
// other. Workers of a pool help with them while they have time. The caller
// works too, and needs no worker: if the pool is busy or has no threads, the
// caller only has more to do. When the caller returns, no worker touches the
// loop any more, so the loop may be on the caller's stack. This file has the
// steps, as pure functions. worker_crew.cc takes them, by means of PoolJob, and
// test/model explores every interleaving.
//
// Words. A worker *attends* the loop from when it arrives with a ticket until
// it leaves. A *ticket* is the pool's promise to send a worker, which the pool
// may take forever to keep. A *unit* is claimed by the thread that is going to
// do it, in order.
//
// Layout, from the low bit: next 16, units 16, attending 8, tickets 8,
// caller_sleeps 1, failed 1.
//
// Owner of a unit: below `next`, the thread that claimed it. From `next` on,
// nobody.
//
// Steps, the thread that takes them, and what they do:
//   Claim       caller   claims the next unit. If none is left, or one failed:
//                        done
//   Arrive      worker   turns its ticket into attendance
//   Look        worker   claims the next unit, or else leaves
//   Yield       worker   leaves. If units are left, its ticket is queued again
//   Fail        any      says that a unit failed: the rest is left out
//   Withdraw    caller   counts the tickets that it took back from the pool
//   LookForEnd  caller   proceeds if no worker attends or is on the way.
//                        Otherwise sleeps
//
// The last worker to leave takes the bit of a sleeping caller in its step.
// Afterwards it posts the token to a semaphore that belongs to the pool. So its
// last access to the loop is the step.
//
// Memory orders. Every step is a compare-exchange with acquire and release on
// the one word. By release, what a worker wrote while it did its units is
// visible to the caller that sees it leave (LookForEnd acquires). What the
// caller wrote before is visible to the worker by the pool's mutex. A chain of
// read-modify-writes keeps a release sequence, so steps of other threads in
// between do no harm.
//
// Progress. The caller sleeps only after it has taken back the tickets that no
// worker holds. So workers with the remaining tickets will arrive, and each
// claimed unit is being done. "Everybody sleeps" means caller_sleeps and
// attending == 0 and tickets == 0. No step may produce that: see IsStuck, which
// is asserted at each step.
//
// Limits: 65,535 units, 255 workers.
//
// Rejected: the compression ring for this too (its slots have an order and a
// writer), an atomic counter of units beside one of workers (two words: the
// last one to leave cannot be told), a job that continues after the caller has
// returned (no thread could abandon it or get its errors).
//
// Tests: test/model/loop_state_test.cc, test/util/worker_crew_test.cc.
#ifndef ASHLAR_UTIL_SYNC_LOOP_STATE_H_
#define ASHLAR_UTIL_SYNC_LOOP_STATE_H_

#include <cassert>
#include <cstdint>

namespace ashlar::internal {

inline constexpr uint32_t kMaxLoopUnits = 65535;
inline constexpr uint32_t kMaxLoopWorkers = 255;

struct LoopState {
  uint32_t next = 0;  // the unit to claim next
  uint32_t units = 0;
  uint32_t attending = 0;
  uint32_t tickets = 0;
  bool caller_sleeps = false;
  bool failed = false;

  constexpr bool UnitsLeft() const { return !failed && next < units; }
  constexpr bool operator==(const LoopState&) const = default;
};

constexpr uint64_t PackLoopState(const LoopState& s) {
  // The analyzer loses track of copied states.
  // NOLINTBEGIN(clang-analyzer-core.UndefinedBinaryOperatorResult)
  return uint64_t{s.next} | uint64_t{s.units} << 16 |
         uint64_t{s.attending} << 32 | uint64_t{s.tickets} << 40 |
         uint64_t{s.caller_sleeps} << 48 | uint64_t{s.failed} << 49;
  // NOLINTEND(clang-analyzer-core.UndefinedBinaryOperatorResult)
}

constexpr LoopState UnpackLoopState(uint64_t word) {
  const auto take = [word](int shift, uint64_t mask) {
    return static_cast<uint32_t>(word >> shift & mask);
  };
  return {take(0, 0xffff), take(16, 0xffff), take(32, 0xff),
          take(40, 0xff),  take(48, 1) != 0, take(49, 1) != 0};
}

enum class LoopTask : uint8_t {
  kUnit,     // do the unit of the step
  kProceed,  // caller: no unit is left to claim; at the end: nobody is here
  kSleep,    // caller: sleep until the token comes
  kLeave,    // worker: done with this loop
};

// The word that a thread must write, and what it must do once it has.
struct LoopStep {
  using Task = LoopTask;
  LoopState next;
  LoopTask task = LoopTask::kProceed;
  uint32_t unit = 0;
  bool wake_owner = false;   // post the caller's token
  bool send_worker = false;  // put a ticket into the pool
};

struct LoopProtocol {
  using State = LoopState;
  using Step = LoopStep;
  static constexpr uint64_t Pack(const State& s) { return PackLoopState(s); }
  static constexpr State Unpack(uint64_t word) { return UnpackLoopState(word); }

  static constexpr LoopStep Claim(const LoopState& s) {
    if (!s.UnitsLeft()) return {s, LoopTask::kProceed};
    LoopStep step{s, LoopTask::kUnit, s.next};
    ++step.next.next;
    return step;
  }

  static constexpr LoopStep Arrive(LoopState s) {
    assert(s.tickets > 0);
    --s.tickets;
    ++s.attending;
    return {s};
  }

  static constexpr LoopStep Look(const LoopState& s) {
    return s.UnitsLeft() ? Claim(s) : Leave(s);
  }

  // Only between two units.
  static constexpr LoopStep Yield(const LoopState& s) {
    if (!s.UnitsLeft()) return Leave(s);
    LoopState queued = s;
    ++queued.tickets;
    LoopStep step = Leave(queued);
    step.send_worker = true;
    return step;
  }

  static constexpr LoopStep Fail(LoopState s) {
    s.failed = true;
    return {s};
  }

  static constexpr LoopStep Withdraw(LoopState s, uint32_t tickets) {
    assert(s.tickets >= tickets && !s.UnitsLeft());
    s.tickets -= tickets;
    return {s};
  }

  static constexpr LoopStep LookForEnd(const LoopState& s) {
    if (s.attending == 0 && s.tickets == 0) return {s, LoopTask::kProceed};
    LoopStep step{s, LoopTask::kSleep};
    step.next.caller_sleeps = true;
    return step;
  }

  // Returns whether no thread is awake, and none is sure to come.
  static constexpr bool IsStuck(const LoopState& s) {
    return s.caller_sleeps && s.attending == 0 && s.tickets == 0;
  }

 private:
  static constexpr LoopStep Leave(const LoopState& s) {
    assert(s.attending > 0);
    LoopStep step{s, LoopTask::kLeave};
    --step.next.attending;
    if (step.next.attending == 0 && step.next.tickets == 0) {
      step.wake_owner = step.next.caller_sleeps;
      step.next.caller_sleeps = false;
    }
    return step;
  }
};

// Asserted at each step (util/sync/pool_job.h).
inline void RequireSomebodyAwake([[maybe_unused]] const LoopState& s) {
  assert(!LoopProtocol::IsStuck(s));
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_LOOP_STATE_H_
