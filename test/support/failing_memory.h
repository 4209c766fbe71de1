// FailingMemory: allocations that fail when a test says so.
//
// A program that has failing_memory.cc among its sources allocates here: all
// forms of operator new, and malloc and its kin. Without a sanitizer this
// covers every call of malloc in the process, those of the codecs' libraries
// too. In sanitizer trees it covers operator new and the calls of malloc in our
// own code, which the linker's --wrap redirects. `ashlar_scarce` in
// test/CMakeLists.txt has the flags.
//
// Arm starts one count for the allocations of all threads.
#ifndef ASHLAR_TEST_SUPPORT_FAILING_MEMORY_H_
#define ASHLAR_TEST_SUPPORT_FAILING_MEMORY_H_

#include <cstdint>

#include "port/sanitizers.h"

namespace ashlar::testing {

enum class FailureMode : uint8_t {
  kOnce,       // allocation number n fails, later ones succeed
  kFromThere,  // allocation number n and all later ones fail
  kSignal,     // none fails; number n sends SIGTERM to the process
};

class FailingMemory {
 public:
  // Starts to count from 1. What happens at the n-th allocation depends on
  // `mode`.
  static void Arm(uint64_t n, FailureMode mode);
  // Between Hold and Resume, allocations are not counted and do not fail.
  static void Hold();
  static void Resume();
  // Makes all allocations succeed again. Returns true if any failed since Arm.
  static bool Disarm();
  // Returns the number of allocations since Arm.
  static uint64_t Count();
  // Returns the number of blocks that were allocated and not freed, or 0 where
  // that is not counted: in sanitizer trees, which find leaks themselves.
  static int64_t Live();
  static constexpr bool kCountsLive = !internal::kUnderSanitizer;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FAILING_MEMORY_H_
