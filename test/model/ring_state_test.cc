// Every interleaving of the ring's steps, and of the same steps with seeded
// defects.

#include "table/write/ring_state.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "test/model/ring_world.h"

namespace ashlar::model {
namespace {

std::string Describe(const Scenario& s) {
  return std::to_string(s.pool_threads) + " pool threads, " +
         std::to_string(s.workers) + " workers, " + std::to_string(s.slots) +
         " slots, " + std::to_string(s.blocks) + " blocks" +
         (s.faults ? ", faults" : "") + (s.yields ? ", yields" : "");
}

// Returns the most blocks of a scenario: 6, or what the environment says.
uint32_t MostBlocks() {
  const char* const text = std::getenv("ASHLAR_MODEL_BLOCKS");
  return text == nullptr ? 6 : static_cast<uint32_t>(std::atoi(text));
}

Verdict Walk(const Scenario& scenario, const RingSteps& steps) {
  return Explorer(scenario, steps).Explore();
}
RingShape ShapeOf(const Scenario& scenario) {
  return {scenario.slots, scenario.workers};
}
Verdict Walk(const Scenario& scenario) {
  return Walk(scenario, RingSteps(ShapeOf(scenario)));
}

TEST(RingState, PacksEveryField) {
  const RingState s{31, 32,   31,   0x80000001, true, 31,
                    30, true, true, true,       true};
  EXPECT_EQ(UnpackRingState(PackRingState(s)), s);
  EXPECT_EQ(PackRingState(RingState()), 0u);
  const RingState one_bit{.ending = true};
  EXPECT_EQ(PackRingState(one_bit), uint64_t{1} << 63);
}

TEST(RingState, OneWorkerAtATimeIsSentFor) {
  const RingProtocol protocol({.slots = 8, .workers = 3});
  RingStep step = protocol.Publish({});
  EXPECT_TRUE(step.send_worker);
  step = protocol.Publish(step.next);
  EXPECT_FALSE(step.send_worker);
  // The worker that came sends for the next one while raw slots are left.
  step = protocol.Look(protocol.Arrive(step.next).next);
  EXPECT_EQ(step.task, RingTask::kCompress);
  EXPECT_TRUE(step.send_worker);
  step = protocol.Look(protocol.Arrive(step.next).next);
  EXPECT_EQ(step.task, RingTask::kCompress);
  EXPECT_FALSE(step.send_worker);
}

// The writer also sends for the next worker, because its write may take long.
TEST(RingState, TheWriterLeavesRawSlotsToTheNext) {
  const RingProtocol protocol({.slots = 8, .workers = 2});
  RingState s{.emitted = 2, .claimed = 1, .compressed = 1, .attending = 1};
  RingStep step = protocol.Look(s);
  EXPECT_EQ(step.task, RingTask::kWrite);
  EXPECT_TRUE(step.send_worker);
  EXPECT_EQ(step.next.tickets, 1u);
  s.claimed = 2;  // no slot is raw
  step = protocol.Look(s);
  EXPECT_EQ(step.task, RingTask::kWrite);
  EXPECT_FALSE(step.send_worker);
  EXPECT_EQ(step.next.tickets, 0u);
  s.claimed = 1;
  s.attending = 2;  // no more may attend
  EXPECT_FALSE(protocol.Look(s).send_worker);
}

// Another ring waits for the worker, while this one still has work for it.
TEST(RingState, WhoYieldsKeepsATicketWhileWorkIsLeft) {
  const RingProtocol protocol({.slots = 8, .workers = 2});
  const RingState raw{.emitted = 2, .claimed = 1, .attending = 1};
  const RingState ready{
      .emitted = 1, .claimed = 1, .compressed = 1, .attending = 1};
  for (RingState s : {raw, ready}) {
    RingStep step = protocol.Yield(s);
    EXPECT_EQ(step.task, RingTask::kLeave);
    EXPECT_TRUE(step.send_worker);
    EXPECT_EQ(step.next.tickets, 1u);
    EXPECT_EQ(step.next.attending, 0u);
    s.failed = true;
    step = protocol.Yield(s);
    EXPECT_FALSE(step.send_worker);
    EXPECT_EQ(step.next.tickets, 0u);
  }
  const RingState none{.emitted = 1, .claimed = 1, .attending = 1};
  EXPECT_FALSE(protocol.Yield(none).send_worker);
}

// The emit thread has compressed the head. It stays unwritten until a thread
// looks at it.
TEST(RingState, TheEmitThreadSendsForAWriter) {
  const RingProtocol protocol({.slots = 8, .workers = 2});
  const RingState s{.emitted = 2, .claimed = 2};
  EXPECT_TRUE(protocol.Compressed(s, 0, /*by_emit=*/true).send_worker);
  EXPECT_FALSE(protocol.Compressed(s, 1, /*by_emit=*/true).send_worker);
  // A worker looks by itself.
  EXPECT_FALSE(protocol.Compressed(s, 0, /*by_emit=*/false).send_worker);
}

TEST(RingState, TheLastToLeaveWakesTheEmitThread) {
  const RingProtocol protocol({.slots = 4, .workers = 2});
  RingState s{.emitted = 3, .claimed = 3, .attending = 2};
  s.emit_sleeps = true;
  RingStep step = protocol.Look(s);
  EXPECT_EQ(step.task, RingTask::kLeave);
  EXPECT_FALSE(step.wake_owner);
  EXPECT_TRUE(step.next.emit_sleeps);
  step = protocol.Look(step.next);
  EXPECT_EQ(step.task, RingTask::kLeave);
  EXPECT_TRUE(step.wake_owner);
  EXPECT_FALSE(step.next.emit_sleeps);
}

TEST(RingState, TheWriterGoesOnWithWhatIsReady) {
  const RingProtocol protocol({.slots = 4, .workers = 1});
  RingState s{.head = 3, .emitted = 3, .claimed = 3, .compressed = 3};
  s.writing = true;
  s.attending = 1;
  const RingStep next = protocol.Wrote(s);
  EXPECT_EQ(next.task, RingTask::kWrite);
  EXPECT_EQ(next.slot, 0u);
  EXPECT_TRUE(next.next.writing);
  const RingStep last = protocol.Wrote(next.next);
  EXPECT_EQ(last.task, RingTask::kProceed);
  EXPECT_FALSE(last.next.writing);
}

// The emit thread wakes up even if other threads still work on blocks that are
// no longer needed.
TEST(RingState, AnErrorWakesTheEmitThreadAtOnce) {
  const RingProtocol protocol({.slots = 4, .workers = 2});
  RingState s{.emitted = 3, .claimed = 3, .writing = true, .attending = 2};
  s.emit_sleeps = true;
  for (const bool by_writer : {false, true}) {
    const RingStep step = protocol.Fail(s, by_writer);
    EXPECT_TRUE(step.wake_owner);
    EXPECT_FALSE(step.next.emit_sleeps);
    EXPECT_TRUE(step.next.failed);
    EXPECT_EQ(step.next.writing, !by_writer);
  }
}

TEST(RingState, WhatIsClosedIsWrittenToTheEnd) {
  constexpr uint32_t kMost = 7;
  const RingProtocol protocol({.slots = 8, .workers = 1});
  RingState s{.emitted = 1, .attending = 1, .closed = true};
  EXPECT_EQ(protocol.LookForEmit(s, kMost).task, RingTask::kCompress);
  s.claimed = 1;
  EXPECT_EQ(protocol.LookForEmit(s, kMost).task, RingTask::kSleep);
  s.compressed = 1;
  EXPECT_EQ(protocol.LookForEmit(s, kMost).task, RingTask::kWrite);
  EXPECT_EQ(protocol.LookForEmit({.closed = true}, kMost).task,
            RingTask::kProceed);
}

// While blocks come, wakes it when half of the ring is free; at the end, when
// all of it is free.
TEST(RingState, WakesTheEmitThreadWhenItIsWorthIt) {
  const RingProtocol protocol({.slots = 8, .workers = 1});
  RingState s{.claimed = 1, .compressed = 1, .writing = true, .attending = 1};
  s.emit_sleeps = true;
  for (s.emitted = 1; s.emitted <= 8; ++s.emitted) {
    s.closed = false;
    EXPECT_EQ(protocol.Wrote(s).wake_owner, s.emitted <= 5) << s.emitted;
    s.closed = true;
    EXPECT_EQ(protocol.Wrote(s).wake_owner, s.emitted == 1) << s.emitted;
  }
}

TEST(RingState, TheEmitThreadWorksWhereWorkersDoNotCome) {
  constexpr uint32_t kMost = 7;
  const RingProtocol protocol({.slots = 8, .workers = 3});
  EXPECT_EQ(protocol.LookForEmit({.emitted = 1, .tickets = 1}, kMost).task,
            RingTask::kProceed);
  EXPECT_EQ(protocol.LookForEmit({.emitted = 2, .tickets = 1}, kMost).task,
            RingTask::kCompress);
  RingState s{.emitted = 3, .claimed = 1, .attending = 1};
  EXPECT_EQ(protocol.LookForEmit(s, kMost).task, RingTask::kProceed);
  s.emitted = 4;
  EXPECT_EQ(protocol.LookForEmit(s, kMost).task, RingTask::kCompress);
  // It never sleeps just to wait for workers.
  s.claimed = s.emitted;
  EXPECT_EQ(protocol.LookForEmit(s, kMost).task, RingTask::kProceed);
}

TEST(RingModel, EveryInterleaving) {
  size_t worlds = 0;
  for (uint32_t threads = 0; threads <= kMostWorkers; ++threads) {
    for (uint32_t slots = 2; slots <= kMostSlots; ++slots) {
      for (const bool faults : {false, true}) {
        for (const bool yields : {false, true}) {
          const Scenario s{threads, threads == 0 ? 1 : threads,
                           slots,   MostBlocks(),
                           faults,  yields};
          const Verdict verdict = Walk(s);
          EXPECT_EQ(verdict.fault, "") << Describe(s);
          worlds += verdict.worlds;
        }
      }
    }
  }
  RecordProperty("worlds", std::to_string(worlds));
  std::printf("%zu worlds\n", worlds);
}

TEST(RingModel, FewerPoolThreadsThanWorkers) {
  for (uint32_t threads = 0; threads <= 2; ++threads) {
    const Scenario s{threads, 3, 4, 5, true, true};
    EXPECT_EQ(Walk(s).fault, "") << Describe(s);
  }
}

// Tests of the test: each struct breaks one step. kDefects names the fault that
// the model must then find.

struct ForgetsToWakeWhenASlotIsFree : RingSteps {
  using RingSteps::RingSteps;
  RingStep Wrote(const RingState& s) const override {
    RingStep step = RingSteps::Wrote(s);
    step.wake_owner = false;
    return step;
  }
};
struct LeavesTheEmitThreadAsleepOnError : RingSteps {
  using RingSteps::RingSteps;
  RingStep Fail(const RingState& s, bool drop) const override {
    RingStep step = RingSteps::Fail(s, drop);
    step.next.emit_sleeps = s.emit_sleeps;
    step.wake_owner = false;
    return step;
  }
  RingStep Look(const RingState& s) const override {
    return Quiet(RingSteps::Look(s), s);
  }
  RingStep Yield(const RingState& s) const override {
    return Quiet(RingSteps::Yield(s), s);
  }
  static RingStep Quiet(RingStep step, const RingState& s) {
    step.next.emit_sleeps = s.emit_sleeps;
    step.wake_owner = false;
    return step;
  }
};
struct YieldsWithoutLookingAtTheEmitThread : RingSteps {
  using RingSteps::RingSteps;
  RingStep Yield(const RingState& s) const override {
    return LeavesTheEmitThreadAsleepOnError::Quiet(RingSteps::Yield(s), s);
  }
};
struct WakesTwice : RingSteps {
  using RingSteps::RingSteps;
  RingStep Wrote(const RingState& s) const override {
    RingStep step = RingSteps::Wrote(s);
    step.next.emit_sleeps = s.emit_sleeps;
    return step;
  }
};
struct EmitNeverWrites : RingSteps {
  using RingSteps::RingSteps;
  RingStep LookForEmit(const RingState& s, uint32_t most) const override {
    const RingStep step = RingSteps::LookForEmit(s, most);
    if (step.task != RingTask::kWrite) return step;
    RingStep sleep{s, RingTask::kSleep};
    sleep.next.emit_sleeps = true;
    return sleep;
  }
};
struct ClaimsWithoutCounting : RingSteps {
  using RingSteps::RingSteps;
  RingStep Look(const RingState& s) const override {
    RingStep step = RingSteps::Look(s);
    if (step.task == RingTask::kCompress) step.next.claimed = s.claimed;
    return step;
  }
};
struct MarksTheWrongSlot : RingSteps {
  using RingSteps::RingSteps;
  RingStep Compressed(const RingState& s, uint32_t,
                      bool by_emit) const override {
    return RingSteps::Compressed(s, s.head, by_emit);
  }
};
struct LeavesTheHeadUnwritten : RingSteps {
  using RingSteps::RingSteps;
  RingStep LookForEmit(const RingState& s, uint32_t most) const override {
    RingStep step = RingSteps::LookForEmit(s, most);
    if (s.closed && s.claimed == s.emitted) {
      step = {s, RingTask::kProceed};
    }
    return step;
  }
};
struct TwoWriters : RingSteps {
  using RingSteps::RingSteps;
  RingStep Look(const RingState& s) const override {
    RingStep step = RingSteps::Look(s);
    if (step.task == RingTask::kWrite) step.next.writing = false;
    return step;
  }
};
struct PublishesIntoAFullRing : RingSteps {
  using RingSteps::RingSteps;
  RingStep LookForEmit(const RingState& s, uint32_t most) const override {
    if (!s.closed && s.emitted > 0 && s.claimed == s.emitted && !s.failed) {
      return {s, RingTask::kProceed};
    }
    return RingSteps::LookForEmit(s, most);
  }
  RingStep Publish(const RingState& s) const override {
    RingStep step{s};
    ++step.next.emitted;
    return step;
  }
};
struct ForgetsTicketsAtTheEnd : RingSteps {
  using RingSteps::RingSteps;
  RingStep LookForEnd(const RingState& s) const override {
    if (s.attending == 0) return {s, RingTask::kProceed};
    return RingSteps::LookForEnd(s);
  }
};
struct ForgetsToWithdraw : RingSteps {
  using RingSteps::RingSteps;
  RingStep Withdraw(const RingState& s, uint32_t) const override {
    return RingSteps::Withdraw(s, 0);
  }
};
struct WorksOnAfterAnError : RingSteps {
  using RingSteps::RingSteps;
  RingStep Look(const RingState& s) const override {
    RingState sound = s;
    sound.failed = false;
    RingStep step = RingSteps::Look(sound);
    step.next.failed = s.failed;
    return step;
  }
};
struct KeepsTheWriterRoleOnError : RingSteps {
  using RingSteps::RingSteps;
  RingStep Wrote(const RingState& s) const override {
    RingStep step = RingSteps::Wrote(s);
    if (step.task == RingTask::kProceed) step.next.writing = true;
    return step;
  }
};

struct Defect {
  const char* name;
  std::unique_ptr<RingSteps> (*make)(const RingShape&);
  const char* fault;
  // True if all threads sleep directly after one of the steps.
  bool is_asserted = false;
  // 0: a pool without threads, if workers would hide the defect.
  uint32_t pool_threads = 2;
};

template <typename Steps>
std::unique_ptr<RingSteps> Make(const RingShape& shape) {
  return std::make_unique<Steps>(shape);
}

#define DEFECT(steps) #steps, &Make<steps>
constexpr Defect kDefects[] = {
    {DEFECT(ForgetsToWakeWhenASlotIsFree), "deadlock"},
    {DEFECT(LeavesTheEmitThreadAsleepOnError), "deadlock", true},
    {DEFECT(YieldsWithoutLookingAtTheEmitThread), "deadlock", true},
    {DEFECT(WakesTwice), "a second token for the emit thread"},
    {DEFECT(EmitNeverWrites), "deadlock", true, 0},
    {DEFECT(ClaimsWithoutCounting), "compresses what is not raw"},
    {DEFECT(MarksTheWrongSlot), "deadlock", true},
    {DEFECT(LeavesTheHeadUnwritten), "ends with blocks unwritten"},
    {DEFECT(TwoWriters), "two writers"},
    {DEFECT(PublishesIntoAFullRing), "fills a slot in use"},
    {DEFECT(ForgetsTicketsAtTheEnd), "the ring is touched after its end"},
    {DEFECT(ForgetsToWithdraw), "deadlock"},
    {DEFECT(WorksOnAfterAnError), "works on after an error"},
    {DEFECT(KeepsTheWriterRoleOnError), "deadlock", true},
};
#undef DEFECT

class RingDefect : public ::testing::TestWithParam<Defect> {
 protected:
  static Scenario ScenarioOf(const Defect& defect) {
    if (defect.pool_threads == 0) return {0, 1, 2, 4, true, true};
    return {defect.pool_threads, 2, 2, 4, true, true};
  }
  static Verdict WalkDefective(const Scenario& scenario) {
    return Walk(scenario, *GetParam().make(ShapeOf(scenario)));
  }
};
INSTANTIATE_TEST_SUITE_P(All, RingDefect, ::testing::ValuesIn(kDefects),
                         [](const auto& defect) {
                           return std::string(defect.param.name);
                         });

// The exploration alone must find the fault, without IsStuck.
TEST_P(RingDefect, IsFound) {
  Scenario scenario = ScenarioOf(GetParam());
  scenario.asks_is_stuck = false;
  const Verdict verdict = WalkDefective(scenario);
  EXPECT_EQ(verdict.fault, GetParam().fault);
  std::printf("%s after %zu worlds\n", verdict.fault.c_str(), verdict.worlds);
  EXPECT_EQ(Walk(scenario).fault, "");
}

// IsStuck is the ring's assertion in debug builds. It detects in a single step
// that the emit thread goes to sleep when no other thread is left to wake it.
// It does not detect a forgotten token, which only the watchdog finds.
TEST_P(RingDefect, IsAssertedWhereEverybodySleeps) {
  Scenario scenario = ScenarioOf(GetParam());
  scenario.asks_is_stuck = true;
  EXPECT_EQ(WalkDefective(scenario).fault,
            GetParam().is_asserted ? "everybody sleeps" : GetParam().fault);
}

}  // namespace
}  // namespace ashlar::model
