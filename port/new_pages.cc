#include "port/new_pages.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace ashlar::port {

#ifdef MADV_POPULATE_WRITE

// An error (an older kernel, no memory) changes nothing: the pages are then
// touched one by one.
void TouchNewPages(void* memory, size_t n) {
  constexpr size_t kFewPages = 4;
  static const auto page_bytes = static_cast<size_t>(::getpagesize());
  const auto address = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t begin = (address + page_bytes - 1) / page_bytes * page_bytes;
  const uintptr_t end = (address + n) / page_bytes * page_bytes;
  if (end <= begin + kFewPages * page_bytes) return;
  auto* const last = reinterpret_cast<void*>(end - page_bytes);
  unsigned char resident = 0;
  if (::mincore(last, page_bytes, &resident) != 0 || (resident & 1) != 0) {
    return;
  }
  static_cast<void>(::madvise(reinterpret_cast<void*>(begin), end - begin,
                              MADV_POPULATE_WRITE));
}

#else

void TouchNewPages(void* /*memory*/, size_t /*n*/) {}

#endif

}  // namespace ashlar::port
