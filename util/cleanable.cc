#include "util/cleanable.h"

namespace ashlar {

Cleanable& Cleanable::operator=(Cleanable&& other) noexcept {
  if (this != &other) {
    Reset();
    first_ = std::exchange(other.first_, {});
    rest_ = std::exchange(other.rest_, {});
  }
  return *this;
}

void Cleanable::RegisterCleanup(CleanupFunction function, void* arg1,
                                void* arg2) {
  const Cleanup cleanup{function, arg1, arg2};
  if (HasCleanups()) {
    rest_.push_back(cleanup);
  } else {
    first_ = cleanup;
  }
}

void Cleanable::DelegateCleanupsTo(Cleanable* other) {
  if (!HasCleanups()) return;
  other->RegisterCleanup(first_.function, first_.arg1, first_.arg2);
  for (const Cleanup& c : rest_) {
    other->RegisterCleanup(c.function, c.arg1, c.arg2);
  }
  first_ = {};
  rest_.clear();
}

void Cleanable::RunCleanups() {
  // A cleanup may use this object again: take the list away first.
  const Cleanup first = std::exchange(first_, {});
  const std::vector<Cleanup> rest = std::exchange(rest_, {});
  first.function(first.arg1, first.arg2);
  for (const Cleanup& c : rest) c.function(c.arg1, c.arg2);
}

}  // namespace ashlar
