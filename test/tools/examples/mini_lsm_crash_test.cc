// Kills mini_lsm at random moments, opens it again, and compares it with what
// it had acknowledged.
//
// A child process does random operations (mini_lsm_run.h), and counts in shared
// memory those that are done. It is killed by SIGKILL:
//
//   before or after its n-th file call, or after half of the n-th write
//     (test/support/faulty_calls.h)
//   or by its parent, when a byte in a pipe says that operation n is done, and
//     the child has gone on
//
// The next child opens the folder, and must find every operation that was done,
// the one that was cut off as a whole or not at all, and nothing else. Then it
// goes on. The openings are also killed.
//
// ASHLAR_MINI_LSM_OPERATIONS is the number of operations; `make
// mini-lsm-crashes` sets it.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "test/support/faulty_calls.h"
#include "test/support/folder.h"
#include "test/tools/examples/mini_lsm_run.h"

namespace ashlar::testing {
namespace {

// What a child leaves behind.
struct Shared {
  std::atomic<uint64_t> finished;  // how many operations have happened
};

struct Kill {
  std::string plan;         // for BeginFaults; empty: none
  uint64_t signal_at = ~0;  // after this operation the parent kills
};

Kill DrawKill(Random* random, uint64_t base) {
  const uint64_t call = random->Between(1, random->OneIn(4) ? 60 : 1500);
  const std::string at = std::to_string(call) + ":";
  switch (random->Below(4)) {
    case 0:
      return {.plan = at + "kill"};
    case 1:
      return {.plan = at + "killed"};
    case 2:
      return {.plan = at + "short," + std::to_string(call + 1) + ":kill"};
    default:
      return {.signal_at = base + random->Below(2000)};
  }
}

class Crashes {
 public:
  Crashes(std::string folder, uint64_t seed, uint64_t operations)
      : folder_(std::move(folder)), seed_(seed), operations_(operations) {
    void* shared = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) std::abort();
    shared_ = new (shared) Shared();
  }
  ~Crashes() { munmap(shared_, sizeof(Shared)); }

  void Run() {
    Random random(seed_);
    while (done_ < operations_ && !::testing::Test::HasFailure()) {
      RunChild(DrawKill(&random, done_));
    }
  }
  uint64_t kills() const { return kills_; }

 private:
  void RunChild(const Kill& kill) {
    shared_->finished = 0;
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      close(pipe_ends[0]);
      Child(kill, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    char byte = 0;
    // Ends at the byte, or when the child has ended.
    if (read(pipe_ends[0], &byte, 1) == 1) ::kill(child, SIGKILL);
    close(pipe_ends[0]);
    int state = 0;
    ASSERT_EQ(waitpid(child, &state, 0), child);
    const bool killed = WIFSIGNALED(state) && WTERMSIG(state) == SIGKILL;
    ASSERT_TRUE(killed || (WIFEXITED(state) && WEXITSTATUS(state) == 0))
        << "seed " << seed_ << ", from operation " << done_ << ", plan "
        << kill.plan << ": state " << state;
    if (killed) ++kills_;
    for (; done_ < shared_->finished; ++done_) {
      ApplyMiniWrites(seed_, done_, &model_, nullptr);
    }
  }

  [[noreturn]] void Child(const Kill& kill, int pipe_end) {
    const auto must = [](const std::string& problem) {
      if (problem.empty()) return;
      std::fprintf(stderr, "%s\n", problem.c_str());
      _exit(1);
    };
    if (!kill.plan.empty()) BeginFaults(folder_, kill.plan);
    MiniRun run(folder_, seed_, model_);
    must(run.Open());
    bool happened = false;
    must(run.Settle(done_, &happened));
    uint64_t next = done_ + (happened ? 1 : 0);
    shared_->finished = next;
    for (; next < operations_; shared_->finished = ++next) {
      if (next == kill.signal_at && write(pipe_end, "k", 1) != 1) _exit(2);
      must(run.Do(next));
    }
    _exit(0);
  }

  const std::string folder_;
  const uint64_t seed_;
  const uint64_t operations_;
  Shared* shared_;
  MiniModel model_;
  uint64_t done_ = 0;
  uint64_t kills_ = 0;
};

TEST(MiniLsmCrashes, NothingThatWasAcknowledgedIsLost) {
  const char* given = std::getenv("ASHLAR_MINI_LSM_OPERATIONS");
  const uint64_t operations =
      given != nullptr ? std::strtoull(given, nullptr, 10) : 60000;
  uint64_t seeds = operations < 1000000 ? 2 : 4;
  ForEachSeed(1, seeds, [&](uint64_t seed) {
    TestFolder folder;
    Crashes crashes(folder.path(), seed, operations / seeds);
    crashes.Run();
    std::printf("seed %llu: %llu operations, %llu kills\n",
                static_cast<unsigned long long>(seed),
                static_cast<unsigned long long>(operations / seeds),
                static_cast<unsigned long long>(crashes.kills()));
    EXPECT_GT(crashes.kills(), operations / seeds / 10000);
  });
}

}  // namespace
}  // namespace ashlar::testing
