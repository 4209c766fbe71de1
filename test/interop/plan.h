// Which files the interop tests exchange with their peers: one Plan a file.
//
// Used by the programs of this folder. A plan is one value of each row of the
// table in plan_fields.cc; setting them gives the options and the shape of the
// data. rows.h makes the data, our_file.h writes it, sample_plans.h chooses
// among plans. Plain values and pure functions: thread-safe. Nothing here
// knows RocksDB.
#ifndef ASHLAR_TEST_INTEROP_PLAN_H_
#define ASHLAR_TEST_INTEROP_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/options.h"

namespace ashlar::interop {

enum class Shape : uint8_t {
  kRandom,       // binary keys of any length, the empty one among them
  kPrefixes,     // long shared prefixes
  kEmptyValues,  // keys only
  kLargeValues,  // 64 KiB
  kDeletes,      // puts, deletions, single deletions; each key once
  kMerges,       // puts, merge operands, deletions; each key once
  kVersions,     // many versions of a key, all types: not an external file
};

// Which value each row of PlanFields() has, in its order.
using Choices = std::vector<uint8_t>;

struct Plan {
  // What the rows set.
  TableOptions options;
  BuildOptions build;
  Shape shape = Shape::kRandom;

  // Chooses the data; as long as a plan is called the same, it is the same.
  uint64_t seed = 0;
  // What differs from the first value of each row, as part of a file name:
  // "fv7-zstd-b512-versions". "plain" when nothing does.
  std::string name = "plain";

  bool HasFilter() const { return options.filter != FilterType::kNone; }
  bool IsExternal() const { return shape != Shape::kVersions; }
};

// With one number for each row.
Plan MakePlan(const Choices& choices);

// By its name. False when no plan is called so.
bool ParsePlan(std::string_view name, Plan* plan);

// Whether such a file can be written at all: its options pass Validate() and
// this build has the codec.
bool IsPossible(const Plan& plan);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_PLAN_H_
