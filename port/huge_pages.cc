#include "port/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace ashlar::port {

void AdviseHugePages(void* memory, size_t n) {
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first =
      (begin + kHugePageBytes - 1) / kHugePageBytes * kHugePageBytes;
  const uintptr_t end = (begin + n) / kHugePageBytes * kHugePageBytes;
  if (first >= end) return;
  static_cast<void>(
      ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE));
}

}  // namespace ashlar::port
