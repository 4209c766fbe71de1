// Tests claims of blocks by table, and after a fork.

#include "table/load/loads_in_flight.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>

#include "ashlar/cache/cache_options.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

using internal::LoadClaim;
using internal::LoadsInFlight;
using Turn = LoadsInFlight::Turn;

constexpr CacheKey kFile{0x1234567890abcdef, 0x42};
constexpr CacheKey kOtherFile{0x1234567890abcdf0, 0x42};

// Also true if an earlier test, whose cache lay there, has claimed it.
bool IsMine(Turn turn) {
  return turn == Turn::kMine || turn == Turn::kMineAgain;
}

std::shared_ptr<Cache> AnyCache() {
  return std::move(NewLruCache({.capacity = 1000})).value();
}

// Where a cache lies is left to chance, and so is which blocks share a place in
// the table of claims. A block that has no place there is not another's.
TEST(LoadsInFlight, AreThoseOfAFileInACache) {
  const std::shared_ptr<Cache> caches[] = {AnyCache(), AnyCache()};
  const LoadsInFlight loads(caches[0].get(), kFile);
  const LoadsInFlight same(caches[0].get(), kFile);
  const LoadsInFlight of_other_file(caches[0].get(), kOtherFile);
  const LoadsInFlight of_other_cache(caches[1].get(), kFile);
  for (const uint64_t offset :
       {uint64_t{0}, uint64_t{4096}, (uint64_t{1} << 40) - 1}) {
    LoadClaim claim;
    ASSERT_TRUE(IsMine(loads.Begin(offset, &claim)));
    LoadClaim none;
    EXPECT_EQ(same.Begin(offset, &none), Turn::kAnothers);
    LoadClaim others[2];
    EXPECT_NE(of_other_file.Begin(offset, &others[0]), Turn::kAnothers);
    EXPECT_NE(of_other_cache.Begin(offset, &others[1]), Turn::kAnothers);
    claim.End();
    EXPECT_EQ(same.Begin(offset, &claim), Turn::kMineAgain);
  }
}

// The thread that had a claim at the fork may not exist in the child. The child
// claims for itself, and its threads wait for each other only.
TEST(LoadsInFlight, AChildOfForkClaimsForItself) {
  const std::shared_ptr<Cache> cache = AnyCache();
  const LoadsInFlight loads(cache.get(), kFile);
  LoadClaim claim;
  ASSERT_TRUE(IsMine(loads.Begin(7, &claim)));
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    loads.Await(7);  // the parent's claim holds up no thread of the child
    LoadClaim own;
    LoadClaim none;
    const bool claims_for_itself = loads.Begin(7, &own) == Turn::kMine &&
                                   loads.Begin(7, &none) == Turn::kAnothers;
    own.End();
    loads.Await(7);
    claim.End();
    ::_exit(claims_for_itself ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  LoadClaim none;
  EXPECT_EQ(loads.Begin(7, &none), Turn::kAnothers);
}

}  // namespace
}  // namespace ashlar::testing
