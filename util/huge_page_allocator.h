// A MemoryAllocator that puts objects of similar size together in huge pages.
//
// For the block cache of a machine with memory to spare. If the processor has
// not seen a block for a while, a read then waits for the block alone, and not
// also for the page tables that lead to it. Pass it to the cache
// (HyperClockCacheOptions::memory_allocator). Readers then allocate their
// cached blocks from it. Thread-safe. Not a general replacement of malloc.
//
// Cost. An object takes its size and 64 bytes. That is rounded up: to 512
// bytes, or, if it is more, by at most an eighth. Objects above 256 KiB - 64
// bytes come from malloc. A huge page is kept while one object in it is in use.
// So if the sizes of objects keep changing, memory may exceed the cache's
// capacity by more than with malloc. If the system gives no huge pages,
// everything works in small ones.
#ifndef ASHLAR_UTIL_HUGE_PAGE_ALLOCATOR_H_
#define ASHLAR_UTIL_HUGE_PAGE_ALLOCATOR_H_

#include <memory>

#include "ashlar/util/export.h"
#include "ashlar/util/memory_allocator.h"

namespace ashlar {

// Makes an allocator. Its objects are aligned to 64 bytes. Requires: it
// outlives all that it allocated. A cache takes care of that by sharing its
// ownership. May throw std::bad_alloc.
ASHLAR_EXPORT std::shared_ptr<MemoryAllocator> NewHugePageAllocator();
// Returns whether NewHugePageAllocator made this allocator; false for null.
ASHLAR_EXPORT bool IsHugePageAllocator(const MemoryAllocator* allocator);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_HUGE_PAGE_ALLOCATOR_H_
