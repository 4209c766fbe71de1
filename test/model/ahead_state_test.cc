// Every interleaving of the steps of decoding ahead, and of the same steps with
// seeded defects.
//
// A World is one owner, some workers, the pool's queue of tickets and the
// owner's token, between two steps. A step is one compare-exchange on the word,
// or one operation on the pool or the token. The owner plans runs, comes to
// them, drops them and ends, in every order. Each run has a number; the world
// knows which thread has a slot, and what is in it. The model is sequentially
// consistent; it does not test memory orders.

#include "table/load/ahead_state.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "test/model/world_set.h"

namespace ashlar::model {
namespace {

using internal::AheadOwner;
using internal::AheadProtocol;
using internal::AheadSlot;
using internal::AheadState;
using internal::AheadStep;
using internal::AheadTask;
using internal::kAheadSlots;

constexpr size_t kMostWorkers = 2;

struct Scenario {
  uint32_t pool_threads = 1;
  uint32_t plans = 3;
  uint32_t drops = 1;
};

enum class At : uint8_t {
  // Only the owner.
  kWalks,
  kReach,
  kHas,  // the first run, decoded
  kTakeBack,
  kWithdraw,
  kEnd,
  kSleep,     // for the first run
  kSleepEnd,  // for the end
  kDone,
  // Only workers.
  kIdle,
  kTicket,
  kLook,
  kClear,
  // Owner or worker, with a slot.
  kDecode,
  kFinish,
};

enum class Content : uint8_t { kNothing, kPlanned, kDecoded };

struct Thread {
  At at = At::kIdle;
  uint8_t slot = 0;
  bool posts_wake = false;
  bool posts_ticket = false;
};

struct World {
  uint64_t word = 0;
  std::array<Thread, kMostWorkers + 1> threads;  // the first is the owner
  std::array<Content, kAheadSlots> contents{};
  std::array<uint8_t, kAheadSlots> holders{};  // thread + 1; 0: none
  uint8_t ring_size = 0;
  uint8_t plans = 0;
  uint8_t drops = 0;
  uint8_t queue = 0;
  uint8_t taken = 0;
  uint8_t tokens = 0;
  std::array<uint8_t, 6> padding{};
};
static_assert(sizeof(World) == 48);

template <typename Protocol>
class Explorer {
 public:
  explicit Explorer(const Scenario& scenario) : scenario_(scenario) {}

  // Returns the first fault, or an empty string.
  std::string Explore() {
    World first;
    AheadState state;
    state.first = kAheadSlots - 2;  // so that the ring turns
    first.word = AheadProtocol::Pack(state);
    first.threads[0].at = At::kWalks;
    Reach(first);
    while (!open_.empty() && fault_.empty()) {
      const World world = open_.back();
      open_.pop_back();
      const size_t before = steps_;
      for (size_t t = 0; t <= scenario_.pool_threads; ++t) StepOf(world, t);
      if (steps_ == before) CheckEnd(world);
    }
    return fault_;
  }
  size_t worlds() const { return seen_.size(); }

 private:
  void Reach(const World& world) {
    ++steps_;
    const AheadState s = AheadProtocol::Unpack(world.word);
    if (AheadProtocol::IsStuck(s)) fault_ = "everybody sleeps";
    if (world.tokens > 1) fault_ = "two tokens for one sleeper";
    if (seen_.Insert(world)) open_.push_back(world);
  }

  // Takes a step of thread t.
  template <typename Choose>
  AheadStep Take(World* w, size_t t, const Choose& choose) {
    if (w->threads[0].at == At::kDone) fault_ = "a step after the end";
    const AheadStep step = choose(AheadProtocol::Unpack(w->word));
    w->word = AheadProtocol::Pack(step.next);
    if (AheadProtocol::Unpack(w->word) != step.next) {
      fault_ = "does not fit the word";
    }
    w->threads[t].posts_wake |= step.wake_owner;
    w->threads[t].posts_ticket |= step.send_worker;
    if (step.task == AheadTask::kDecode) {
      if (w->holders[step.slot] != 0) fault_ = "two threads have a run";
      if (w->contents[step.slot] != Content::kPlanned) {
        fault_ = "a run is decoded that was not planned";
      }
      w->holders[step.slot] = static_cast<uint8_t>(t + 1);
      w->threads[t].slot = static_cast<uint8_t>(step.slot);
      w->threads[t].at = At::kDecode;
    }
    return step;
  }

  // Posts what the thread's last step promised. Returns whether there was any.
  bool Post(const World& world, size_t t) {
    World next = world;
    Thread* const thread = &next.threads[t];
    if (thread->posts_wake) {
      thread->posts_wake = false;
      ++next.tokens;
    } else if (thread->posts_ticket) {
      thread->posts_ticket = false;
      ++next.queue;
    } else {
      return false;
    }
    Reach(next);
    return true;
  }

  void StepOf(const World& world, size_t t) {
    if (Post(world, t)) return;
    World next = world;
    Thread* const thread = &next.threads[t];
    switch (thread->at) {
      case At::kDecode:
        next.contents[thread->slot] = Content::kDecoded;
        thread->at = At::kFinish;
        return Reach(next);
      case At::kFinish: {
        const uint32_t slot = thread->slot;
        next.holders[slot] = 0;
        const AheadSlot there = AheadProtocol::Unpack(next.word).slots[slot];
        if (there != AheadSlot::kDecoding && there != AheadSlot::kDropped) {
          fault_ = "a run is finished that nobody decodes";
          return;
        }
        const AheadStep step = Take(&next, t, [slot](const AheadState& s) {
          return Protocol::Finish(s, slot);
        });
        if (step.task == AheadTask::kClear) {
          next.holders[slot] = static_cast<uint8_t>(t + 1);
          thread->at = At::kClear;
        } else {
          thread->at = t == 0 ? At::kReach : At::kLook;
        }
        return Reach(next);
      }
      default:
        return t == 0 ? StepOwner(world) : StepWorker(world, t);
    }
  }

  void StepOwner(const World& world) {
    World next = world;
    Thread* const owner = &next.threads[0];
    switch (owner->at) {
      case At::kWalks:
        Plan(world);
        if (world.ring_size != 0) {
          owner->at = At::kReach;
          Reach(next);
        }
        Drop(world, At::kWalks);
        return Drop(world, At::kTakeBack);
      case At::kReach: {
        const AheadStep step = Take(&next, 0, Protocol::Reach);
        if (step.task == AheadTask::kProceed) owner->at = At::kHas;
        if (step.task == AheadTask::kSleep) owner->at = At::kSleep;
        return Reach(next);
      }
      case At::kHas: {
        const uint32_t slot = AheadProtocol::Unpack(next.word).first;
        if (next.holders[slot] != 0) fault_ = "a worker has the walk's run";
        if (next.contents[slot] != Content::kDecoded) {
          fault_ = "the walk's run is not decoded";
        }
        next.contents[slot] = Content::kNothing;
        Take(&next, 0, Protocol::Recycle);
        --next.ring_size;
        owner->at = At::kWalks;
        return Reach(next);
      }
      case At::kSleep:
      case At::kSleepEnd:
        if (next.tokens == 0) return;
        --next.tokens;
        owner->at = owner->at == At::kSleep ? At::kReach : At::kEnd;
        return Reach(next);
      case At::kTakeBack:
        next.taken = std::exchange(next.queue, 0);
        owner->at = At::kWithdraw;
        return Reach(next);
      case At::kWithdraw: {
        const uint32_t taken = std::exchange(next.taken, 0);
        const AheadState seen = AheadProtocol::Unpack(next.word);
        if (seen.tickets < taken || seen.NumPlanned() != 0) {
          fault_ = "tickets that nobody counts, or runs that are left";
          return;
        }
        Take(&next, 0, [taken](const AheadState& s) {
          return Protocol::Withdraw(s, taken);
        });
        owner->at = At::kEnd;
        return Reach(next);
      }
      case At::kEnd: {
        const AheadStep step = Take(&next, 0, Protocol::LookForEnd);
        owner->at = step.task == AheadTask::kSleep ? At::kSleepEnd : At::kDone;
        return Reach(next);
      }
      default:
        return;
    }
  }

  void Plan(const World& world) {
    const AheadState s = AheadProtocol::Unpack(world.word);
    const uint32_t slot = (s.first + world.ring_size) % kAheadSlots;
    if (world.plans == scenario_.plans || s.slots[slot] != AheadSlot::kFree) {
      return;
    }
    World next = world;
    if (next.holders[slot] != 0) fault_ = "a worker has the owner's slot";
    if (next.contents[slot] != Content::kNothing) fault_ = "a run is left over";
    next.contents[slot] = Content::kPlanned;
    ++next.plans;
    ++next.ring_size;
    const uint32_t workers = scenario_.pool_threads;
    Take(&next, 0, [slot, workers](const AheadState& state) {
      return Protocol::Plan(state, slot, workers);
    });
    Reach(next);
  }

  void Drop(const World& world, At then) {
    if (then == At::kWalks) {
      if (world.drops == scenario_.drops || world.ring_size == 0) return;
    }
    World next = world;
    const uint32_t first = AheadProtocol::Unpack(next.word).first;
    const uint32_t to = (first + next.ring_size) % kAheadSlots;
    const AheadStep step = Take(
        &next, 0, [to](const AheadState& s) { return Protocol::Drop(s, to); });
    for (uint32_t i = 0; i < next.ring_size; ++i) {
      const uint32_t slot = (first + i) % kAheadSlots;
      if (step.next.slots[slot] != AheadSlot::kFree) continue;
      if (next.holders[slot] != 0) fault_ = "a run is dropped under a worker";
      next.contents[slot] = Content::kNothing;
    }
    next.ring_size = 0;
    if (then == At::kWalks) ++next.drops;
    next.threads[0].at = then;
    Reach(next);
  }

  void StepWorker(const World& world, size_t t) {
    World next = world;
    Thread* const worker = &next.threads[t];
    switch (worker->at) {
      case At::kIdle:
        if (next.queue == 0) return;
        --next.queue;
        worker->at = At::kTicket;
        return Reach(next);
      case At::kTicket:
        if (AheadProtocol::Unpack(next.word).tickets == 0) {
          fault_ = "a ticket that nobody counts";
          return;
        }
        Take(&next, t, Protocol::Arrive);
        worker->at = At::kLook;
        return Reach(next);
      case At::kLook:
        LookOrYield(world, t,
                    [](const AheadState& s) { return Protocol::Look(s); });
        return LookOrYield(
            world, t, [](const AheadState& s) { return Protocol::Yield(s); });
      case At::kClear: {
        const uint32_t slot = worker->slot;
        next.contents[slot] = Content::kNothing;
        next.holders[slot] = 0;
        Take(&next, t,
             [slot](const AheadState& s) { return Protocol::Free(s, slot); });
        worker->at = At::kLook;
        return Reach(next);
      }
      default:
        return;
    }
  }

  template <typename Choose>
  void LookOrYield(const World& world, size_t t, const Choose& choose) {
    World next = world;
    if (Take(&next, t, choose).task == AheadTask::kLeave) {
      next.threads[t].at = At::kIdle;
    }
    Reach(next);
  }

  // Called when no thread can take a step.
  void CheckEnd(const World& world) {
    AheadState end;
    end.first = AheadProtocol::Unpack(world.word).first;
    bool is_empty = true;
    for (uint32_t i = 0; i < kAheadSlots; ++i) {
      is_empty &=
          world.holders[i] == 0 && world.contents[i] == Content::kNothing;
    }
    if (world.threads[0].at != At::kDone) {
      fault_ = "deadlock";
    } else if (AheadProtocol::Unpack(world.word) != end) {
      fault_ = "threads, tickets or runs are left";
    } else if (!is_empty) {
      fault_ = "blocks are left";
    } else if (world.tokens + world.queue != 0) {
      fault_ = "tokens or tickets are left";
    }
  }

  const Scenario scenario_;
  WorldSet<World> seen_;
  std::vector<World> open_;
  std::string fault_;
  size_t steps_ = 0;
};

TEST(AheadState, PacksEveryField) {
  AheadState s;
  for (uint32_t i = 0; i < kAheadSlots; ++i) {
    s.slots[i] = static_cast<AheadSlot>(i % 5);
  }
  s.first = 7;
  s.attending = 255;
  s.tickets = 254;
  s.owner = AheadOwner::kAwaitsEnd;
  EXPECT_EQ(AheadProtocol::Unpack(AheadProtocol::Pack(s)), s);
  EXPECT_EQ(AheadProtocol::Pack(AheadState()), 0u);
}

TEST(AheadModel, EveryInterleaving) {
  size_t worlds = 0;
  for (uint32_t threads = 0; threads <= kMostWorkers; ++threads) {
    for (uint32_t plans = 1; plans <= 4; ++plans) {
      Explorer<AheadProtocol> explorer({threads, plans, 2});
      EXPECT_EQ(explorer.Explore(), "")
          << threads << " threads, " << plans << " runs";
      worlds += explorer.worlds();
    }
  }
  EXPECT_GT(worlds, 10000u);
}

// Tests of the test: each struct breaks one step.

struct FinishForgetsTheOwner : AheadProtocol {
  static AheadStep Finish(const AheadState& s, uint32_t slot) {
    AheadStep step = AheadProtocol::Finish(s, slot);
    step.wake_owner = false;
    return step;
  }
};
struct DropFreesWhatIsBeingDecoded : AheadProtocol {
  static AheadStep Drop(AheadState s, uint32_t first) {
    for (AheadSlot& slot : s.slots) slot = AheadSlot::kFree;
    s.first = first;
    return {s};
  }
};
struct DropForgetsWhatIsPlanned : AheadProtocol {
  static AheadStep Drop(const AheadState& s, uint32_t first) {
    AheadStep step = AheadProtocol::Drop(s, first);
    for (uint32_t i = 0; i < kAheadSlots; ++i) {
      if (s.slots[i] == AheadSlot::kPlanned) step.next.slots[i] = s.slots[i];
    }
    return step;
  }
};
struct FinishPublishesADroppedRun : AheadProtocol {
  static AheadStep Finish(AheadState s, uint32_t slot) {
    s.slots[slot] = AheadSlot::kDecoding;
    return AheadProtocol::Finish(s, slot);
  }
};
struct LastToLeaveForgetsTheOwner : AheadProtocol {
  static AheadStep Look(const AheadState& s) {
    AheadStep step = AheadProtocol::Look(s);
    step.wake_owner = false;
    return step;
  }
};
struct YieldLosesItsTicket : AheadProtocol {
  static AheadStep Yield(const AheadState& s) {
    AheadStep step = AheadProtocol::Yield(s);
    step.send_worker = false;
    return step;
  }
};
struct OwnerTakesWhatAWorkerDecodes : AheadProtocol {
  static AheadStep Reach(const AheadState& s) {
    AheadStep step = AheadProtocol::Reach(s);
    if (step.task != AheadTask::kSleep) return step;
    return {s, AheadTask::kDecode, s.first};
  }
};
struct OwnerWaitsForWhatNobodyDecodes : AheadProtocol {
  static AheadStep Reach(const AheadState& s) {
    if (s.slots[s.first] == AheadSlot::kDecoded) return {s};
    AheadStep step{s, AheadTask::kSleep};
    step.next.owner = AheadOwner::kAwaitsFirst;
    return step;
  }
};
struct EndDoesNotWait : AheadProtocol {
  static AheadStep LookForEnd(const AheadState& s) { return {s}; }
};

template <typename Protocol>
std::string Walk() {
  for (uint32_t threads = 0; threads <= kMostWorkers; ++threads) {
    std::string fault = Explorer<Protocol>({threads, 3, 1}).Explore();
    if (!fault.empty()) return fault;
  }
  return {};
}

TEST(AheadModel, SeededDefectsAreFound) {
  EXPECT_NE(Walk<FinishForgetsTheOwner>(), "");
  EXPECT_NE(Walk<DropFreesWhatIsBeingDecoded>(), "");
  EXPECT_NE(Walk<DropForgetsWhatIsPlanned>(), "");
  EXPECT_NE(Walk<FinishPublishesADroppedRun>(), "");
  EXPECT_NE(Walk<LastToLeaveForgetsTheOwner>(), "");
  EXPECT_NE(Walk<YieldLosesItsTicket>(), "");
  EXPECT_NE(Walk<OwnerTakesWhatAWorkerDecodes>(), "");
  EXPECT_NE(Walk<OwnerWaitsForWhatNobodyDecodes>(), "");
  EXPECT_NE(Walk<EndDoesNotWait>(), "");
  EXPECT_EQ(Walk<AheadProtocol>(), "");
}

}  // namespace
}  // namespace ashlar::model
