// Walks over the rows of option_rows.cc: checks, conversions and texts.

#include "ashlar/table/option_table.h"

#include <charconv>
#include <concepts>
#include <limits>
#include <type_traits>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

bool IsAbsent(const OptionValue& value) {
  return std::holds_alternative<std::monostate>(value);
}

template <typename To, typename From>
std::optional<OptionValue> ConvertNumber(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    return value != 0;
  } else if constexpr (std::is_same_v<To, double>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<From, double> ||
                       std::is_same_v<From, bool>) {
    return std::nullopt;
  } else {
    if (!std::in_range<To>(value)) return std::nullopt;
    return static_cast<To>(value);
  }
}

// Returns the value as one of this kind. Returns nothing if it does not fit.
std::optional<OptionValue> Convert(OptionKind kind, const OptionBounds& bounds,
                                   const OptionValue& value) {
  if (static_cast<OptionKind>(value.index()) == kind) return value;
  if (const auto* const text = std::get_if<std::string_view>(&value)) {
    for (uint32_t i = 0; i < bounds.names.size(); ++i) {
      if (bounds.names[i] == *text) return i;
    }
    return std::nullopt;
  }
  return std::visit(
      [kind](const auto& number) -> std::optional<OptionValue> {
        using From = std::remove_cvref_t<decltype(number)>;
        if constexpr (std::is_arithmetic_v<From>) {
          switch (kind) {
            case OptionKind::kBool:
              return ConvertNumber<bool>(number);
            case OptionKind::kInt:
              return ConvertNumber<int>(number);
            case OptionKind::kUint32:
              return ConvertNumber<uint32_t>(number);
            case OptionKind::kUint64:
              return ConvertNumber<uint64_t>(number);
            case OptionKind::kDouble:
              return ConvertNumber<double>(number);
            case OptionKind::kText:
              break;
          }
        }
        return std::nullopt;
      },
      value);
}

// The shortest text that stands for exactly this number.
std::string NumberText(double number) {
  constexpr size_t kLongest = 32;
  char text[kLongest];
  const auto end = std::to_chars(text, text + kLongest, number);
  return {text, end.ptr};
}

std::string JoinNames(std::span<const std::string_view> names) {
  std::string text(names.front());
  for (size_t i = 1; i < names.size(); ++i) {
    text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

// Returns whether this is the largest number of its type.
bool IsLargest(const OptionValue& value) {
  return std::visit(
      [](const auto& number) {
        using Type = std::remove_cvref_t<decltype(number)>;
        if constexpr (std::integral<Type>) {
          return number == std::numeric_limits<Type>::max();
        }
        return false;
      },
      value);
}

Status OutOfBounds(std::string_view name, const OptionBounds& bounds,
                   const OptionValue& value) {
  return Status::InvalidArgument(std::string(name) + " is " +
                                 DescribeValue(bounds, value) + ", expected " +
                                 DescribeBounds(bounds));
}

template <typename Options>
Status Set(const OptionRow<Options>& row, const OptionValue& value,
           Options* options) {
  return internal::OrMemoryLimit([&]() -> Status {
    const auto& [kind, get, set, bounds] = row.member;
    const std::optional<OptionValue> converted = Convert(kind, bounds, value);
    if (!converted.has_value() || !IsWithin(bounds, *converted)) {
      return OutOfBounds(row.name, bounds, value);
    }
    if (set(*converted, options)) return {};
    return Status::NotSupported(std::string(row.name) + " " +
                                    DescribeValue(bounds, *converted) +
                                    " is not built in",
                                Status::SubCode::kNotBuiltIn);
  });
}

template <typename Options>
Status CheckRows(std::span<const OptionRow<Options>> rows,
                 const Options& options) {
  for (const OptionRow<Options>& row : rows) {
    const OptionBounds& bounds = row.member.bounds;
    const OptionValue value = row.member.get(options);
    if (IsWithin(bounds, value)) continue;
    if (row.counts != nullptr && !row.counts(options)) continue;
    return OutOfBounds(row.name, bounds, value);
  }
  return {};
}

}  // namespace

bool IsWithin(const OptionBounds& bounds, const OptionValue& value) {
  if (IsAbsent(value)) return true;
  // A double that is not a number is on neither side of a bound.
  if (!IsAbsent(bounds.min) && !(bounds.min <= value)) return false;
  if (!IsAbsent(bounds.max) && !(value <= bounds.max)) return false;
  if (!bounds.power_of_two) return true;
  const auto n = std::get<uint64_t>(value);
  return (n & (n - 1)) == 0;
}

std::string DescribeBounds(const OptionBounds& bounds) {
  if (!bounds.names.empty()) return JoinNames(bounds.names);
  if (IsAbsent(bounds.min)) return {};
  const std::string max = DescribeValue({}, bounds.max);
  if (bounds.power_of_two) return "0, or a power of two up to " + max;
  const std::string min = DescribeValue({}, bounds.min);
  if (IsLargest(bounds.max)) return min + " or more";
  const bool from_zero =
      bounds.min == OptionValue(0u) || bounds.min == OptionValue(uint64_t{0});
  return from_zero ? "at most " + max : min + " to " + max;
}

std::string DescribeValue(const OptionBounds& bounds,
                          const OptionValue& value) {
  if (const auto* const number = std::get_if<uint32_t>(&value)) {
    if (*number < bounds.names.size()) {
      return std::string(bounds.names[*number]);
    }
  }
  return std::visit(
      [](const auto& v) -> std::string {
        using Type = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<Type, bool>) {
          return v ? "true" : "false";
        } else if constexpr (std::integral<Type>) {
          return std::to_string(v);
        } else if constexpr (std::is_same_v<Type, double>) {
          return NumberText(v);
        } else if constexpr (std::is_same_v<Type, std::string_view>) {
          return std::string(v);
        } else {
          return "absent";
        }
      },
      value);
}

Status SetOption(const OptionRow<TableOptions>& row, const OptionValue& value,
                 TableOptions* options) {
  return Set(row, value, options);
}
Status SetOption(const OptionRow<BuildOptions>& row, const OptionValue& value,
                 BuildOptions* options) {
  return Set(row, value, options);
}
Status SetOption(const OptionRow<ReaderOptions>& row, const OptionValue& value,
                 ReaderOptions* options) {
  return Set(row, value, options);
}

OptionValue RecordedValue(const OptionSource& source,
                          const TableProperties& properties) {
  OptionValue value;
  if (const auto* const number =
          std::get_if<uint64_t TableProperties::*>(&source.from)) {
    value = properties.**number;
  } else if (const auto* const text =
                 std::get_if<std::string TableProperties::*>(&source.from)) {
    const std::string& stored = properties.**text;
    if (!stored.empty()) value = std::string_view(stored);
  }
  return value == source.unknown ? OptionValue() : value;
}

std::optional<RocksDBRelease> OldestReleaseFor(
    std::span<const OptionSince> since, const OptionValue& value) {
  std::optional<RocksDBRelease> oldest;
  for (const OptionSince& from : since) {
    const auto kind = static_cast<OptionKind>(from.value.index());
    const std::optional<OptionValue> converted = Convert(kind, {}, value);
    if (converted.has_value() && *converted >= from.value) {
      oldest = from.release;
    }
  }
  return oldest;
}

namespace internal {

Status CheckBounds(const TableOptions& options) {
  return CheckRows(TableOptionRows(), options);
}
Status CheckBounds(const BuildOptions& options) {
  return CheckRows(BuildOptionRows(), options);
}
Status CheckBounds(const ReaderOptions& options) {
  return CheckRows(ReaderOptionRows(), options);
}

}  // namespace internal

}  // namespace ashlar
