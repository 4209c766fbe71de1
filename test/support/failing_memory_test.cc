// Tests of FailingMemory itself: a test of the program relies on it.
#include "test/support/failing_memory.h"

#include <gtest/gtest.h>

#include <atomic>
#include <csignal>
#include <cstdlib>

#include "port/threads.h"

namespace ashlar::testing {
namespace {

volatile sig_atomic_t signals = 0;
std::atomic<bool> may_allocate = false;
std::atomic<void*> allocated = nullptr;

void* AllocateOnce(void*) {
  may_allocate.wait(false);
  allocated = std::malloc(1);
  return nullptr;
}

// A signal to that thread alone would be lost with the thread.
TEST(FailingMemory, ASignalMeetsTheProcessFromAThreadThatBlocksIt) {
  signals = 0;
  may_allocate = false;
  struct sigaction counted = {};
  struct sigaction before = {};
  counted.sa_handler = [](int) { signals = signals + 1; };
  ASSERT_EQ(sigaction(SIGTERM, &counted, &before), 0);
  pthread_t thread;
  ASSERT_EQ(port::StartThread(&AllocateOnce, nullptr, &thread), 0);
  FailingMemory::Arm(1, FailureMode::kSignal);
  may_allocate = true;
  may_allocate.notify_one();
  port::JoinThread(thread);
  EXPECT_TRUE(FailingMemory::Disarm());
  EXPECT_EQ(FailingMemory::Count(), 1U);
  EXPECT_EQ(signals, 1);
  sigaction(SIGTERM, &before, nullptr);
  std::free(allocated.load());
}

}  // namespace
}  // namespace ashlar::testing
