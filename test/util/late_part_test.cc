// Tests of parts that the first thread that needs them loads: one load, no
// matter how many threads come; errors that stay with their thread; and a child
// of fork, which waits for nobody.
#include "util/sync/late_part.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <new>
#include <semaphore>
#include <thread>
#include <vector>

#include "test/support/run_together.h"

namespace ashlar::internal {
namespace {

using Part = LatePart<const int>;
using Made = std::unique_ptr<const int>;

Status MakeSeven(Made* made) {
  *made = std::make_unique<const int>(7);
  return {};
}

TEST(LatePart, IsLoadedOnce) {
  Part part;
  EXPECT_EQ(part.IfLoaded(), nullptr);
  const int* first;
  ASSERT_TRUE(part.Need(MakeSeven, &first).ok());
  EXPECT_EQ(*first, 7);
  EXPECT_EQ(part.IfLoaded(), first);
  const int* again;
  const auto never = [](Made*) { return Status::Aborted("loaded again"); };
  ASSERT_TRUE(part.Need(never, &again).ok());
  EXPECT_EQ(again, first);
}

TEST(LatePart, AnErrorOrAnExceptionLeavesItAsItWas) {
  Part part;
  const int* loaded;
  const auto fails = [](Made*) { return Status::IOError("no"); };
  EXPECT_TRUE(part.Need(fails, &loaded).IsIOError());
  const auto throws = [](Made*) -> Status { throw std::bad_alloc(); };
  EXPECT_THROW(part.Need(throws, &loaded).IgnoreError(), std::bad_alloc);
  EXPECT_EQ(part.IfLoaded(), nullptr);
  EXPECT_TRUE(part.Need(MakeSeven, &loaded).ok());
  EXPECT_EQ(*loaded, 7);
}

TEST(LatePart, OneThreadOfMany) {
  constexpr int kThreads = 8;
  constexpr size_t kRounds = 1000;
  std::vector<OnDemand<const int>> parts(kRounds);
  std::vector<std::atomic<int>> loads(kRounds);
  for (size_t i = 0; i < kRounds; ++i) {
    parts[i].LoadBy([&loads, i](Made* made) {
      ++loads[i];
      *made = std::make_unique<const int>(static_cast<int>(i));
      return Status();
    });
  }
  testing::RunTogether(kThreads, [&](int) -> std::string {
    for (size_t i = 0; i < kRounds; ++i) {
      const int* part;
      if (!parts[i].Need(&part).ok()) return "an error";
      if (*part != static_cast<int>(i)) return "another part";
    }
    return "";
  });
  for (const std::atomic<int>& n : loads) EXPECT_EQ(n, 1);
}

// The first load is held up until the other threads have come, and then fails.
// Its thread gets the error. Of the others one loads, and all get that part.
TEST(LatePart, AfterAnErrorTheOthersLoadForThemselves) {
  Part part;
  std::binary_semaphore loading(0);
  std::binary_semaphore may_fail(0);
  std::thread first([&] {
    const int* loaded;
    const auto fails = [&](Made*) {
      loading.release();
      may_fail.acquire();
      return Status::IOError("no");
    };
    EXPECT_TRUE(part.Need(fails, &loaded).IsIOError());
  });
  loading.acquire();
  std::atomic<int> loads = 0;
  constexpr int kOthers = 4;
  std::vector<std::thread> others;
  others.reserve(kOthers);
  for (int t = 0; t < kOthers; ++t) {
    others.emplace_back([&] {
      const int* loaded;
      const auto load = [&](Made* made) {
        ++loads;
        return MakeSeven(made);
      };
      EXPECT_TRUE(part.Need(load, &loaded).ok());
      EXPECT_EQ(*loaded, 7);
    });
  }
  EXPECT_EQ(loads, 0);
  may_fail.release();
  first.join();
  for (std::thread& thread : others) thread.join();
  EXPECT_EQ(loads, 1);
}

TEST(LatePart, AChildOfForkWaitsForNobody) {
  Part part;
  std::binary_semaphore loading(0);
  std::binary_semaphore may_end(0);
  std::thread loader([&] {
    const int* loaded;
    const auto slow = [&](Made* made) {
      loading.release();
      may_end.acquire();
      return MakeSeven(made);
    };
    EXPECT_TRUE(part.Need(slow, &loaded).ok());
  });
  loading.acquire();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const int* loaded;
    const bool done = part.Need(MakeSeven, &loaded).ok() && *loaded == 7;
    ::_exit(done ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  may_end.release();
  loader.join();
}

}  // namespace
}  // namespace ashlar::internal
