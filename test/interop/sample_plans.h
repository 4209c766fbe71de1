// Chooses which plans to run, because there are too many to run all.
//
// Pure functions: the same arguments give the same plans. They never return
// impossible plans (plan.h). Used by the programs of this folder.
#ifndef ASHLAR_TEST_INTEROP_SAMPLE_PLANS_H_
#define ASHLAR_TEST_INTEROP_SAMPLE_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "test/interop/plan.h"

namespace ashlar::interop {

// Returns true for plans that are wanted, for example those that the peer can
// read. Null: all.
using PlanFilter = std::function<bool(const Plan&)>;

struct PairwiseSample {
  // The first plans have the most pairs.
  std::vector<Plan> plans;
  size_t pairs = 0;
  // Pairs that occur in no plan, because no possible plan with them passed the
  // filter: "fv2 with partitioned".
  std::vector<std::string> impossible;
};

// Returns plans in which each pair of values of any two fields occurs.
PairwiseSample PairwisePlans(const PlanFilter& filter = nullptr);

// Returns `count` plans drawn by `seed`, some plain and some with many options
// set.
std::vector<Plan> RandomPlans(size_t count, uint64_t seed,
                              const PlanFilter& filter = nullptr);

// Returns at most the first `count` plans.
std::vector<Plan> FirstPlans(std::vector<Plan> plans, size_t count);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_SAMPLE_PLANS_H_
