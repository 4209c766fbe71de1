// OrMemoryLimit: the edge of the library, which no want of memory crosses as an
// exception.
//
// Each public function that returns Status or Result does its work inside one
// call of it. Inside, code that has nothing better to do about it lets
// std::bad_alloc pass: what it owns goes back by destructors, and the objects
// that it leaves half done are the callee's to give up. A thread of a pool has
// such an edge of its own.
#ifndef ASHLAR_UTIL_MEM_MEMORY_LIMIT_H_
#define ASHLAR_UTIL_MEM_MEMORY_LIMIT_H_

#include <new>
#include <stdexcept>

#include "ashlar/util/status.h"

namespace ashlar::internal {

// Returns what work() returns, which a Status converts to; MemoryLimit where
// it throws for want of memory. std::length_error is what containers throw for
// sizes that no memory has room for.
template <typename Work>
auto OrMemoryLimit(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return Status::OutOfMemory();
  } catch (const std::length_error&) {
    return Status::OutOfMemory();
  }
}

// For work that goes on after errors, such as the damage of one block: this one
// is of the work itself, and ends it.
inline void ThrowIfOutOfMemory(const Status& status) {
  if (status.IsMemoryLimit()) [[unlikely]]
    throw std::bad_alloc();
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_MEMORY_LIMIT_H_
