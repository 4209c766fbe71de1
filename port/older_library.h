// What Ashlar uses of C++20's library and libc++ 13 does not have. The tree
// that compiles for a browser includes this file before every other one, since
// Emscripten of Debian 12 comes with that library. No other tree sees it.
//
// Names in std are not ours to add: this is right only for libraries that lack
// them. So each group below names the first libc++ that has it, from which on
// nothing of it is declared; libc++ 20 has all. Only what is used is here, and
// only in the forms in which it is used.
#ifndef ASHLAR_PORT_OLDER_LIBRARY_H_
#define ASHLAR_PORT_OLDER_LIBRARY_H_

#if defined(__cplusplus)

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <system_error>
#include <type_traits>

#if defined(_LIBCPP_VERSION)

namespace std {

#if _LIBCPP_VERSION < 14000

template <typename To, typename From>
constexpr To bit_cast(const From& from) noexcept {
  return __builtin_bit_cast(To, from);
}

// The shortest text that is read as exactly this number. Requires: there is
// room for 24 bytes and a NUL.
inline to_chars_result to_chars(char* first, char* last, double number) {
  constexpr int kMostDigits = 17;
  int n = 0;
  for (int digits = 1; digits <= kMostDigits; ++digits) {
    n = snprintf(first, static_cast<size_t>(last - first), "%.*g", digits,
                 number);
    if (strtod(first, nullptr) == number) break;
  }
  return {first + n, errc()};
}

#endif

#if _LIBCPP_VERSION < 160000

namespace ranges {

template <typename Range, typename Value, typename Projection>
auto find(Range& range, const Value& value, Projection projection) {
  return std::find_if(begin(range), end(range), [&](const auto& item) {
    return invoke(projection, item) == value;
  });
}

template <typename Range, typename Predicate>
bool any_of(const Range& range, Predicate predicate) {
  return std::any_of(begin(range), end(range),
                     [&](const auto& item) { return invoke(predicate, item); });
}

template <typename Range, typename Predicate>
auto count_if(const Range& range, Predicate predicate) {
  return std::count_if(begin(range), end(range), [&](const auto& item) {
    return invoke(predicate, item);
  });
}

template <typename Range, typename Value, typename Projection>
auto count(const Range& range, const Value& value, Projection projection) {
  return std::count_if(begin(range), end(range), [&](const auto& item) {
    return invoke(projection, item) == value;
  });
}

// `order` is {}, the natural order.
template <typename Range, typename Value, typename Projection>
auto lower_bound(Range& range, const Value& value, std::less<> order,
                 Projection projection) {
  return std::lower_bound(begin(range), end(range), value,
                          [&](const auto& item, const Value& wanted) {
                            return order(invoke(projection, item), wanted);
                          });
}

template <typename Range, typename Predicate, typename Projection>
constexpr auto adjacent_find(const Range& range, Predicate predicate,
                             Projection projection) {
  auto item = begin(range);
  if (item == end(range)) return item;
  for (auto next = item; ++next != end(range); item = next) {
    if (predicate(invoke(projection, *item), invoke(projection, *next))) {
      return item;
    }
  }
  return end(range);
}

}  // namespace ranges

template <typename Array>
unique_ptr<Array> make_unique_for_overwrite(size_t n) {
  return unique_ptr<Array>(new remove_extent_t<Array>[n]);
}

#endif

#if _LIBCPP_VERSION < 200000

inline from_chars_result from_chars(const char* first, const char* last,
                                    double& number) {
  const string text(first, last);
  char* end = nullptr;
  number = strtod(text.c_str(), &end);
  const auto read = end - text.c_str();
  return {first + read, read == 0 ? errc::invalid_argument : errc()};
}

#endif

}  // namespace std

#endif
#endif

#endif  // ASHLAR_PORT_OLDER_LIBRARY_H_
