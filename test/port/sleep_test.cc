// Tests the sleep of threads on a word of memory, whichever file of port/ it
// comes from. A wake-up that is lost lets a test run until it is stopped.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "port/threads.h"

namespace ashlar::testing {
namespace {

using Word = std::atomic<uint32_t>;

const uint32_t* Of(const Word& word) {
  return reinterpret_cast<const uint32_t*>(&word);
}

TEST(Sleep, IsNotBegunIfTheWordHasChanged) {
  const Word word{7};
  port::FutexWait(Of(word), 6);
  port::FutexWaitFor(Of(word), 6, 1'000'000);
}

TEST(Sleep, EndsAfterItsTime) {
  const Word word{7};
  port::FutexWaitFor(Of(word), 7, 1);
}

// Two threads take turns, each asleep until the other has changed the word.
TEST(Sleep, EndsWhenTheWordChanges) {
  constexpr uint32_t kTurns = 20'000;
  Word word{0};
  const auto take_turns = [&word](uint32_t first) {
    for (uint32_t turn = first; turn < kTurns; turn += 2) {
      for (uint32_t seen = word; seen != turn; seen = word) {
        port::FutexWait(Of(word), seen);
      }
      word = turn + 1;
      port::FutexWake(Of(word), 1);
    }
  };
  std::thread other(take_turns, 1);
  take_turns(0);
  other.join();
  EXPECT_EQ(word, kTurns);
}

// One wake-up for all that sleep on a word. Other words share its place, where
// there are places.
TEST(Sleep, OfManyThreadsEndsAtOnce) {
  constexpr size_t kThreads = 8;
  std::array<Word, 2> words = {0, 0};
  std::atomic<size_t> begun{0};
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      const Word& mine = words[i % words.size()];
      ++begun;
      while (mine == 0) port::FutexWait(Of(mine), 0);
    });
  }
  while (begun < kThreads) port::YieldThread();
  for (Word& word : words) {
    word = 1;
    port::FutexWake(Of(word), UINT32_MAX);
  }
  for (std::thread& thread : threads) thread.join();
}

// A thread that is just waking another one does not exist in the child. What it
// holds there must not hold up the child.
TEST(Sleep, GoesOnInAChildOfFork) {
  constexpr int kForks = 50;
  std::array<Word, 500> words = {};
  std::atomic<bool> done{false};
  constexpr int kWakers = 3;
  std::vector<std::thread> threads;
  threads.reserve(kWakers + 1);
  for (int i = 0; i < kWakers; ++i) {
    threads.emplace_back([&] {
      while (!done) {
        for (const Word& word : words) port::FutexWake(Of(word), 1);
      }
    });
  }
  threads.emplace_back([&] {
    while (words[0] == 0) port::FutexWait(Of(words[0]), 0);
  });
  for (int i = 0; i < kForks; ++i) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      for (const Word& word : words) port::FutexWake(Of(word), 1);
      port::FutexWaitFor(Of(words[0]), 0, 1);
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  done = true;
  words[0] = 1;
  port::FutexWake(Of(words[0]), UINT32_MAX);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace ashlar::testing
