// HeldResources: what this process has open and has not given back.
//
// Take it before and after a piece of work: what the second has more was
// leaked. Counts descriptors, the threads that the library has started and not
// joined, and blocks of memory (FailingMemory::Live). A program that uses it is
// linked with fault_parts, whose flags let the calls of threads be counted.
#ifndef ASHLAR_TEST_ATTACK_HELD_RESOURCES_H_
#define ASHLAR_TEST_ATTACK_HELD_RESOURCES_H_

#include <cstdint>
#include <string>

namespace ashlar::testing {

struct HeldResources {
  int64_t descriptors = 0;
  int64_t threads = 0;
  int64_t blocks = 0;

  static HeldResources Now();
  // Returns what this has more than `before`, as text. Empty: nothing.
  std::string Beyond(const HeldResources& before) const;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_HELD_RESOURCES_H_
