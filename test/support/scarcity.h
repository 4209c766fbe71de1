// ForEachFailure: repeats an operation while each of its allocations fails in
// turn.
#ifndef ASHLAR_TEST_SUPPORT_SCARCITY_H_
#define ASHLAR_TEST_SUPPORT_SCARCITY_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "ashlar/util/status.h"
#include "test/support/failing_memory.h"

namespace ashlar::testing {

struct ScarcityCounts {
  uint64_t allocations = 0;  // of the operation when none fails
  uint64_t failures = 0;     // runs that ended with MemoryLimit
};

// Calls `run`, which returns a Status, with allocation 1, 2, 3 and so on
// failing, until the operation makes fewer allocations. In a first pass only
// that allocation fails; in a second pass all later ones fail too. Each run
// must end with MemoryLimit or ok. If it ends with ok, `check` tests its
// outcome. Allocations in `check` and in this function never fail. `stride`:
// for operations of many allocations, the step between failing numbers.
template <typename Run, typename Check>
ScarcityCounts ForEachFailure(const Run& run, const Check& check,
                              uint64_t stride = 1) {
  ScarcityCounts counts;
  const Status sound = run();
  EXPECT_TRUE(sound.ok()) << sound.ToString();
  check();
  for (const FailureMode mode : {FailureMode::kOnce, FailureMode::kFromThere}) {
    bool any = true;
    for (uint64_t n = 1; any && !::testing::Test::HasFailure(); n += stride) {
      SCOPED_TRACE("allocation " + std::to_string(n) +
                   (mode == FailureMode::kOnce ? "" : " and all after it"));
      FailingMemory::Arm(n, mode);
      const Status status = run();
      any = FailingMemory::Disarm();
      counts.allocations = FailingMemory::Count();
      if (status.ok()) {
        check();
      } else {
        ++counts.failures;
        EXPECT_TRUE(any);
        EXPECT_TRUE(status.IsMemoryLimit()) << status.ToString();
        EXPECT_FALSE(status.message().empty());
      }
    }
  }
  // Memory is available again.
  const Status again = run();
  EXPECT_TRUE(again.ok()) << again.ToString();
  check();
  return counts;
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SCARCITY_H_
