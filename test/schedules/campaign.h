// Runs scenarios under many schedules, in child processes.
//
// A seed says everything about an execution: the scenario's form, the strategy
// and its parameters. A child runs some seeds one after the other. If it ends
// with a fault, the parent knows the seed, and which choices of the schedule
// were not the default ones. It then leaves out choices as long as the fault
// stays. What is left is the shortest trace that it prints.
#ifndef ASHLAR_TEST_SCHEDULES_CAMPAIGN_H_
#define ASHLAR_TEST_SCHEDULES_CAMPAIGN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "test/schedules/controlled_threads.h"
#include "test/schedules/scenario.h"

namespace ashlar::testing {

struct FoundFault {
  uint64_t seed = 0;
  std::string text;
  // The choices that lead to it, shortened. Meaningless if not `replays`: then
  // the fault needs the seeds before it, too.
  std::vector<Deviation> deviations;
  bool replays = false;
};

struct CampaignResult {
  uint64_t executions = 0;
  uint64_t distinct = 0;  // schedules, by a hash of 64 bits
  uint64_t points = 0;
  bool complete = false;  // of a bounded search: nothing is left
  std::vector<FoundFault> faults;
};

class Campaign {
 public:
  // Counts up to `most_distinct` schedules. With `weak`, loads may also see
  // older values (weak_memory.h).
  Campaign(const Scenario& scenario, uint64_t most_distinct, bool weak = false);
  Campaign(const Campaign&) = delete;
  Campaign& operator=(const Campaign&) = delete;
  ~Campaign();

  // Runs seeds first, first + 1, ... until `count` have been run, `seconds`
  // have passed, or a fault is found.
  void RunSeeds(uint64_t first, uint64_t count, double seconds);
  // Runs all schedules of one form that have at most `preemptions` preemptions.
  // Stops when `seconds` have passed.
  void RunAll(uint64_t form, uint32_t preemptions, double seconds);

  const CampaignResult& result() const { return result_; }

 private:
  struct Shared;

  void Measure();
  // Runs work() in a child. Returns whether it ended well.
  template <typename Work>
  bool InChild(bool quiet, const Work& work);
  void RunOne(Strategy* strategy, uint64_t form, uint64_t most_points);
  void RunSeed(uint64_t seed);
  void Count();
  void TakeCounts();
  void AddFault(uint64_t form);
  bool Fails(uint64_t form, const std::vector<Deviation>& deviations);
  std::vector<Deviation> Shorten(uint64_t form,
                                 std::vector<Deviation> deviations);

  const Scenario scenario_;
  const uint64_t most_distinct_;
  const bool weak_;
  Shared* shared_ = nullptr;       // in memory that children share
  uint64_t* schedules_ = nullptr;  // a hash set, also shared
  uint64_t num_slots_ = 0;
  CampaignResult result_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SCHEDULES_CAMPAIGN_H_
