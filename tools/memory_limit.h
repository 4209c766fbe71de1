// For code that can do without what it wanted from a file, or that leaves it to
// other code to report the file's faults. Such code must not ignore a lack of
// memory.
#ifndef ASHLAR_TOOLS_MEMORY_LIMIT_H_
#define ASHLAR_TOOLS_MEMORY_LIMIT_H_

#include <new>

#include "ashlar/util/status.h"

namespace ashlar::tool {

// Returns whether the status is ok. Throws std::bad_alloc if it is MemoryLimit,
// which RunOverFiles or main then reports.
inline bool IsOkOrThrow(const Status& status) {
  if (status.IsMemoryLimit()) throw std::bad_alloc();
  return status.ok();
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_MEMORY_LIMIT_H_
