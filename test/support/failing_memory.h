// FailingMemory: allocations that fail when a test says so.
//
// A program that has failing_memory.cc among its sources gets its memory here:
// operator new of all forms, and malloc and its kin. Outside sanitizer trees
// that is every call of malloc in the process, those of the codecs' libraries
// too. In them it is operator new, and what code of ours calls by the name of
// malloc (the linker's --wrap; `ashlar_scarce` in
// test/CMakeLists.txt has the flags).
//
// Allocations of all threads are counted together from Arm on.
#ifndef ASHLAR_TEST_SUPPORT_FAILING_MEMORY_H_
#define ASHLAR_TEST_SUPPORT_FAILING_MEMORY_H_

#include <cstdint>

namespace ashlar::testing {

enum class FailureMode : uint8_t {
  kOnce,       // allocation number n fails, those after it do not
  kFromThere,  // all from number n on fail
  kSignal,     // none fails; number n sends SIGTERM to the process
};

class FailingMemory {
 public:
  // From here on the n-th allocation fails, from 1.
  static void Arm(uint64_t n, FailureMode mode);
  // In between, allocations are neither counted nor made to fail.
  static void Hold();
  static void Resume();
  // All succeed again. Returns whether any failed since Arm.
  static bool Disarm();
  // Allocations since Arm.
  static uint64_t Count();
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FAILING_MEMORY_H_
