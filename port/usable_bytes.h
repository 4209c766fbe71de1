// The size of a piece of memory that malloc has given out.
#ifndef ASHLAR_PORT_USABLE_BYTES_H_
#define ASHLAR_PORT_USABLE_BYTES_H_

#include <cstddef>

#if !defined(ASHLAR_POSIX_SUBSET)
#include <malloc.h>
#endif

namespace ashlar::port {

// Returns how many bytes of a piece may be used: at least the `wanted` ones
// that it was allocated with. Thread-safe.
inline size_t UsableBytes([[maybe_unused]] void* memory,
                          [[maybe_unused]] size_t wanted) {
#if defined(ASHLAR_POSIX_SUBSET)
  return wanted;
#else
  return ::malloc_usable_size(memory);
#endif
}

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_USABLE_BYTES_H_
