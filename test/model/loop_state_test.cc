// Every interleaving of the shared loop's steps, and of the same steps with
// seeded defects.
//
// A World is one caller, some workers, the pool's queue of tickets and the
// caller's token, between two steps. A step is one compare-exchange on the
// loop's word, or one operation on the pool or the token. Any unit may fail,
// and a worker may yield at any point where the pool allows it. The model is
// sequentially consistent; it does not test memory orders.

#include "util/sync/loop_state.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "test/model/world_set.h"

namespace ashlar::model {
namespace {

using internal::LoopProtocol;
using internal::LoopState;
using internal::LoopStep;
using internal::LoopTask;
using internal::PackLoopState;
using internal::UnpackLoopState;

constexpr size_t kMostWorkers = 3;

struct Scenario {
  uint32_t pool_threads = 1;
  uint32_t tickets = 1;
  uint32_t units = 3;
};

enum class At : uint8_t {
  // Only the caller.
  kSubmit,
  kClaim,
  kTakeBack,  // tickets, from the pool
  kWithdraw,  // these tickets, from the word
  kEnd,
  kSleep,
  kDone,
  // Only workers.
  kIdle,
  kTicket,
  kLook,
  // Caller or worker, with a unit.
  kUnit,
  kFailed,
};

struct Thread {
  At at = At::kIdle;
  uint8_t unit = 0;
  bool posts_wake = false;
  bool posts_ticket = false;
};

struct World {
  LoopState loop;
  Thread caller{.at = At::kSubmit};
  std::array<Thread, kMostWorkers> workers;
  uint32_t submitted = 0;
  uint32_t queue = 0;
  uint32_t taken = 0;
  uint32_t tokens = 0;
  uint32_t begun = 0;  // one bit per unit
  uint32_t done = 0;
  bool failed = false;

  WorldKey Key() const {
    uint64_t rest = 0;
    const auto put = [&rest](uint64_t value, int bits) {
      rest = rest << bits | value;
    };
    const auto put_thread = [&put](const Thread& t) {
      put(static_cast<uint64_t>(t.at), 4);
      put(t.unit, 3);
      put(t.posts_wake ? 1 : 0, 1);
      put(t.posts_ticket ? 1 : 0, 1);
    };
    put_thread(caller);
    for (const Thread& w : workers) put_thread(w);
    put(submitted, 3);
    put(queue, 3);
    put(taken, 3);
    put(tokens, 2);
    put(begun, 6);
    put(done, 6);
    put(failed ? 1 : 0, 1);
    return {PackLoopState(loop), rest};
  }
};

template <typename Protocol>
class Explorer {
 public:
  explicit Explorer(const Scenario& scenario) : scenario_(scenario) {}

  // Returns the first fault, or an empty string.
  std::string Explore() {
    World first;
    first.loop = {.units = scenario_.units, .tickets = scenario_.tickets};
    Reach(first);
    while (!open_.empty() && fault_.empty()) {
      const World world = open_.back();
      open_.pop_back();
      const size_t before = steps_;
      StepCaller(world);
      for (size_t i = 0; i < scenario_.pool_threads; ++i) StepWorker(world, i);
      if (steps_ == before) CheckEnd(world);
    }
    return fault_;
  }

  size_t worlds() const { return worlds_; }

 private:
  void Reach(const World& world) {
    ++steps_;
    if (LoopProtocol::IsStuck(world.loop)) fault_ = "everybody sleeps";
    if (UnpackLoopState(PackLoopState(world.loop)) != world.loop) {
      fault_ = "does not fit the word";
    }
    if (world.tokens > 1) fault_ = "two tokens for one sleeper";
    if (!seen_.Insert(world.Key())) return;
    ++worlds_;
    open_.push_back(world);
  }

  void Blame(const char* what) { fault_ = what; }

  // Applies a step of thread `t` on the word of `world`.
  LoopStep Take(World* world, Thread* t, const LoopStep& step) {
    if (world->caller.at == At::kDone) {
      fault_ = "a worker touches the loop after its end";
    }
    world->loop = step.next;
    t->posts_wake |= step.wake_owner;
    t->posts_ticket |= step.send_worker;
    if (step.task == LoopTask::kUnit) Begin(world, t, step.unit);
    return step;
  }

  void Begin(World* world, Thread* t, uint32_t unit) {
    const uint32_t bit = 1U << unit;
    if ((world->begun & bit) != 0) fault_ = "a unit is done twice";
    world->begun |= bit;
    t->unit = static_cast<uint8_t>(unit);
    t->at = At::kUnit;
  }

  // Continues with two worlds: the unit succeeds and the thread goes on at
  // `then`, or the unit fails.
  void EndUnit(const World& world, At then,
               const std::function<Thread*(World*)>& who) {
    World well = world;
    Thread* t = who(&well);
    well.done |= 1U << t->unit;
    t->unit = 0;
    t->at = then;
    Reach(well);
    World badly = world;
    t = who(&badly);
    badly.failed = true;
    t->unit = 0;
    t->at = At::kFailed;
    Reach(badly);
  }

  void StepCaller(const World& world) {
    World next = world;
    Thread* const t = &next.caller;
    switch (t->at) {
      case At::kSubmit:
        if (next.submitted == scenario_.tickets) {
          t->at = At::kClaim;
        } else {
          ++next.submitted;
          ++next.queue;
        }
        return Reach(next);
      case At::kClaim:
        if (Take(&next, t, Protocol::Claim(next.loop)).task ==
            LoopTask::kProceed) {
          t->at = At::kTakeBack;
        }
        return Reach(next);
      case At::kUnit:
        return EndUnit(world, At::kClaim, [](World* w) { return &w->caller; });
      case At::kFailed:
        Take(&next, t, Protocol::Fail(next.loop));
        t->at = At::kClaim;
        return Reach(next);
      case At::kTakeBack:
        next.taken = std::exchange(next.queue, 0);
        t->at = At::kWithdraw;
        return Reach(next);
      case At::kWithdraw:
        if (next.loop.tickets < next.taken) {
          return Blame("tickets that nobody counts");
        }
        Take(&next, t, Protocol::Withdraw(next.loop, next.taken));
        next.taken = 0;
        t->at = At::kEnd;
        return Reach(next);
      case At::kEnd: {
        const LoopStep step = Take(&next, t, Protocol::LookForEnd(next.loop));
        t->at = step.task == LoopTask::kProceed ? At::kDone : At::kSleep;
        return Reach(next);
      }
      case At::kSleep:
        if (next.tokens == 0) return;
        --next.tokens;
        t->at = At::kEnd;
        return Reach(next);
      default:
        return;
    }
  }

  void StepWorker(const World& world, size_t i) {
    World next = world;
    Thread* const t = &next.workers[i];
    if (t->posts_wake) {
      t->posts_wake = false;
      ++next.tokens;
      return Reach(next);
    }
    if (t->posts_ticket) {
      t->posts_ticket = false;
      ++next.queue;
      return Reach(next);
    }
    switch (t->at) {
      case At::kIdle:
        if (next.queue == 0) return;
        --next.queue;
        t->at = At::kTicket;
        return Reach(next);
      case At::kTicket:
        if (next.loop.tickets == 0) return Blame("a ticket that nobody counts");
        Take(&next, t, Protocol::Arrive(next.loop));
        t->at = At::kLook;
        return Reach(next);
      case At::kLook:
        LookOrYield(world, i, &Protocol::Look);
        return LookOrYield(world, i, &Protocol::Yield);
      case At::kUnit:
        return EndUnit(world, At::kLook,
                       [i](World* w) { return &w->workers[i]; });
      case At::kFailed:
        Take(&next, t, Protocol::Fail(next.loop));
        t->at = At::kLook;
        return Reach(next);
      default:
        return;
    }
  }

  void LookOrYield(const World& world, size_t i,
                   LoopStep (*choose)(const LoopState&)) {
    World next = world;
    Thread* const t = &next.workers[i];
    if (Take(&next, t, choose(next.loop)).task == LoopTask::kLeave) {
      t->at = At::kIdle;
    }
    Reach(next);
  }

  // Called when no thread can take a step.
  void CheckEnd(const World& world) {
    const uint32_t all = (1U << scenario_.units) - 1;
    if (world.caller.at != At::kDone) {
      fault_ = "deadlock";
    } else if (world.loop.failed != world.failed) {
      fault_ = "a fault is lost, or made up";
    } else if (!world.failed && world.done != all) {
      fault_ = "a unit is left out";
    } else if (world.tokens + world.queue + world.loop.tickets +
                   world.loop.attending !=
               0) {
      fault_ = "tokens or tickets are left";
    }
  }

  const Scenario scenario_;
  WorldSet<WorldKey> seen_;
  std::vector<World> open_;
  std::string fault_;
  size_t steps_ = 0;
  size_t worlds_ = 0;
};

template <typename Protocol>
std::string Walk(const Scenario& scenario) {
  return Explorer<Protocol>(scenario).Explore();
}

TEST(LoopState, PacksEveryField) {
  const LoopState s{65535, 65534, 255, 254, true, true};
  EXPECT_EQ(UnpackLoopState(PackLoopState(s)), s);
  EXPECT_EQ(PackLoopState(LoopState()), 0u);
}

TEST(LoopModel, EveryInterleaving) {
  size_t worlds = 0;
  for (uint32_t threads = 0; threads <= kMostWorkers; ++threads) {
    for (uint32_t tickets = 1; tickets <= 3; ++tickets) {
      for (uint32_t units = 0; units <= 4; ++units) {
        Explorer<LoopProtocol> explorer({threads, tickets, units});
        EXPECT_EQ(explorer.Explore(), "") << threads << " threads, " << tickets
                                          << " tickets, " << units << " units";
        worlds += explorer.worlds();
      }
    }
  }
  std::printf("%zu worlds\n", worlds);
}

// Tests of the test: each struct breaks one step.

struct LastToLeaveForgetsTheCaller : LoopProtocol {
  static LoopStep Look(const LoopState& s) {
    LoopStep step = LoopProtocol::Look(s);
    step.wake_owner = false;
    return step;
  }
};
struct DoesNotWaitForTickets : LoopProtocol {
  static LoopStep LookForEnd(LoopState s) {
    s.tickets = 0;
    return LoopProtocol::LookForEnd(s);
  }
};
struct DoesNotWaitForWorkers : LoopProtocol {
  static LoopStep LookForEnd(const LoopState& s) {
    return {s, LoopTask::kProceed};
  }
};
struct ForgetsWhatWasTakenBack : LoopProtocol {
  static LoopStep Withdraw(const LoopState& s, uint32_t) { return {s}; }
};
struct YieldsWithoutATicket : LoopProtocol {
  static LoopStep Yield(const LoopState& s) {
    LoopStep step = LoopProtocol::Yield(s);
    if (step.send_worker) --step.next.tickets;
    return step;
  }
};
struct LosesTheFault : LoopProtocol {
  static LoopStep Fail(const LoopState& s) { return {s}; }
};
struct HandsOutAUnitTwice : LoopProtocol {
  static LoopStep Look(const LoopState& s) {
    LoopStep step = LoopProtocol::Look(s);
    if (step.task == LoopTask::kUnit && step.unit == 1) --step.next.next;
    return step;
  }
};

TEST(LoopModel, SeededDefectsAreFound) {
  const Scenario two{2, 2, 3};
  EXPECT_NE(Walk<LastToLeaveForgetsTheCaller>(two), "");
  EXPECT_NE(Walk<DoesNotWaitForTickets>(two), "");
  EXPECT_NE(Walk<DoesNotWaitForWorkers>(two), "");
  EXPECT_NE(Walk<ForgetsWhatWasTakenBack>({0, 2, 3}), "");
  EXPECT_NE(Walk<YieldsWithoutATicket>(two), "");
  EXPECT_NE(Walk<LosesTheFault>(two), "");
  EXPECT_NE(Walk<HandsOutAUnitTwice>(two), "");
}

}  // namespace
}  // namespace ashlar::model
