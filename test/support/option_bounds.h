// Values just inside and just outside the bounds of an option, for tests that
// walk the table of options.
#ifndef ASHLAR_TEST_SUPPORT_OPTION_BOUNDS_H_
#define ASHLAR_TEST_SUPPORT_OPTION_BOUNDS_H_

#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>
#include <vector>

#include "ashlar/table/option_table.h"

namespace ashlar::testing {

// Returns the number one step from this one, or nothing if the type has none.
inline std::vector<OptionValue> Beside(const OptionValue& value, int step) {
  return std::visit(
      [step](const auto& number) -> std::vector<OptionValue> {
        using Type = std::remove_cvref_t<decltype(number)>;
        using Limits = std::numeric_limits<Type>;
        if constexpr (std::is_same_v<Type, double>) {
          const double to = step > 0 ? Limits::infinity() : -Limits::infinity();
          return {std::nextafter(number, to)};
        } else if constexpr (std::is_arithmetic_v<Type> &&
                             !std::is_same_v<Type, bool>) {
          if (number == (step > 0 ? Limits::max() : Limits::min())) return {};
          return {static_cast<Type>(step > 0 ? number + 1 : number - 1)};
        } else {
          return {};
        }
      },
      value);
}

inline bool IsBounded(const OptionBounds& bounds) {
  return !std::holds_alternative<std::monostate>(bounds.min);
}

inline std::vector<OptionValue> ValuesWithin(const OptionBounds& bounds) {
  if (!IsBounded(bounds)) return {};
  std::vector<OptionValue> values = {bounds.min, bounds.max};
  if (bounds.power_of_two) {
    for (const uint64_t n : {1, 2, 4, 1 << 20}) values.emplace_back(n);
  }
  return values;
}

inline std::vector<OptionValue> ValuesOutside(const OptionBounds& bounds) {
  if (!IsBounded(bounds)) return {};
  std::vector<OptionValue> values = Beside(bounds.min, -1);
  for (const OptionValue& value : Beside(bounds.max, 1)) {
    values.push_back(value);
  }
  if (bounds.power_of_two) {
    for (const uint64_t n : {3, 6, (1 << 20) + 1}) values.emplace_back(n);
  }
  if (std::holds_alternative<double>(bounds.min)) {
    using Limits = std::numeric_limits<double>;
    values.emplace_back(Limits::quiet_NaN());
    values.emplace_back(Limits::infinity());
    values.emplace_back(-Limits::infinity());
  }
  return values;
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_OPTION_BOUNDS_H_
