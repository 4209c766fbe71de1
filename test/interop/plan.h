// Which files the interop tests exchange with their peers: one Plan per file.
//
// A plan has one value for each row of the table in plan_fields.cc. These
// values set the options and the shape of the data. rows.h makes the data,
// our_file.h writes it, sample_plans.h chooses plans. Plain values and pure
// functions: thread-safe. Nothing here depends on RocksDB. Used by the programs
// of this folder.
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
  kRandom,       // binary keys of any length, including 0
  kPrefixes,     // long shared prefixes
  kEmptyValues,  // keys only
  kLargeValues,  // 64 KiB
  kDeletes,      // puts, deletions, single deletions; each key once
  kMerges,       // puts, merge operands, deletions; each key once
  kVersions,     // many versions of a key, all types; no external file
};

// The number of the value of each row of PlanFields(), in its order.
using Choices = std::vector<uint8_t>;

struct Plan {
  // The rows set these.
  TableOptions options;
  BuildOptions build;
  Shape shape = Shape::kRandom;

  // Chooses the data. A plan of the same name has the same seed.
  uint64_t seed = 0;
  // The labels that differ from the first value of each row, as part of a file
  // name: "fv7-zstd-b512-versions". "plain" if none differs.
  std::string name = "plain";

  bool HasFilter() const { return options.filter != FilterType::kNone; }
  bool IsExternal() const { return shape != Shape::kVersions; }
};

// Requires one number for each row.
Plan MakePlan(const Choices& choices);

// Parses the name of a plan. Returns false if no plan has that name.
bool ParsePlan(std::string_view name, Plan* plan);

// Returns true if such a file can be written: its options pass Validate(), and
// this build has the codec.
bool IsPossible(const Plan& plan);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_PLAN_H_
