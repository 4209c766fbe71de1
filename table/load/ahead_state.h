// The protocol of decoding ahead: one 64-bit word and the steps on it.
//
// Purpose. A thread walks over blocks, the owner. Workers of a pool decode the
// blocks that it comes to next. The blocks are in runs, and each run is in a
// slot of a ring. This file has the steps, as pure functions. decode_ahead.cc
// takes them, by means of PoolJob, and test/model explores every interleaving.
//
// Words. The *first* slot is the one whose run the walk is in, or comes to
// next; runs follow in the order of the ring. A worker *attends* from when it
// arrives with a ticket until it leaves. A *ticket* is the pool's promise to
// send a worker, which the pool may take forever to keep.
//
// Layout, from the low bit: slots 8 x 3, first 3, attending 8, tickets 8,
// owner 2.
//
// States of a slot, who owns its run, and who may move it on:
//
//   kFree      the owner        Plan: kPlanned
//   kPlanned   nobody           Look, Reach: kDecoding. Drop: kFree
//   kDecoding  the thread that  Finish: kDecoded. Drop, if a worker decodes:
//              decodes it       kDropped
//   kDecoded   the owner        Recycle, Drop: kFree
//   kDropped   the worker that  Free: kFree
//              decodes it
//
// Steps, the thread that takes them, and what they do:
//   Plan        owner    hands a run over. Sends for a worker if there are more
//                        planned runs than tickets, and workers to come
//   Reach       owner    comes to the first slot. Takes its run if it is
//                        decoded. If nobody has begun it, decodes it. While a
//                        worker decodes it, decodes the next run that nobody
//                        has begun; if there is none, sleeps
//   Recycle     owner    is done with the first slot: the next one is first
//   Drop        owner    a seek, a turn or the end: nothing of what is ahead is
//                        needed
//   Arrive      worker   turns its ticket into attendance
//   Look        worker   begins the first planned run, or else leaves
//   Yield       worker   leaves. If runs are planned, its ticket is queued
//                        again
//   Finish      any      has decoded a run. A worker whose run was dropped
//                        clears it first, and then takes Free
//   Withdraw    owner    counts the tickets that it took back from the pool
//   LookForEnd  owner    proceeds if no worker attends or is on the way.
//                        Otherwise sleeps
//
// Memory orders. Every step is a compare-exchange with acquire and release on
// the one word. So a thread that gets a run by a step sees what the previous
// owner of the run wrote. A chain of read-modify-writes keeps a release
// sequence, so steps of other threads in between do no harm.
//
// Progress. The owner needs no worker: it decodes what nobody has begun. It
// sleeps only while a worker is decoding the first slot, or, at the end, while
// one attends or is sure to come, since it has taken back the tickets that no
// worker holds. A worker never waits. "Everybody sleeps" cannot be produced by
// any step: see IsStuck, which is asserted at each step. A seek waits for
// nobody: a worker's run is dropped, and the worker notices between two blocks.
//
// Limits: 8 slots, 255 workers.
//
// Rejected: a slot per block (a step of some 50 ns and a read each, for blocks
// that take 1 us to decode), the shared loop for this (loop_state.h: its caller
// stays until the end), the compression ring (write/ring_state.h: it has a
// writer, and cannot drop), a wait for workers at each seek.
//
// Tests: test/model/ahead_state_test.cc, test/table/decode_ahead_test.cc.
#ifndef ASHLAR_TABLE_LOAD_AHEAD_STATE_H_
#define ASHLAR_TABLE_LOAD_AHEAD_STATE_H_

#include <array>
#include <cassert>
#include <cstdint>

namespace ashlar::internal {

inline constexpr uint32_t kAheadSlots = 8;
inline constexpr uint32_t kMostAheadWorkers = 255;

enum class AheadSlot : uint8_t {
  kFree,
  kPlanned,
  kDecoding,
  kDecoded,
  kDropped,
};

// What the owner does.
enum class AheadOwner : uint8_t {
  kAwake,
  kAwaitsFirst,  // sleeps until the first slot is decoded
  kAwaitsEnd,    // sleeps until the last worker has left
};

struct AheadState {
  std::array<AheadSlot, kAheadSlots> slots{};
  uint32_t first = 0;
  uint32_t attending = 0;
  uint32_t tickets = 0;
  AheadOwner owner = AheadOwner::kAwake;

  // Returns the first slot, in the order of the ring, that is planned;
  // kAheadSlots if none is.
  constexpr uint32_t NextPlanned() const {
    for (uint32_t i = 0; i < kAheadSlots; ++i) {
      const uint32_t slot = (first + i) % kAheadSlots;
      if (slots[slot] == AheadSlot::kPlanned) return slot;
    }
    return kAheadSlots;
  }
  constexpr uint32_t NumPlanned() const {
    uint32_t n = 0;
    for (const AheadSlot slot : slots) n += slot == AheadSlot::kPlanned ? 1 : 0;
    return n;
  }
  constexpr bool operator==(const AheadState&) const = default;
};

enum class AheadTask : uint8_t {
  kProceed,
  kDecode,  // decode the run of the step's slot, then Finish
  kClear,   // worker: the run was dropped; clear it, then Free
  kSleep,   // owner: sleep until the token comes
  kLeave,   // worker: done here
};

// The word that a thread must write, and what it must do once it has.
struct AheadStep {
  using Task = AheadTask;
  AheadState next;
  AheadTask task = AheadTask::kProceed;
  uint32_t slot = 0;
  bool wake_owner = false;   // post the owner's token
  bool send_worker = false;  // put a ticket into the pool
};

struct AheadProtocol {
  using State = AheadState;
  using Step = AheadStep;

  static constexpr int kSlotBits = 3;
  static constexpr int kFirstAt = kSlotBits * static_cast<int>(kAheadSlots);

  static constexpr uint64_t Pack(const AheadState& s) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < kAheadSlots; ++i) {
      word |= static_cast<uint64_t>(s.slots[i]) << (i * kSlotBits);
    }
    return word | uint64_t{s.first} << kFirstAt |
           uint64_t{s.attending} << (kFirstAt + 3) |
           uint64_t{s.tickets} << (kFirstAt + 11) |
           static_cast<uint64_t>(s.owner) << (kFirstAt + 19);
  }
  static constexpr AheadState Unpack(uint64_t word) {
    const auto take = [word](int shift, uint64_t mask) {
      return static_cast<uint32_t>(word >> shift & mask);
    };
    AheadState s;
    for (uint32_t i = 0; i < kAheadSlots; ++i) {
      s.slots[i] =
          static_cast<AheadSlot>(take(static_cast<int>(i) * kSlotBits, 7));
    }
    s.first = take(kFirstAt, 7);
    s.attending = take(kFirstAt + 3, 0xff);
    s.tickets = take(kFirstAt + 11, 0xff);
    s.owner = static_cast<AheadOwner>(take(kFirstAt + 19, 3));
    return s;
  }

  // At most `workers` come at a time.
  static constexpr AheadStep Plan(AheadState s, uint32_t slot,
                                  uint32_t workers) {
    assert(s.slots[slot] == AheadSlot::kFree);
    s.slots[slot] = AheadSlot::kPlanned;
    const bool sends =
        s.attending + s.tickets < workers && s.NumPlanned() > s.tickets;
    if (sends) ++s.tickets;
    AheadStep step{s};
    step.send_worker = sends;
    return step;
  }

  static constexpr AheadStep Reach(const AheadState& s) {
    const AheadSlot there = s.slots[s.first];
    assert(there != AheadSlot::kFree && there != AheadSlot::kDropped);
    if (there == AheadSlot::kDecoded) return {s};
    const uint32_t slot = s.NextPlanned();
    if (slot != kAheadSlots) return Begin(s, slot);
    AheadStep step{s, AheadTask::kSleep};
    step.next.owner = AheadOwner::kAwaitsFirst;
    return step;
  }

  static constexpr AheadStep Recycle(AheadState s) {
    assert(s.slots[s.first] == AheadSlot::kDecoded);
    s.slots[s.first] = AheadSlot::kFree;
    s.first = (s.first + 1) % kAheadSlots;
    return {s};
  }

  // The next run will be planned in slot `first`.
  static constexpr AheadStep Drop(AheadState s, uint32_t first) {
    for (AheadSlot& slot : s.slots) {
      if (slot == AheadSlot::kDecoding) {
        slot = AheadSlot::kDropped;
      } else if (slot != AheadSlot::kDropped) {
        slot = AheadSlot::kFree;
      }
    }
    s.first = first;
    return {s};
  }

  static constexpr AheadStep Arrive(AheadState s) {
    assert(s.tickets > 0);
    --s.tickets;
    ++s.attending;
    return {s};
  }

  static constexpr AheadStep Look(const AheadState& s) {
    const uint32_t slot = s.NextPlanned();
    return slot == kAheadSlots ? Leave(s) : Begin(s, slot);
  }

  // Only between two runs.
  static constexpr AheadStep Yield(AheadState s) {
    if (s.NextPlanned() == kAheadSlots) return Leave(s);
    ++s.tickets;
    AheadStep step = Leave(s);
    step.send_worker = true;
    return step;
  }

  static constexpr AheadStep Finish(const AheadState& s, uint32_t slot) {
    if (s.slots[slot] == AheadSlot::kDropped) {
      return {s, AheadTask::kClear, slot};
    }
    assert(s.slots[slot] == AheadSlot::kDecoding);
    AheadStep step{s};
    step.next.slots[slot] = AheadSlot::kDecoded;
    if (s.owner == AheadOwner::kAwaitsFirst && slot == s.first) {
      step.next.owner = AheadOwner::kAwake;
      step.wake_owner = true;
    }
    return step;
  }

  static constexpr AheadStep Free(AheadState s, uint32_t slot) {
    assert(s.slots[slot] == AheadSlot::kDropped);
    s.slots[slot] = AheadSlot::kFree;
    return {s};
  }

  static constexpr AheadStep Withdraw(AheadState s, uint32_t tickets) {
    assert(s.tickets >= tickets && s.NumPlanned() == 0);
    s.tickets -= tickets;
    return {s};
  }

  static constexpr AheadStep LookForEnd(const AheadState& s) {
    if (s.attending == 0 && s.tickets == 0) return {s};
    AheadStep step{s, AheadTask::kSleep};
    step.next.owner = AheadOwner::kAwaitsEnd;
    return step;
  }

  // Returns whether the owner sleeps, and no thread that is awake or sure to
  // come will wake it.
  static constexpr bool IsStuck(const AheadState& s) {
    if (s.owner == AheadOwner::kAwake) return false;
    if (s.owner == AheadOwner::kAwaitsEnd) {
      return s.attending == 0 && s.tickets == 0;
    }
    return s.attending == 0 || s.slots[s.first] != AheadSlot::kDecoding;
  }

 private:
  static constexpr AheadStep Begin(const AheadState& s, uint32_t slot) {
    AheadStep step{s, AheadTask::kDecode, slot};
    step.next.slots[slot] = AheadSlot::kDecoding;
    return step;
  }

  static constexpr AheadStep Leave(const AheadState& s) {
    assert(s.attending > 0);
    AheadStep step{s, AheadTask::kLeave};
    --step.next.attending;
    if (step.next.attending == 0 && step.next.tickets == 0 &&
        s.owner == AheadOwner::kAwaitsEnd) {
      step.next.owner = AheadOwner::kAwake;
      step.wake_owner = true;
    }
    return step;
  }
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_LOAD_AHEAD_STATE_H_
