// Every interleaving of the compression ring's real steps.
//
// A World is one emit thread, some workers, the pool's queue of tickets and the
// emit thread's token, between two steps. A step is one compare-exchange on the
// ring's word, or one operation on the pool or the token. Fault and abandon are
// optional steps. Explore visits every reachable world and returns the first
// fault. Its steps are an argument: the ring's own, or steps with a seeded
// defect.
//
// Used by ring_state_test.cc. The model is sequentially consistent; it does not
// test memory orders.
#ifndef ASHLAR_TEST_MODEL_RING_WORLD_H_
#define ASHLAR_TEST_MODEL_RING_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "table/write/ring_state.h"
#include "test/model/world_set.h"

namespace ashlar::model {

using internal::PackRingState;
using internal::RingProtocol;
using internal::RingShape;
using internal::RingState;
using internal::RingStep;
using internal::RingTask;
using internal::UnpackRingState;

struct Scenario {
  uint32_t pool_threads = 1;
  uint32_t workers = 1;  // that may attend at once
  uint32_t slots = 2;
  uint32_t blocks = 4;
  bool faults = false;  // any task may fail, and the caller may abandon
  bool yields = false;  // workers may leave for other rings
  // Whether to check the protocol's own IsStuck too. Without it, a deadlock is
  // a world in which no thread can take a step.
  bool asks_is_stuck = true;
};

struct Verdict {
  std::string fault;  // empty: none
  size_t worlds = 0;
};

enum class EmitAt : uint8_t {
  kWant,      // wants a free slot
  kFill,      // has a free slot
  kCompress,  // helps: compresses `slot`
  kWrite,
  kSleep,
  kClose,
  kDrain,     // waits until all is written
  kTakeBack,  // tickets, from the pool
  kWithdraw,  // these tickets, from the word
  kEnd,
  kDone,
};

enum class WorkerAt : uint8_t {
  kIdle,
  kTicket,
  kLook,
  kCompress,
  kWrite,
};

enum class SlotIs : uint8_t { kEmpty, kRaw, kTaken, kCompressed };

constexpr uint32_t kMostWorkers = 3;
constexpr uint32_t kMostSlots = 4;

struct Thread {
  uint8_t at = 0;
  uint8_t slot = 0;
  uint8_t behind = 0;  // emit: where it returns to from kSleep and tasks
  bool posts_wake = false;
  bool posts_ticket = false;
};

struct World {
  RingState ring;
  Thread emit;
  std::array<Thread, kMostWorkers> workers;
  uint32_t queue = 0;   // tickets in the pool
  uint32_t taken = 0;   // tickets taken back
  uint32_t tokens = 0;  // of the emit thread
  uint32_t published = 0;
  uint32_t written = 0;
  std::array<SlotIs, kMostSlots> slots{};
  bool error = false;  // a task failed, or the caller gave up
  bool freed = false;

  WorldKey Key() const {
    uint64_t rest = 0;
    const auto put = [&rest](uint64_t value, int bits) {
      rest = rest << bits | value;
    };
    const auto put_thread = [&put](const Thread& t, int at_bits) {
      put(t.at, at_bits);
      put(t.slot, 2);
      put(t.posts_wake ? 1 : 0, 1);
      put(t.posts_ticket ? 1 : 0, 1);
    };
    put_thread(emit, 4);
    put(emit.behind == static_cast<uint8_t>(EmitAt::kDrain) ? 1
        : emit.behind == static_cast<uint8_t>(EmitAt::kEnd) ? 2
                                                            : 0,
        2);
    for (const Thread& w : workers) put_thread(w, 3);
    for (const SlotIs s : slots) put(static_cast<uint64_t>(s), 2);
    put(queue, 3);
    put(taken, 3);
    put(tokens, 2);
    put(published, 4);
    put(written, 4);
    put(error ? 1 : 0, 1);
    put(freed ? 1 : 0, 1);
    return {PackRingState(ring), rest};
  }
};

// The ring's own steps. They are virtual, so that a defect overrides the step
// that it breaks and the explorer is compiled once for all defects.
class RingSteps {
 public:
  explicit RingSteps(const RingShape& shape) : protocol_(shape) {}
  RingSteps(const RingSteps&) = delete;
  RingSteps& operator=(const RingSteps&) = delete;
  virtual ~RingSteps() = default;

  virtual RingStep Publish(const RingState& s) const {
    return protocol_.Publish(s);
  }
  virtual RingStep LookForEmit(const RingState& s, uint32_t most) const {
    return protocol_.LookForEmit(s, most);
  }
  RingStep Arrive(const RingState& s) const { return protocol_.Arrive(s); }
  virtual RingStep Look(const RingState& s) const { return protocol_.Look(s); }
  virtual RingStep Yield(const RingState& s) const {
    return protocol_.Yield(s);
  }
  virtual RingStep Compressed(const RingState& s, uint32_t slot,
                              bool by_emit) const {
    return protocol_.Compressed(s, slot, by_emit);
  }
  virtual RingStep Wrote(const RingState& s) const {
    return protocol_.Wrote(s);
  }
  virtual RingStep Fail(const RingState& s, bool drop_writer_role) const {
    return protocol_.Fail(s, drop_writer_role);
  }
  RingStep Close(const RingState& s) const { return protocol_.Close(s); }
  virtual RingStep Withdraw(const RingState& s, uint32_t tickets) const {
    return protocol_.Withdraw(s, tickets);
  }
  virtual RingStep LookForEnd(const RingState& s) const {
    return protocol_.LookForEnd(s);
  }

 private:
  const RingProtocol protocol_;
};

class Explorer {
 public:
  // `steps` must outlive the explorer, and must have the scenario's shape.
  Explorer(const Scenario& scenario, const RingSteps& steps)
      : scenario_(scenario), protocol_(steps) {}

  Verdict Explore() {
    Verdict verdict;
    WorldSet<WorldKey> seen;
    Push(World());
    while (!open_.empty() && fault_.empty()) {
      const World world = open_.back();
      open_.pop_back();
      if (!seen.Insert(world.Key())) continue;
      ++verdict.worlds;
      const size_t before = open_.size();
      StepEmit(world);
      for (uint32_t i = 0; i < scenario_.pool_threads; ++i) {
        StepWorker(world, i);
      }
      if (open_.size() == before) CheckEnd(world);
    }
    verdict.fault = fault_;
    return verdict;
  }

 private:
  void Push(const World& world) { open_.push_back(world); }
  void Require(bool holds, const char* what) {
    if (!holds && fault_.empty()) fault_ = what;
  }

  static bool AnyPosts(const Thread& t) {
    return t.posts_wake || t.posts_ticket;
  }

  // Posts one wake-up or ticket as a step, before the thread continues.
  bool Post(const World& world, Thread World::*emit, int worker) {
    const Thread& t = emit != nullptr ? world.*emit : world.workers[worker];
    if (!AnyPosts(t)) return false;
    World next = world;
    Thread& to = emit != nullptr ? next.*emit : next.workers[worker];
    if (to.posts_wake) {
      to.posts_wake = false;
      ++next.tokens;
      Require(next.tokens <= 1, "a second token for the emit thread");
    } else {
      to.posts_ticket = false;
      ++next.queue;
    }
    Push(next);
    return true;
  }

  // Applies the compare-exchange.
  void Take(World* world, Thread* thread, const RingStep& step) {
    Require(!world->freed, "the ring is touched after its end");
    Require(!scenario_.asks_is_stuck || !RingProtocol::IsStuck(step.next),
            "everybody sleeps");
    Require(step.next.attending + step.next.tickets <= scenario_.workers,
            "more workers than may attend");
    Require(!step.send_worker || !step.next.failed,
            "sends for a worker after an error");
    world->ring = step.next;
    thread->slot = static_cast<uint8_t>(step.slot);
    thread->posts_wake = step.wake_owner;
    thread->posts_ticket = step.send_worker;
  }

  void Begin(World* world, const RingStep& step) {
    const bool works =
        step.task == RingTask::kCompress || step.task == RingTask::kWrite;
    Require(!works || !world->ring.failed, "works on after an error");
    SlotIs& slot = world->slots[step.slot];
    if (step.task == RingTask::kCompress) {
      Require(slot == SlotIs::kRaw, "compresses what is not raw");
      slot = SlotIs::kTaken;
    } else if (step.task == RingTask::kWrite) {
      CheckWrite(*world, step.slot);
    }
  }

  void CheckWrite(const World& world, uint32_t slot) {
    Require(world.slots[slot] == SlotIs::kCompressed,
            "writes what is not compressed");
    Require(slot == world.written % scenario_.slots, "writes out of order");
    int writers = world.emit.at == static_cast<uint8_t>(EmitAt::kWrite) ? 1 : 0;
    for (const Thread& w : world.workers) {
      if (w.at == static_cast<uint8_t>(WorkerAt::kWrite)) ++writers;
    }
    Require(writers <= 1, "two writers");
  }

  void FinishCompress(World* world, Thread* thread, bool by_emit) {
    world->slots[thread->slot] = SlotIs::kCompressed;
    Take(world, thread,
         protocol_.Compressed(world->ring, thread->slot, by_emit));
  }

  // Continues with the next slot if it may be written.
  template <typename At>
  void FinishWrite(World* world, Thread* thread, At write, At other) {
    const bool may = world->ring.writing && (world->ring.compressed & 1) != 0;
    Require(may, "two writers");
    if (!may) return;
    world->slots[thread->slot] = SlotIs::kEmpty;
    ++world->written;
    const RingStep step = protocol_.Wrote(world->ring);
    const bool again = step.task == RingTask::kWrite;
    Require(!again || !world->ring.failed, "works on after an error");
    thread->at = static_cast<uint8_t>(again ? write : other);
    Take(world, thread, step);
    if (again) CheckWrite(*world, step.slot);
  }

  // `thread` must be part of *world.
  void FailTask(World* world, Thread* thread, bool drops_writer_role) {
    world->error = true;
    Take(world, thread, protocol_.Fail(world->ring, drops_writer_role));
    Push(*world);
  }

  void StepEmit(const World& world) {
    if (Post(world, &World::emit, -1)) return;
    switch (static_cast<EmitAt>(world.emit.at)) {
      case EmitAt::kWant:
        return EmitWants(world);
      case EmitAt::kFill:
        return EmitFills(world);
      case EmitAt::kCompress:
      case EmitAt::kWrite:
        return EmitWorks(world);
      case EmitAt::kSleep:
        if (world.tokens > 0) {
          World next = world;
          --next.tokens;
          next.emit.at = world.emit.behind;
          Push(next);
        }
        return;
      case EmitAt::kClose: {
        World next = world;
        next.emit.at = static_cast<uint8_t>(EmitAt::kDrain);
        Take(&next, &next.emit, protocol_.Close(world.ring));
        Push(next);
        return;
      }
      case EmitAt::kDrain:
        return EmitLooks(world, EmitAt::kDrain, EmitAt::kTakeBack, 0);
      case EmitAt::kTakeBack: {
        World next = world;
        next.taken = world.queue;
        next.queue = 0;
        next.emit.at = static_cast<uint8_t>(EmitAt::kWithdraw);
        Push(next);
        return;
      }
      case EmitAt::kWithdraw: {
        World next = world;
        next.emit.at = static_cast<uint8_t>(EmitAt::kEnd);
        Take(&next, &next.emit, protocol_.Withdraw(world.ring, world.taken));
        next.taken = 0;
        Push(next);
        return;
      }
      case EmitAt::kEnd:
        return EmitEnds(world);
      case EmitAt::kDone:
        return;
    }
  }

  void EmitWants(const World& world) {
    if (world.published == scenario_.blocks) {
      World next = world;
      next.emit.at = static_cast<uint8_t>(EmitAt::kClose);
      return Push(next);
    }
    if (scenario_.faults) {  // the caller abandons
      World next = world;
      next.error = true;
      next.emit.at = static_cast<uint8_t>(EmitAt::kClose);
      Take(&next, &next.emit, protocol_.Fail(world.ring, false));
      Push(next);
    }
    EmitLooks(world, EmitAt::kWant, EmitAt::kFill, scenario_.slots - 1);
    // Near the end of the file, the emit thread wants fewer blocks in flight.
    for (uint32_t most = 0; most + 1 < scenario_.slots; ++most) {
      EmitLooks(world, EmitAt::kWant, EmitAt::kFill, most);
    }
  }

  void EmitLooks(const World& world, EmitAt here, EmitAt proceed,
                 uint32_t most) {
    const RingStep step = protocol_.LookForEmit(world.ring, most);
    World next = world;
    next.emit.behind = static_cast<uint8_t>(here);
    EmitAt at = proceed;
    switch (step.task) {
      case RingTask::kProceed:
        if (here == EmitAt::kWant && step.next.failed) at = EmitAt::kClose;
        break;
      case RingTask::kCompress:
        at = EmitAt::kCompress;
        break;
      case RingTask::kWrite:
        at = EmitAt::kWrite;
        break;
      case RingTask::kSleep:
        at = EmitAt::kSleep;
        break;
      case RingTask::kLeave:
        return Require(false, "the emit thread leaves");
    }
    next.emit.at = static_cast<uint8_t>(at);
    Take(&next, &next.emit, step);
    Begin(&next, step);
    Push(next);
  }

  void EmitFills(const World& world) {
    World next = world;
    const uint32_t slot =
        (world.ring.head + world.ring.emitted) % scenario_.slots;
    Require(next.slots[slot] == SlotIs::kEmpty, "fills a slot in use");
    Require(slot == world.published % scenario_.slots, "fills out of order");
    if (!fault_.empty()) return;
    next.slots[slot] = SlotIs::kRaw;
    ++next.published;
    next.emit.at = static_cast<uint8_t>(EmitAt::kWant);
    Take(&next, &next.emit, protocol_.Publish(world.ring));
    Push(next);
  }

  void EmitWorks(const World& world) {
    const auto behind = static_cast<EmitAt>(world.emit.behind);
    World next = world;
    if (world.emit.at == static_cast<uint8_t>(EmitAt::kCompress)) {
      next.emit.at = world.emit.behind;
      FinishCompress(&next, &next.emit, true);
    } else {
      FinishWrite(&next, &next.emit, EmitAt::kWrite, behind);
    }
    Push(next);
    if (!scenario_.faults) return;
    World failed = world;
    failed.emit.at = world.emit.behind;
    FailTask(&failed, &failed.emit,
             world.emit.at == static_cast<uint8_t>(EmitAt::kWrite));
  }

  void EmitEnds(const World& world) {
    World next = world;
    const RingStep step = protocol_.LookForEnd(world.ring);
    const bool done = step.task == RingTask::kProceed;
    next.emit.behind = static_cast<uint8_t>(EmitAt::kEnd);
    next.emit.at = static_cast<uint8_t>(done ? EmitAt::kDone : EmitAt::kSleep);
    Take(&next, &next.emit, step);
    next.freed = done;
    Push(next);
  }

  void StepWorker(const World& world, uint32_t i) {
    const Thread& worker = world.workers[i];
    if (Post(world, nullptr, static_cast<int>(i))) return;
    World next = world;
    Thread& w = next.workers[i];
    switch (static_cast<WorkerAt>(worker.at)) {
      case WorkerAt::kIdle:
        if (world.queue == 0) return;
        --next.queue;
        w.at = static_cast<uint8_t>(WorkerAt::kTicket);
        return Push(next);
      case WorkerAt::kTicket:
        w.at = static_cast<uint8_t>(WorkerAt::kLook);
        Take(&next, &w, protocol_.Arrive(world.ring));
        return Push(next);
      case WorkerAt::kLook:
        WorkerTakes(world, i, protocol_.Look(world.ring));
        if (scenario_.yields)
          WorkerTakes(world, i, protocol_.Yield(world.ring));
        return;
      case WorkerAt::kCompress:
        w.at = static_cast<uint8_t>(WorkerAt::kLook);
        FinishCompress(&next, &w, false);
        Push(next);
        return WorkerFails(world, i, false);
      case WorkerAt::kWrite:
        FinishWrite(&next, &w, WorkerAt::kWrite, WorkerAt::kLook);
        Push(next);
        return WorkerFails(world, i, true);
    }
  }

  void WorkerTakes(const World& world, uint32_t i, const RingStep& step) {
    World next = world;
    Thread& w = next.workers[i];
    WorkerAt at = WorkerAt::kIdle;
    if (step.task == RingTask::kCompress) at = WorkerAt::kCompress;
    if (step.task == RingTask::kWrite) at = WorkerAt::kWrite;
    w.at = static_cast<uint8_t>(at);
    Take(&next, &w, step);
    Begin(&next, step);
    Push(next);
  }

  void WorkerFails(const World& world, uint32_t i, bool writing) {
    if (!scenario_.faults) return;
    World failed = world;
    failed.workers[i].at = static_cast<uint8_t>(WorkerAt::kLook);
    FailTask(&failed, &failed.workers[i], writing);
  }

  // Called when no thread can take a step.
  void CheckEnd(const World& world) {
    Require(world.emit.at == static_cast<uint8_t>(EmitAt::kDone), "deadlock");
    Require(world.error || world.written == scenario_.blocks,
            "ends with blocks unwritten");
    Require(world.tokens == 0 && world.queue == 0, "tokens are left over");
    for (const Thread& w : world.workers) {
      Require(w.at == static_cast<uint8_t>(WorkerAt::kIdle),
              "a worker does not come home");
    }
  }

  const Scenario scenario_;
  const RingSteps& protocol_;
  std::vector<World> open_;
  std::string fault_;
};

}  // namespace ashlar::model

#endif  // ASHLAR_TEST_MODEL_RING_WORLD_H_
