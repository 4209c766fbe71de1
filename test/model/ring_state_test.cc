// Every interleaving of the ring's steps, and of the same with seeded defects.

#include "table/build/ring_state.h"

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

// The tests of the test: each breaks one step.

struct ForgetsToWakeWhenASlotIsFree : RingProtocol {
  using RingProtocol::RingProtocol;
  RingStep Wrote(const RingState& s) const {
    RingStep step = RingProtocol::Wrote(s);
    step.wake_emit = false;
    return step;
  }
};
struct LeavesTheEmitThreadAsleepOnError : RingProtocol {
  using RingProtocol::RingProtocol;
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
  RingStep Yield(const RingState& s) const {
    return LeavesTheEmitThreadAsleepOnError::Quiet(RingProtocol::Yield(s), s);
  }
};
struct WakesTwice : RingProtocol {
  using RingProtocol::RingProtocol;
  RingStep Wrote(const RingState& s) const {
    RingStep step = RingProtocol::Wrote(s);
    step.next.emit_sleeps = s.emit_sleeps;
    return step;
  }
};
struct EmitNeverWrites : RingProtocol {
  using RingProtocol::RingProtocol;
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
  RingStep Look(const RingState& s) const {
    RingStep step = RingProtocol::Look(s);
    if (step.task == RingTask::kCompress) step.next.claimed = s.claimed;
    return step;
  }
};
struct MarksTheWrongSlot : RingProtocol {
  using RingProtocol::RingProtocol;
  RingStep Compressed(RingState s, uint32_t, bool by_emit) const {
    return RingProtocol::Compressed(s, s.head, by_emit);
  }
};
struct LeavesTheHeadUnwritten : RingProtocol {
  using RingProtocol::RingProtocol;
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
  RingStep Look(const RingState& s) const {
    RingStep step = RingProtocol::Look(s);
    if (step.task == RingTask::kWrite) step.next.writing = false;
    return step;
  }
};
struct PublishesIntoAFullRing : RingProtocol {
  using RingProtocol::RingProtocol;
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
  RingStep LookForEnd(const RingState& s) const {
    if (s.attending == 0) return {s, RingTask::kProceed};
    return RingProtocol::LookForEnd(s);
  }
};
struct ForgetsToWithdraw : RingProtocol {
  using RingProtocol::RingProtocol;
  RingStep Withdraw(const RingState& s, uint32_t) const {
    return RingProtocol::Withdraw(s, 0);
  }
};
struct KeepsTheWriterRoleOnError : RingProtocol {
  using RingProtocol::RingProtocol;
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
    ForgetsToWithdraw, KeepsTheWriterRoleOnError>;
TYPED_TEST_SUITE(RingDefect, Defects);

TYPED_TEST(RingDefect, IsFound) {
  const Verdict verdict = Walk<TypeParam>({2, 2, 2, 4, true, true});
  EXPECT_NE(verdict.fault, "");
  std::printf("%s after %zu worlds\n", verdict.fault.c_str(), verdict.worlds);
}

}  // namespace
}  // namespace ashlar::model
