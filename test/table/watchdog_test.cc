// Tests that the watchdog finds seeded deadlocks, and reports nothing else.
//
// The futex is a model that loses the wake-ups or tokens that a test selects.
// The test itself calls the watchdog's Look as often as a verdict needs, so no
// test waits for time to pass. The last lines of a death test run only after
// the fault is permanent. If looks came faster than a thread can wake up, they
// would report healthy threads too.
//
// These tests are compiled only in debug builds, which have the watchdog. In
// other builds they would pass and prove nothing.

#include "util/sync/watchdog.h"

#include <gtest/gtest.h>

#include <atomic>
#include <climits>
#include <cstdlib>
#include <string>
#include <thread>

#include "table/write/compression_ring.h"
#include "table/write/ring_watch.h"
#include "test/support/model_futex.h"
#include "test/support/tables.h"
#include "util/sync/ticket_queue.h"

namespace ashlar::testing {
namespace {

using internal::CompressionRing;
using internal::RingOptions;
using internal::RingState;
using internal::WatchedSemaphore;
using internal::WrittenBlock;
using Fault = ModelFutex::Fault;

static_assert(internal::kWatchdog, "build this program without NDEBUG");

void LookUntilSure(WorkerPool* pool) {
  for (int i = 0; i <= internal::Watchdog::kPatience; ++i) {
    pool->state()->watchdog()->Look();
  }
}

// A worker's write waits until the emit thread sleeps. Nothing is promised to
// the emit thread then, since only the promise of this one worker is possible.
class SlowFile final : public WritableFile {
 public:
  explicit SlowFile(bool fails, WorkerPool* look_at = nullptr)
      : fails_(fails), look_at_(look_at) {}
  Status Append(const Slice&) override {
    if (std::this_thread::get_id() == emit_) return {};
    ModelFutex::Instance().WaitUntilAsleep(emit_);
    if (look_at_ != nullptr) LookUntilSure(look_at_);
    ++workers_writes_;
    return fails_ ? Status::IOError("full") : Status();
  }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return "slow"; }

  int workers_writes() const { return workers_writes_; }

 private:
  const std::thread::id emit_ = std::this_thread::get_id();
  const bool fails_;
  WorkerPool* const look_at_;
  std::atomic<int> workers_writes_ = 0;
};

// Builds until the build hangs or fails, or until the worker has made
// `workers_writes` writes. The emit thread writes what the worker does not.
Status BuildInRing(WorkerPool* pool, SlowFile* file, int workers_writes) {
  RingOptions options;
  options.slot_bytes = 1;
  options.new_compressor = [] {
    TableOptions plain;
    plain.compression = CompressionType::kNoCompression;
    return internal::BlockCompressorFor(plain);
  };
  internal::BlockWriter writer(file, ChecksumType::kXXH3, 0);
  internal::BuildWorkers workers(1, 0, pool);
  CompressionRing ring(options, &workers, &writer);
  std::vector<WrittenBlock> written;
  size_t blocks = 0;
  for (; file->workers_writes() < workers_writes; ++blocks) {
    Status status = ring.Add("block", &written);
    if (!status.ok()) return status;
  }
  Status status = ring.Finish(&written);
  if (status.ok() && written.size() != blocks) {
    return Status::Corruption(std::to_string(written.size()) + " of " +
                              std::to_string(blocks) + " blocks are written");
  }
  return status;
}

enum class Looks : uint8_t { kOfTheTest, kOfItsThread };

void HangEmitThread(Fault fault, bool file_fails,
                    Looks looks = Looks::kOfTheTest) {
  WorkerPool pool(1);
  std::thread emit([&] {
    ModelFutex::Instance().Spoil(std::this_thread::get_id(), fault);
    SlowFile file(file_fails);
    static_cast<void>(BuildInRing(&pool, &file, INT_MAX));
  });
  ModelFutex::Instance().WaitUntilSpoiled();
  if (looks == Looks::kOfTheTest) {
    LookUntilSure(&pool);
  } else {
    ModelFutex::Instance().EndTimedWaits(2 * internal::Watchdog::kPatience);
  }
  std::_Exit(1);  // no thread can be joined
}

void HangWorker(Fault fault) {
  std::thread::id worker;
  std::atomic<bool> met = false;
  struct Meeting {
    std::thread::id* worker;
    std::atomic<bool>* met;
    static void Attend(void* job, uint32_t) {
      const auto* const self = static_cast<Meeting*>(job);
      *self->worker = std::this_thread::get_id();
      *self->met = true;
    }
  } meeting{&worker, &met};
  WorkerPool pool(1);
  pool.state()->Submit({&Meeting::Attend, &meeting});
  while (!met) std::this_thread::yield();
  ModelFutex::Instance().WaitUntilAsleep(worker);
  ModelFutex::Instance().Spoil(worker, fault);
  pool.state()->Submit({&Meeting::Attend, &meeting});
  ModelFutex::Instance().WaitUntilSpoiled();
  LookUntilSure(&pool);
  std::_Exit(1);
}

class WatchdogDeathTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  }
};

constexpr const char* kEmitHangs =
    "a wake-up was lost(.|\n)*"
    "pool: 0 tickets wait(.|\n)*worker 0 (.|\n)*"
    "1 tokens owed, 1 threads asleep; its count is [01], waiters 1"
    "  <- the lost one\n"
    "  ring, job [0-9]+: head [0-9]+, emitted [0-9]+(.|\n)*"
    "emit thread sleeps";

TEST_F(WatchdogDeathTest, EmitThreadIsNotWoken) {
  EXPECT_DEATH(HangEmitThread(Fault::kLosesWake, false), kEmitHangs);
}

// In a program, only the thread of the watchdog calls Look.
TEST_F(WatchdogDeathTest, TheThreadOfThePoolsWatchdogLooks) {
  EXPECT_DEATH(HangEmitThread(Fault::kLosesWake, false, Looks::kOfItsThread),
               kEmitHangs);
}

TEST_F(WatchdogDeathTest, EmitThreadIsNotWokenOnError) {
  EXPECT_DEATH(HangEmitThread(Fault::kLosesWake, true), kEmitHangs);
}

TEST_F(WatchdogDeathTest, SemaphoreOfTheEmitThreadDropsARelease) {
  EXPECT_DEATH(HangEmitThread(Fault::kDropsToken, false), kEmitHangs);
}

TEST_F(WatchdogDeathTest, WorkerIsNotWoken) {
  EXPECT_DEATH(HangWorker(Fault::kLosesWake),
               "its count is 1, waiters 1  <- the lost one\n"
               "  pool: 1 tickets wait\n  worker 0 waits for a ticket");
}

TEST_F(WatchdogDeathTest, SemaphoreOfThePoolDropsARelease) {
  EXPECT_DEATH(HangWorker(Fault::kDropsToken),
               "its count is 0, waiters 1  <- the lost one\n"
               "  pool: 1 tickets wait\n  worker 0 waits for a ticket");
}

// This is the assertion of the protocol itself. test/model/ring_state_test.cc
// shows that each defect of the protocol leads to it.
TEST_F(WatchdogDeathTest, EverybodySleeps) {
  RingState s{.emitted = 2, .claimed = 1, .tickets = 1, .emit_sleeps = true};
  EXPECT_DEATH(internal::RequireSomebodyAwake(s),
               "every thread sleeps(.|\n)*emitted 2, claimed 1, compressed 00, "
               "attending 0, tickets 1, emit thread sleeps");
  s.attending = 1;
  internal::RequireSomebodyAwake(s);
}

// A sleep without a promise is no deadlock, however often the watchdog looks.
TEST(Watchdog, SleepWithoutAPromiseIsNoDeadlock) {
  WorkerPool pool(2);
  WatchedSemaphore* const gate = pool.state()->BorrowGate({});
  std::thread thread([gate] { gate->Acquire(); });
  ModelFutex::Instance().WaitUntilAsleep(thread.get_id());
  LookUntilSure(&pool);
  gate->Promise();
  gate->Release();
  thread.join();
  pool.state()->ReturnGate(gate);
}

// The tickets wait for a busy worker.
TEST(Watchdog, PromiseWithoutASleeperIsNoDeadlock) {
  WorkerPool pool(0);
  int job = 0;
  pool.state()->Submit({nullptr, &job});
  LookUntilSure(&pool);
  EXPECT_EQ(pool.state()->Withdraw(&job), 1u);
}

// The number of owed tokens changes each time just before a verdict.
TEST(Watchdog, ProgressIsNoDeadlock) {
  WorkerPool pool(0);
  WatchedSemaphore* const gate = pool.state()->BorrowGate({});
  std::thread thread([gate] { gate->Acquire(); });
  ModelFutex::Instance().WaitUntilAsleep(thread.get_id());
  for (uint32_t n = 1; n <= 3; ++n) {
    gate->Promise();
    for (int i = 0; i < internal::Watchdog::kPatience; ++i) {
      pool.state()->watchdog()->Look();
    }
  }
  gate->Release(3);
  thread.join();
  pool.state()->ReturnGate(gate);
}

// Makes the same file with the same sleeps, and no wake-up is lost. During each
// sleep the watchdog looks as often as a verdict needs.
TEST(Watchdog, HealthyBuilds) {
  constexpr int kSleeps = 20;
  WorkerPool pool(1);
  SlowFile file(/*fails=*/false, &pool);
  const Status status = BuildInRing(&pool, &file, kSleeps);
  EXPECT_TRUE(status.ok()) << status.ToString();
  EXPECT_GE(file.workers_writes(), kSleeps);
}

TEST(Watchdog, HealthyBuildsOfAFullDisk) {
  constexpr int kBuilds = 5;
  WorkerPool pool(1);
  for (int i = 0; i < kBuilds; ++i) {
    SlowFile file(/*fails=*/true, &pool);
    const Status status = BuildInRing(&pool, &file, INT_MAX);
    EXPECT_TRUE(status.IsIOError()) << status.ToString();
    EXPECT_EQ(file.workers_writes(), 1);
  }
}

}  // namespace
}  // namespace ashlar::testing
