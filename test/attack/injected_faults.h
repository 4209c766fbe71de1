// InjectedFault: what fails in a run, and what must come of it.
#ifndef ASHLAR_TEST_ATTACK_INJECTED_FAULTS_H_
#define ASHLAR_TEST_ATTACK_INJECTED_FAULTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "test/support/faulty_calls.h"

namespace ashlar::testing {

struct InjectedFault {
  size_t number = 0;  // of the call, from 1
  std::string what;   // as in a plan of faulty_calls.h
  bool and_after = false;

  std::string Plan() const;
};

// What must come of a fault. It depends on the call that has met it, which may
// be another one in each run if several threads make calls.
struct FaultExpectation {
  // The work must succeed: the call was interrupted, or transferred less, or
  // there was no fault.
  bool must_succeed = false;
  // The work must not succeed: what was written may be lost.
  bool must_fail = false;
  // It is the sync of a folder.
  bool is_fsync = false;
  // The device is full: the error must say so.
  bool no_space = false;
  // A read returned other bytes: the error is none of the system's.
  bool is_flip = false;
  // There may be no memory, says the system.
  bool no_memory = false;
  // The call has opened a file, and the layer has hidden its descriptor.
  bool hides_descriptor = false;
  // Files under temporary names may be left over.
  bool may_leave = false;
};

// All faults that can happen at these calls, at each of them: errors of the
// device, a full device, interruptions, short transfers, errors of calls that
// were made, and the same error at all later calls. Of each read, `flips` bits
// are changed, one at a time.
std::vector<InjectedFault> FaultsAt(const std::vector<CountedCall>& calls,
                                    uint64_t flips);

// `call` is the name of the call that has met the fault. Empty: none has.
FaultExpectation ExpectationOf(const InjectedFault& fault,
                               const std::string& call);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_INJECTED_FAULTS_H_
