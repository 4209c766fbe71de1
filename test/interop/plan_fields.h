// The dimensions in which plans differ: one row for each, in plan_fields.cc.
//
// To add a dimension, add its row at the end of the table. Names and data of
// existing plans do not change, and each pair of its values with those of other
// rows gets a file. If RocksDB has the option too, also set it in
// their_options.cc. Used by plan.cc and sample_plans.cc.
#ifndef ASHLAR_TEST_INTEROP_PLAN_FIELDS_H_
#define ASHLAR_TEST_INTEROP_PLAN_FIELDS_H_

#include <cstddef>
#include <span>
#include <string_view>

#include "test/interop/plan.h"

namespace ashlar::interop {

struct PlanField {
  std::string_view name;
  // The labels of its values, separated by spaces. All labels in the table
  // differ. A plan that does not name this field has the first value.
  std::string_view labels;
  // Requires a number below CountValues().
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

// In random plans, the first kEvenFields rows take all their values equally
// often. The other rows have their first value more often.
inline constexpr size_t kEvenFields = 7;

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_PLAN_FIELDS_H_
