// The switch of mutants: which change of the library this process has.
//
// test/mutation/run compiles its copy of the library with many changes, each in
// a branch that On(n) chooses. The environment variable ASHLAR_MUTANT has the
// number of the one that is switched on. The compiler's -include includes this,
// so no file does. Thread-safe.
#ifndef ASHLAR_TEST_MUTATION_MUTANT_H_
#define ASHLAR_TEST_MUTATION_MUTANT_H_

// CMake's own checks are older C++, and need none of this.
#if __cplusplus >= 202002L
#include <atomic>
#include <cstdlib>
#include <type_traits>

namespace ashlar_mutants {

inline constexpr int kMost = 1000;

// Which mutants were asked for since a test began: reached, switched on or not.
inline std::atomic<bool> reached[kMost];

inline int FromEnvironment() {
  const char* const number = std::getenv("ASHLAR_MUTANT");
  return number == nullptr ? -1 : std::atoi(number);
}
inline const int switched_on = FromEnvironment();

// What the compiler evaluates is never changed.
constexpr bool On(int n) {
  if (std::is_constant_evaluated()) return false;
  // Only the first store writes, so threads do not compete for the line.
  if (!reached[n].load(std::memory_order_relaxed)) {
    reached[n].store(true, std::memory_order_relaxed);
  }
  return n == switched_on;
}

}  // namespace ashlar_mutants
#endif  // __cplusplus >= 202002L

#endif  // ASHLAR_TEST_MUTATION_MUTANT_H_
