// For places that make do without what they asked of a file, or leave it to
// others to say what is wrong with it: want of memory is not to be made do
// with.
#ifndef ASHLAR_TOOLS_ASHLAR_FLAGS_MEMORY_LIMIT_H_
#define ASHLAR_TOOLS_ASHLAR_FLAGS_MEMORY_LIMIT_H_

#include <new>

#include "ashlar/util/status.h"

namespace ashlar::tool {

// Throws std::bad_alloc where the status is MemoryLimit; RunOverFiles, or main,
// reports it. Returns whether the status is ok.
inline bool IsOkOrThrow(const Status& status) {
  if (status.IsMemoryLimit()) throw std::bad_alloc();
  return status.ok();
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_FLAGS_MEMORY_LIMIT_H_
