// New pages: memory that malloc has given out, and that nothing has touched.
//
// The first touch of each page is a fault into the kernel, which takes about a
// microsecond. One call can do that for all pages of a piece of memory, in half
// of the time.
#ifndef ASHLAR_PORT_NEW_PAGES_H_
#define ASHLAR_PORT_NEW_PAGES_H_

#include <cstddef>

namespace ashlar::port {

// Touches all whole pages within [memory, memory + n), if there are many and
// the last one is new: most of them are then taken to be new. Keeps what pages
// hold that are not. For memory that is about to be filled. Nothing but time
// depends on it. Thread-safe.
void TouchNewPages(void* memory, size_t n);

}  // namespace ashlar::port

#endif  // ASHLAR_PORT_NEW_PAGES_H_
