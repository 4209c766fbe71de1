// OrMemoryLimit: the edge of the library, which std::bad_alloc does not cross.
//
// Each public function that returns Status or Result does its work inside one
// call of it. Inside, code that cannot do anything better lets std::bad_alloc
// pass. What that code owns is freed by destructors. Objects that are left half
// done belong to the called function, which gives them up. A thread of a pool
// has such an edge of its own. Thread-safe.
//
// Code that can say why there is no memory throws MemoryRefused, and the edge
// returns its status. Everywhere between it is a std::bad_alloc like any other.
#ifndef ASHLAR_UTIL_MEM_MEMORY_LIMIT_H_
#define ASHLAR_UTIL_MEM_MEMORY_LIMIT_H_

#include <new>
#include <stdexcept>
#include <utility>

#include "ashlar/util/status.h"

namespace ashlar::internal {

// Says that a limit forbids more memory.
class MemoryRefused final : public std::bad_alloc {
 public:
  // Requires: the status is MemoryLimit.
  explicit MemoryRefused(Status status) noexcept : status_(std::move(status)) {}
  const Status& status() const noexcept { return status_; }

 private:
  Status status_;
};

// Returns what work() returns. If it throws because memory is out, returns
// MemoryLimit. Requires: a Status converts to its result type.
// std::length_error is what containers throw for sizes that no memory has room
// for.
template <typename Work>
auto OrMemoryLimit(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const MemoryRefused& refused) {
    return refused.status();
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  } catch (const std::length_error&) {
    return Status::OutOfMemory();
  }
}

// For work that continues after errors, such as damage of one block. Being out
// of memory is an error of the work itself, and ends it.
inline void ThrowIfOutOfMemory(const Status& status) {
  if (status.IsMemoryLimit()) [[unlikely]]
    throw std::bad_alloc();
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_MEMORY_LIMIT_H_
