// Every interleaving of the ring's steps, and of the same with seeded defects.

#include "table/write/ring_state.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "test/model/ring_world.h"

namespace ashlar::model {
namespace {

using internal::RingProtocol;

std::string Describe(const Scenario& s) {
  return std::to_string(s.pool_threads) + " pool threads, " +
         std::to_string(s.workers) + " workers, " + std::to_string(s.slots) +
         " slots, " + std::to_string(s.blocks) + " blocks" +
         (s.faults ? ", faults" : "") + (s.yields ? ", yields" : "");
}

// Blocks up to this many: 6, or what the environment says.
uint32_t MostBlocks() {
  const char* const text = std::getenv("ASHLAR_MODEL_BLOCKS");
  return text == nullptr ? 6 : static_cast<uint32_t>(std::atoi(text));
}

template <typename Protocol>
Verdict Walk(const Scenario& scenario) {
  return Explorer<Protocol>(scenario).Explore();
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
  // Who came sends for the next while raw slots are left.
  step = protocol.Look(protocol.Arrive(step.next).next);
  EXPECT_EQ(step.task, RingTask::kCompress);
  EXPECT_TRUE(step.send_worker);
  step = protocol.Look(protocol.Arrive(step.next).next);
  EXPECT_EQ(step.task, RingTask::kCompress);
  EXPECT_FALSE(step.send_worker);
}

// The writer too sends for the next worker: it may write for long.
TEST(RingState, TheWriterLeavesRawSlotsToTheNext) {
  const RingProtocol protocol({.slots = 8, .workers = 2});
  RingState s{.emitted = 2, .claimed = 1, .compressed = 1, .attending = 1};
  RingStep step = protocol.Look(s);
  EXPECT_EQ(step.task, RingTask::kWrite);
  EXPECT_TRUE(step.send_worker);
  EXPECT_EQ(step.next.tickets, 1u);
  s.claimed = 2;  // nothing is raw
  step = protocol.Look(s);
  EXPECT_EQ(step.task, RingTask::kWrite);
  EXPECT_FALSE(step.send_worker);
  EXPECT_EQ(step.next.tickets, 0u);
  s.claimed = 1;
  s.attending = 2;  // no more may attend
  EXPECT_FALSE(protocol.Look(s).send_worker);
}

// Another ring waits for the worker, and this one still has work for it.
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

// A head that the emit thread compressed waits until somebody looks at it.
TEST(RingState, TheEmitThreadSendsForAWriter) {
  const RingProtocol protocol({.slots = 8, .workers = 2});
  const RingState s{.emitted = 2, .claimed = 2};
  EXPECT_TRUE(protocol.Compressed(s, 0, /*by_emit=*/true).send_worker);
  EXPECT_FALSE(protocol.Compressed(s, 1, /*by_emit=*/true).send_worker);
  // A worker looks itself.
  EXPECT_FALSE(protocol.Compressed(s, 0, /*by_emit=*/false).send_worker);
}

TEST(RingState, TheLastToLeaveWakesTheEmitThread) {
  const RingProtocol protocol({.slots = 4, .workers = 2});
  RingState s{.emitted = 3, .claimed = 3, .attending = 2};
  s.emit_sleeps = true;
  RingStep step = protocol.Look(s);
  EXPECT_EQ(step.task, RingTask::kLeave);
  EXPECT_FALSE(step.wake_emit);
  EXPECT_TRUE(step.next.emit_sleeps);
  step = protocol.Look(step.next);
  EXPECT_EQ(step.task, RingTask::kLeave);
  EXPECT_TRUE(step.wake_emit);
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

// However long others still work on what nobody wants any more.
TEST(RingState, AnErrorWakesTheEmitThreadAtOnce) {
  const RingProtocol protocol({.slots = 4, .workers = 2});
  RingState s{.emitted = 3, .claimed = 3, .writing = true, .attending = 2};
  s.emit_sleeps = true;
  for (const bool by_writer : {false, true}) {
    const RingStep step = protocol.Fail(s, by_writer);
    EXPECT_TRUE(step.wake_emit);
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

// Half of the ring at once while blocks come, and the whole of it at the end.
TEST(RingState, WakesTheEmitThreadWhenItIsWorthIt) {
  const RingProtocol protocol({.slots = 8, .workers = 1});
  RingState s{.claimed = 1, .compressed = 1, .writing = true, .attending = 1};
  s.emit_sleeps = true;
  for (s.emitted = 1; s.emitted <= 8; ++s.emitted) {
    s.closed = false;
    EXPECT_EQ(protocol.Wrote(s).wake_emit, s.emitted <= 5) << s.emitted;
    s.closed = true;
    EXPECT_EQ(protocol.Wrote(s).wake_emit, s.emitted == 1) << s.emitted;
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
  // It never sleeps for that.
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
          const Verdict verdict = Walk<RingProtocol>(s);
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
    EXPECT_EQ(Walk<RingProtocol>(s).fault, "") << Describe(s);
  }
}

// The tests of the test: each breaks one step and says which fault the model
// finds then.

struct ForgetsToWakeWhenASlotIsFree : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  RingStep Wrote(const RingState& s) const {
    RingStep step = RingProtocol::Wrote(s);
    step.wake_emit = false;
    return step;
  }
};
struct LeavesTheEmitThreadAsleepOnError : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  static constexpr bool kIsAsserted = true;
  RingStep Fail(const RingState& s, bool drop) const {
    RingStep step = RingProtocol::Fail(s, drop);
    step.next.emit_sleeps = s.emit_sleeps;
    step.wake_emit = false;
    return step;
  }
  RingStep Look(const RingState& s) const {
    return Quiet(RingProtocol::Look(s), s);
  }
  RingStep Yield(const RingState& s) const {
    return Quiet(RingProtocol::Yield(s), s);
  }
  static RingStep Quiet(RingStep step, const RingState& s) {
    step.next.emit_sleeps = s.emit_sleeps;
    step.wake_emit = false;
    return step;
  }
};
struct YieldsWithoutLookingAtTheEmitThread : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  static constexpr bool kIsAsserted = true;
  RingStep Yield(const RingState& s) const {
    return LeavesTheEmitThreadAsleepOnError::Quiet(RingProtocol::Yield(s), s);
  }
};
struct WakesTwice : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "a second token for the emit thread";
  RingStep Wrote(const RingState& s) const {
    RingStep step = RingProtocol::Wrote(s);
    step.next.emit_sleeps = s.emit_sleeps;
    return step;
  }
};
struct EmitNeverWrites : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  static constexpr bool kIsAsserted = true;
  static constexpr uint32_t kPoolThreads = 0;
  RingStep LookForEmit(const RingState& s, uint32_t most) const {
    const RingStep step = RingProtocol::LookForEmit(s, most);
    if (step.task != RingTask::kWrite) return step;
    RingStep sleep{s, RingTask::kSleep};
    sleep.next.emit_sleeps = true;
    return sleep;
  }
};
struct ClaimsWithoutCounting : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "compresses what is not raw";
  RingStep Look(const RingState& s) const {
    RingStep step = RingProtocol::Look(s);
    if (step.task == RingTask::kCompress) step.next.claimed = s.claimed;
    return step;
  }
};
struct MarksTheWrongSlot : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  static constexpr bool kIsAsserted = true;
  RingStep Compressed(RingState s, uint32_t, bool by_emit) const {
    return RingProtocol::Compressed(s, s.head, by_emit);
  }
};
struct LeavesTheHeadUnwritten : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "ends with blocks unwritten";
  RingStep LookForEmit(const RingState& s, uint32_t most) const {
    RingStep step = RingProtocol::LookForEmit(s, most);
    if (s.closed && s.claimed == s.emitted) {
      step = {s, RingTask::kProceed};
    }
    return step;
  }
};
struct TwoWriters : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "two writers";
  RingStep Look(const RingState& s) const {
    RingStep step = RingProtocol::Look(s);
    if (step.task == RingTask::kWrite) step.next.writing = false;
    return step;
  }
};
struct PublishesIntoAFullRing : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "fills a slot in use";
  RingStep LookForEmit(const RingState& s, uint32_t most) const {
    if (!s.closed && s.emitted > 0 && s.claimed == s.emitted && !s.failed) {
      return {s, RingTask::kProceed};
    }
    return RingProtocol::LookForEmit(s, most);
  }
  RingStep Publish(RingState s) const {
    ++s.emitted;
    return {s};
  }
};
struct ForgetsTicketsAtTheEnd : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "the ring is touched after its end";
  RingStep LookForEnd(const RingState& s) const {
    if (s.attending == 0) return {s, RingTask::kProceed};
    return RingProtocol::LookForEnd(s);
  }
};
struct ForgetsToWithdraw : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  RingStep Withdraw(const RingState& s, uint32_t) const {
    return RingProtocol::Withdraw(s, 0);
  }
};
struct WorksOnAfterAnError : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "works on after an error";
  RingStep Look(const RingState& s) const {
    RingState sound = s;
    sound.failed = false;
    RingStep step = RingProtocol::Look(sound);
    step.next.failed = s.failed;
    return step;
  }
};
struct KeepsTheWriterRoleOnError : RingProtocol {
  using RingProtocol::RingProtocol;
  static constexpr const char* kFault = "deadlock";
  static constexpr bool kIsAsserted = true;
  RingStep Wrote(const RingState& s) const {
    RingStep step = RingProtocol::Wrote(s);
    if (step.task == RingTask::kProceed) step.next.writing = true;
    return step;
  }
};

template <typename Defect>
class RingDefect : public ::testing::Test {};
using Defects = ::testing::Types<
    ForgetsToWakeWhenASlotIsFree, LeavesTheEmitThreadAsleepOnError,
    YieldsWithoutLookingAtTheEmitThread, WakesTwice, EmitNeverWrites,
    ClaimsWithoutCounting, MarksTheWrongSlot, LeavesTheHeadUnwritten,
    TwoWriters, PublishesIntoAFullRing, ForgetsTicketsAtTheEnd,
    ForgetsToWithdraw, WorksOnAfterAnError, KeepsTheWriterRoleOnError>;
TYPED_TEST_SUITE(RingDefect, Defects);

// A pool without threads shows what workers would make good.
template <typename Defect>
Scenario ScenarioOf() {
  if constexpr (requires { Defect::kPoolThreads; }) {
    return {Defect::kPoolThreads, 1, 2, 4, true, true};
  } else {
    return {2, 2, 2, 4, true, true};
  }
}

// By the model itself, which is not told what a deadlock looks like.
TYPED_TEST(RingDefect, IsFound) {
  Scenario scenario = ScenarioOf<TypeParam>();
  scenario.asks_is_stuck = false;
  const Verdict verdict = Walk<TypeParam>(scenario);
  EXPECT_EQ(verdict.fault, TypeParam::kFault);
  std::printf("%s after %zu worlds\n", verdict.fault.c_str(), verdict.worlds);
  EXPECT_EQ(Walk<RingProtocol>(scenario).fault, "");
}

// What the ring asserts in debug builds: that the emit thread goes to sleep is
// seen in the step itself, if no other thread is left that could wake it. A
// token that was forgotten is the watchdog's to find.
TYPED_TEST(RingDefect, IsAssertedWhereEverybodySleeps) {
  Scenario scenario = ScenarioOf<TypeParam>();
  scenario.asks_is_stuck = true;
  const bool is_asserted = requires { TypeParam::kIsAsserted; };
  EXPECT_EQ(Walk<TypeParam>(scenario).fault,
            is_asserted ? "everybody sleeps" : TypeParam::kFault);
}

}  // namespace
}  // namespace ashlar::model
