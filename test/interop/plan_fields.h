// The dimensions in which plans differ: one row each, in plan_fields.cc.
//
// Used by plan.cc and sample_plans.cc. To add a dimension, add its row at the
// end of the table: names and data of the plans that there are stay as they
// are, and each pair of its values with those of all other rows gets a file.
// An option that RocksDB must be told goes into their_options.cc besides.
#ifndef ASHLAR_TEST_INTEROP_PLAN_FIELDS_H_
#define ASHLAR_TEST_INTEROP_PLAN_FIELDS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "test/interop/plan.h"

namespace ashlar::interop {

struct PlanField {
  std::string_view name;
  // Of its values, by spaces apart; no two in the table are the same. The
  // first one is what a plan has that does not name this field.
  std::string_view labels;
  // Only called with a number below CountValues().
  void (*set)(size_t value, Plan* plan);

  constexpr size_t CountValues() const {
    size_t count = 1;
    for (const char c : labels) count += c == ' ' ? 1 : 0;
    return count;
  }
  constexpr std::string_view Label(size_t value) const {
    std::string_view rest = labels;
    for (; value > 0; --value) rest.remove_prefix(rest.find(' ') + 1);
    return rest.substr(0, rest.find(' '));
  }
};

std::span<const PlanField> PlanFields();

// The first so many rows take all their values equally often in random plans;
// the others more often keep their first one.
inline constexpr size_t kEvenFields = 7;

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_PLAN_FIELDS_H_
