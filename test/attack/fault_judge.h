// FaultJudge: repeats a scenario with one fault at a time, and judges what came
// of it.
//
// After each run
//   - the status is ok, and the answer and the outputs are those of a run
//     without a fault; or it is an error of the right kind, which names the
//     file or its folder;
//   - what has a final name is whole, and is the old or the new one, as the
//     status says;
//   - the inputs are as they were;
//   - no file is left over, unless the fault is that it cannot be removed;
//   - no descriptor, thread or block of memory is held;
//   - after an error, the same work succeeds when it is repeated.
//
// One thread uses it, and no other judge works meanwhile. Functions throw where
// the test itself goes wrong.
#ifndef ASHLAR_TEST_ATTACK_FAULT_JUDGE_H_
#define ASHLAR_TEST_ATTACK_FAULT_JUDGE_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "test/attack/fault_scenarios.h"
#include "test/attack/injected_faults.h"
#include "test/support/failing_memory.h"
#include "test/support/folder.h"

namespace ashlar::testing {

class FaultJudge {
 public:
  // Runs the scenario without faults. Throws if that does not succeed.
  explicit FaultJudge(const FaultScenario& scenario);

  // The file calls of a run without faults, and its allocations.
  const std::vector<CountedCall>& calls() const { return calls_; }
  uint64_t allocations() const { return allocations_; }

  // Return what was wrong with a run under this fault. Empty: nothing.
  std::string OfFault(const InjectedFault& fault);
  std::string OfAllocation(uint64_t number, FailureMode mode);
  // Whether the last run ended with an error.
  bool has_failed() const { return has_failed_; }

 private:
  using Files = std::map<std::string, std::string>;  // bytes by name
  struct Outcome {
    Status status;
    std::string answer;
    std::string leaked;
    std::string met;  // the name of the call that the fault was at, if any
  };

  template <typename Begin, typename End>
  Outcome Run(const Begin& begin, const End& end);
  Outcome RunSound();
  Outcome RunFault(const InjectedFault& fault);
  Outcome RunAllocation(uint64_t number, FailureMode mode);
  template <typename Again>
  void JudgeLeaks(const Outcome& first, const Again& again);

  void Restart() const;
  void Learn();
  Files ReadFolder(const std::string& name) const;
  Files ReadOutput() const;
  std::string Published(const Files& out, std::vector<std::string>* left) const;
  bool IsPart(const Files& out) const;
  void JudgeFiles(const Outcome& outcome, bool may_leave);
  void JudgeLeft(const std::vector<std::string>& left, const Status& status);
  void JudgeStatus(const Status& status, const FaultExpectation& expected);
  void JudgeNext();
  void Blame(const std::string& what);

  const FaultScenario& scenario_;
  const TestFolder folder_;
  Files inputs_;
  Files start_;  // what is in out/ before each run
  Files whole_;  // and after one without a fault
  bool is_set_ = false;
  std::string before_;  // what is published before a run, and after it
  std::string after_;
  std::string answer_;
  std::vector<CountedCall> calls_;
  uint64_t allocations_ = 0;
  bool has_failed_ = false;
  std::string reason_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_FAULT_JUDGE_H_
