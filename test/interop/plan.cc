#include "test/interop/plan.h"

#include <algorithm>

#include "test/interop/plan_fields.h"

namespace ashlar::interop {

Plan MakePlan(const Choices& choices) {
  Plan plan;
  std::string name;
  const auto fields = PlanFields();
  for (size_t i = 0; i < fields.size(); ++i) {
    fields[i].set(choices[i], &plan);
    if (choices[i] == 0) continue;
    if (!name.empty()) name.append("-");
    name.append(fields[i].Label(choices[i]));
    plan.seed = (plan.seed + i * 16 + choices[i]) * 0x9E3779B97F4A7C15;
  }
  if (!name.empty()) plan.name = name;
  return plan;
}

bool ParsePlan(std::string_view name, Plan* plan) {
  const auto fields = PlanFields();
  Choices choices(fields.size());
  std::string_view rest = name == Plan().name ? "" : name;
  for (size_t i = 0; i < fields.size(); ++i) {
    const std::string_view label = rest.substr(0, rest.find('-'));
    for (size_t value = 1; value < fields[i].CountValues(); ++value) {
      if (fields[i].Label(value) != label) continue;
      choices[i] = static_cast<uint8_t>(value);
      rest.remove_prefix(std::min(label.size() + 1, rest.size()));
      break;
    }
  }
  *plan = MakePlan(choices);
  return rest.empty();
}

bool IsPossible(const Plan& plan) {
  return plan.options.Validate().ok() &&
         IsCompressionSupported(plan.options.compression);
}

}  // namespace ashlar::interop
