// Which thread does work that several threads want done.

#include "util/sync/claims.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <barrier>
#include <thread>
#include <vector>

#include "util/sync/atomic.h"

namespace ashlar::internal {
namespace {

using Turn = Claims::Turn;

TEST(Claims, OneDoesIt) {
  Claims claims;
  EXPECT_EQ(claims.Claim(7), Turn::kMine);
  EXPECT_EQ(claims.Claim(7), Turn::kAnothers);
  claims.Finish(7);
  claims.Await(7);
  EXPECT_EQ(claims.Claim(7), Turn::kMineAgain);
  claims.Finish(7);
  claims.Await(8);
}

TEST(Claims, TheLargestAndTheSmallest) {
  Claims claims;
  for (const uint64_t number : {uint64_t{0}, (uint64_t{1} << 62) - 1}) {
    EXPECT_EQ(claims.Claim(number), Turn::kMine);
    claims.Finish(number);
    EXPECT_EQ(claims.Claim(number), Turn::kMineAgain);
    claims.Finish(number);
  }
}

// A child of fork has no other thread to wait for, and works without claims.
TEST(Claims, AChildOfForkWaitsForNobody) {
  Claims claims;
  ASSERT_EQ(claims.Claim(7), Turn::kMine);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool none =
        claims.Claim(7) == Turn::kNoPlace && claims.Claim(8) == Turn::kNoPlace;
    ::_exit(none ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  claims.Finish(7);
}

// More claims than slots: some claims get no slot, and no thread waits for
// those.
TEST(Claims, ThoseThatMeet) {
  Claims claims;
  std::vector<uint64_t> claimed;
  size_t without_place = 0;
  for (uint64_t number = 0; number < 10 * Claims::kSlots; ++number) {
    const Turn turn = claims.Claim(number * 4096);
    if (turn == Turn::kMine) {
      claimed.push_back(number * 4096);
    } else {
      ASSERT_EQ(turn, Turn::kNoPlace);
      claims.Await(number * 4096);
      ++without_place;
    }
  }
  EXPECT_EQ(claimed.size(), Claims::kSlots) << "places are used evenly";
  EXPECT_EQ(without_place, 9 * Claims::kSlots);
  for (const uint64_t number : claimed) claims.Finish(number);
  // A number counts as new again if another number used its slot afterwards.
  size_t again = 0;
  for (uint64_t number = 0; number < 10 * Claims::kSlots; ++number) {
    const Turn turn = claims.Claim(number * 4096);
    if (turn == Turn::kMineAgain) ++again;
    claims.Finish(number * 4096);
  }
  EXPECT_LE(again, Claims::kSlots);
}

// In each round one thread does the work, whichever comes first, and all
// threads see its result.
TEST(Claims, DoneOnceAndSeenByAll) {
  constexpr int kThreads = 4;
  constexpr uint64_t kRounds = 3000;
  Claims claims;
  std::barrier together(kThreads);
  // Not atomic: the claims order the accesses.
  std::vector<uint64_t> done(kRounds, 0);
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (uint64_t round = 0; round < kRounds; ++round) {
        together.arrive_and_wait();
        switch (claims.Claim(round)) {
          case Turn::kMine:
            ++done[round];
            claims.Finish(round);
            break;
          case Turn::kMineAgain:
            EXPECT_EQ(done[round], 1U);
            claims.Finish(round);
            break;
          case Turn::kAnothers:
            claims.Await(round);
            EXPECT_EQ(done[round], 1U);
            break;
          case Turn::kNoPlace:
            ADD_FAILURE() << "nobody has another number";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const uint64_t n : done) EXPECT_EQ(n, 1U);
}

}  // namespace
}  // namespace ashlar::internal
