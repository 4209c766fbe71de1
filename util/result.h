// Result<T>: a value, or the Status that says why there is none.
//
// Used by functions that make something. Move-only when T is. Never holds an
// ok Status without a value.
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
  Result(T value)  // NOLINT(google-explicit-constructor)
      : value_(std::move(value)) {}
  Result(Status error)  // NOLINT(google-explicit-constructor)
      : status_(std::move(error)) {
    assert(!status_.ok());
  }

  bool ok() const { return value_.has_value(); }
  const Status& status() const { return status_; }

  // Only when ok().
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
