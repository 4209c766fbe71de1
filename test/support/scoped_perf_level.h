// Sets the perf level of this thread for part of a test, and restores it. The
// same thread runs other tests later, in any order.
#ifndef ASHLAR_TEST_SUPPORT_SCOPED_PERF_LEVEL_H_
#define ASHLAR_TEST_SUPPORT_SCOPED_PERF_LEVEL_H_

#include "ashlar/table/perf_context.h"

namespace ashlar::testing {

class ScopedPerfLevel {
 public:
  explicit ScopedPerfLevel(PerfLevel level) : before_(GetPerfLevel()) {
    SetPerfLevel(level);
  }
  ScopedPerfLevel(const ScopedPerfLevel&) = delete;
  ScopedPerfLevel& operator=(const ScopedPerfLevel&) = delete;
  ~ScopedPerfLevel() { SetPerfLevel(before_); }

 private:
  const PerfLevel before_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SCOPED_PERF_LEVEL_H_
