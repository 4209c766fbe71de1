// Values for tests that walk the table of options: just inside and just outside
// the bounds of an option, and other than its default.
#ifndef ASHLAR_TEST_SUPPORT_OPTION_BOUNDS_H_
#define ASHLAR_TEST_SUPPORT_OPTION_BOUNDS_H_

#include <cmath>
#include <limits>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "ashlar/table/option_table.h"
#include "ashlar/util/comparator.h"

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

// A value other than the default.
inline OptionValue OtherValue(OptionKind kind, const OptionValue& value) {
  switch (kind) {
    case OptionKind::kBool:
      return !std::get<bool>(value);
    case OptionKind::kInt:
      return std::get<int>(value) == 3 ? -10 : 3;
    case OptionKind::kUint32:
      return value == OptionValue(1u) ? 0u : 1u;
    case OptionKind::kUint64:
      return value == OptionValue(uint64_t{2}) ? uint64_t{3} : uint64_t{2};
    case OptionKind::kDouble:
      return 1.5;
    case OptionKind::kText:
      return std::string_view("text");
  }
  return {};
}

template <typename Options>
inline OptionValue OtherValueOf(const OptionRow<Options>& row) {
  if (row.name == "comparator") return ReverseBytewiseComparator()->Name();
  if (row.name == "prefix_extractor") return "rocksdb.FixedPrefix.3";
  return OtherValue(row.member.kind, row.member.get(Options()));
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_OPTION_BOUNDS_H_
