// Which plans are run: there are far too many to run all.
//
// Used by the programs of this folder. Pure functions: the same arguments give
// the same plans. Plans that are not possible (plan.h) never come out.
#ifndef ASHLAR_TEST_INTEROP_SAMPLE_PLANS_H_
#define ASHLAR_TEST_INTEROP_SAMPLE_PLANS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "test/interop/plan.h"

namespace ashlar::interop {

// Which plans somebody can use: what the peer reads, for example. Null: all.
using PlanFilter = std::function<bool(const Plan&)>;

struct PairwiseSample {
  // The first ones have the most pairs.
  std::vector<Plan> plans;
  size_t pairs = 0;
  // Pairs that are in no plan, because no plan that has them was found to be
  // possible and to pass the filter: "fv2 with partitioned".
  std::vector<std::string> impossible;
};

// Plans in which each pair of values of any two fields occurs.
PairwiseSample PairwisePlans(const PlanFilter& filter = nullptr);

// `count` of them, drawn by `seed`, some plain and some with many options set.
std::vector<Plan> RandomPlans(size_t count, uint64_t seed,
                              const PlanFilter& filter = nullptr);

// The first ones, at most `count`.
std::vector<Plan> FirstPlans(std::vector<Plan> plans, size_t count);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_SAMPLE_PLANS_H_
