// Result<T>: a value, or the Status that says why there is none.
//
// Functions that make something return it. Move-only if T is. Unless it was
// moved from, it holds either a value or an error. Thread safety: any number of
// threads may read it at once, and changing it needs the caller's own
// exclusion. Not an optional: there is always a reason.
#ifndef ASHLAR_UTIL_RESULT_H_
#define ASHLAR_UTIL_RESULT_H_

#include <cassert>
#include <optional>
#include <utility>

#include "ashlar/util/status.h"

namespace ashlar {

template <typename T>
class [[nodiscard]] Result {
 public:
  // Implicit, so that a function can return the value.
  Result(T value)  // NOLINT(google-explicit-constructor)
      : value_(std::move(value)) {}
  // Implicit, so that a function can return an error. Requires: it is not OK.
  Result(Status error)  // NOLINT(google-explicit-constructor)
      : status_(std::move(error)) {
    assert(!status_.ok());
  }

  // Returns whether there is a value.
  bool ok() const { return value_.has_value(); }
  // Returns the error, or OK if there is a value.
  const Status& status() const { return status_; }

  // These return the value. Requires: ok().
  T& value() & {
    assert(ok());
    return *value_;
  }
  const T& value() const& {
    assert(ok());
    return *value_;
  }
  T&& value() && {
    assert(ok());
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  Status status_;
  std::optional<T> value_;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_RESULT_H_
