#include "ashlar/util/cleanable.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "util/sync/atomic.h"

namespace ashlar {

void Cleanable::RegisterMore(const Cleanup& cleanup) {
  if (rest_ == nullptr) rest_ = std::make_unique<std::vector<Cleanup>>();
  rest_->push_back(cleanup);
}

void Cleanable::ReserveMore(size_t count) {
  if (rest_ == nullptr) rest_ = std::make_unique<std::vector<Cleanup>>();
  const size_t needed = rest_->size() + count;
  // Doubled, so that moving many short lists to one stays linear.
  if (needed > rest_->capacity()) {
    rest_->reserve(std::max(needed, 2 * rest_->capacity()));
  }
}

void Cleanable::DelegateCleanupsTo(Cleanable* other) {
  if (!HasCleanups()) return;
  // Takes the memory first: if there is none, both stay as they were.
  const size_t more =
      (other->HasCleanups() ? 1 : 0) + (rest_ == nullptr ? 0 : rest_->size());
  if (more > 0) other->ReserveMore(more);
  other->RegisterCleanup(first_.function, first_.arg1, first_.arg2);
  first_ = {};
  const Rest rest = std::move(rest_);
  if (rest == nullptr) return;
  for (const Cleanup& c : *rest) {
    other->RegisterCleanup(c.function, c.arg1, c.arg2);
  }
}

void Cleanable::RunAll(const std::vector<Cleanup>& cleanups) {
  for (const Cleanup& c : cleanups) c.function(c.arg1, c.arg2);
}

// `references` counts references. Adding one needs no order: the thread that
// adds one has one, so the last one cannot go meanwhile. Dropping one releases
// what was read through it. The last drop acquires all of that before the
// cleanups destroy what was read.
struct SharedCleanable::Shared {
  explicit Shared(Cleanable given) : cleanups(std::move(given)) {}

  Cleanable cleanups;
  internal::SharedCount references{1};
};

SharedCleanable::SharedCleanable(Cleanable cleanups)
    : shared_(new Shared(std::move(cleanups))) {}

void SharedCleanable::Adopt(Cleanable cleanups) noexcept {
  shared_->cleanups = std::move(cleanups);
}

void SharedCleanable::AddReference() const { shared_->references.Add(); }

void SharedCleanable::DropReference(Shared* shared) {
  if (shared->references.DropIsLast()) delete shared;
}

}  // namespace ashlar
