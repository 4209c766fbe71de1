// A MemoryAllocator that keeps objects of like size side by side in huge pages.
//
// For the block cache of a machine that has memory to spare: a read of a block
// that the processor has not seen for a while then waits for the block alone,
// not for the page tables that lead to it as well. Give it to the cache
// (HyperClockCacheOptions::memory_allocator); blocks that readers put there
// take their memory from it.
//
// An object takes 64 bytes more than its size, rounded up to 512 bytes or, from
// there on, by at most an eighth; objects of 256 KiB and more come from malloc.
// A huge page of which one object is still in use stays: with objects of ever
// other sizes the cache's capacity may be exceeded by more than with malloc.
// Where the system gives no huge pages, everything works as well in small ones.
#ifndef ASHLAR_UTIL_HUGE_PAGE_ALLOCATOR_H_
#define ASHLAR_UTIL_HUGE_PAGE_ALLOCATOR_H_

#include <memory>

#include "ashlar/util/export.h"
#include "ashlar/util/memory_allocator.h"

namespace ashlar {

// Objects are aligned to 64 bytes. It must outlive what it allocated, as a
// cache that has a share of it sees to.
ASHLAR_EXPORT std::shared_ptr<MemoryAllocator> NewHugePageAllocator();
// Whether it is such a one; null is not.
ASHLAR_EXPORT bool IsHugePageAllocator(const MemoryAllocator* allocator);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_HUGE_PAGE_ALLOCATOR_H_
