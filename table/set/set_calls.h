// SetCalls: the functions of the caller that the work over a set calls.
//
// As thread-safe as those functions.
#ifndef ASHLAR_TABLE_SET_SET_CALLS_H_
#define ASHLAR_TABLE_SET_SET_CALLS_H_

#include <functional>
#include <new>
#include <string_view>

namespace ashlar::internal {

struct SetCalls {
  // TableSetOptions has these.
  std::function<void(std::string_view)> warn;
  std::function<bool()> is_cancelled;

  void Warn(std::string_view text) const {
    if (warn) warn(text);
  }
  // Warns where there may be no memory, not even for the warning.
  void WarnOfMemory(std::string_view text) const noexcept {
    try {
      Warn(text);
    } catch (const std::bad_alloc&) {
      // The caller's function needs memory, too.
      return;
    }
  }
  bool IsCancelled() const { return is_cancelled && is_cancelled(); }
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_SET_CALLS_H_
