#include "port/reserved_memory.h"

#include <sys/mman.h>

#include <cstdint>

#include "port/huge_pages.h"

namespace ashlar::port {

namespace {

// Lets the system give out memory that it may not have, where it asks.
#if defined(MAP_NORESERVE)
constexpr int kUnreserved = MAP_NORESERVE;
#else
constexpr int kUnreserved = 0;
#endif

}  // namespace

// Maps more than is needed, so that it can begin at a huge page.
bool ReservedMemory::Reserve(size_t bytes) {
  const size_t wanted = bytes + kHugePageBytes;
  void* const mapped = ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | kUnreserved, -1, 0);
  if (mapped == MAP_FAILED) return false;
  mapped_ = mapped;
  mapped_bytes_ = wanted;
  const auto beyond = reinterpret_cast<uintptr_t>(mapped) % kHugePageBytes;
  data_ =
      static_cast<char*>(mapped) + (beyond == 0 ? 0 : kHugePageBytes - beyond);
  return true;
}

void ReservedMemory::PreferHugePages() {
  port::PreferHugePages(mapped_, mapped_bytes_);
}

ReservedMemory::~ReservedMemory() {
  if (mapped_ != nullptr) static_cast<void>(::munmap(mapped_, mapped_bytes_));
}

}  // namespace ashlar::port
