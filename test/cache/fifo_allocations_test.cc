// Records, flushes, evictions and lookups of the FIFO cache allocate nothing.
// This is a program of its own, because it counts all its allocations.

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "ashlar/cache/concurrent_write_buffer.h"
#include "ashlar/cache/fifo_cache.h"
#include "ashlar/util/file.h"

namespace {

std::atomic<uint64_t> allocations = 0;
std::atomic<uint64_t> allocated_bytes = 0;

size_t most_at_once = SIZE_MAX;

void* Allocate(size_t alignment, size_t size) {
  if (size > most_at_once) throw std::bad_alloc();
  allocations.fetch_add(1, std::memory_order_relaxed);
  allocated_bytes.fetch_add(size, std::memory_order_relaxed);
  void* const memory = std::aligned_alloc(
      alignment, (size + alignment - 1) / alignment * alignment);
  if (memory == nullptr) std::abort();
  return memory;
}

}  // namespace

// The other forms of operator new in the library call these.
__attribute__((noinline)) void* operator new(size_t size) {
  return Allocate(alignof(std::max_align_t), size);
}
__attribute__((noinline)) void* operator new(size_t size,
                                             std::align_val_t alignment) {
  return Allocate(static_cast<size_t>(alignment), size);
}
__attribute__((noinline)) void operator delete(void* memory) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(void* memory,
                                               size_t /*size*/) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(
    void* memory, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}
__attribute__((noinline)) void operator delete(
    void* memory, size_t /*size*/, std::align_val_t /*alignment*/) noexcept {
  std::free(memory);
}

namespace ashlar::internal {
namespace {

using BlockMemory = FifoCache<CacheKey, uint64_t>;
using Buffer = ConcurrentWriteBuffer<BlockMemory::Entry>;

CacheKey KeyOf(uint64_t n) { return {n * 0x9e3779b97f4a7c15, n}; }

TEST(FifoAllocations, NothingIsAllocatedOnceItIsThere) {
  BlockMemory memory;
  uint64_t before = allocated_bytes;
  ASSERT_TRUE(memory.SetCapacity(256 << 10).ok());
  // MemoryBytes is exact, to the byte.
  EXPECT_EQ(allocated_bytes - before, memory.MemoryBytes() - sizeof memory);
  before = allocated_bytes;
  auto made =
      Buffer::Make({.shards = 2}, [&](auto entries) { memory.Add(entries); });
  ASSERT_TRUE(made.ok());
  Buffer& buffer = **made;
  EXPECT_EQ(allocated_bytes - before, buffer.memory_bytes());
  before = allocations;
  uint64_t found = 0;
  for (uint64_t n = 0; n < 20000; ++n) {
    buffer.Record({KeyOf(n), n});
    if (n % 1000 == 0) buffer.Flush();
    found += memory.Lookup(KeyOf(n - n / 20)).has_value() ? 1 : 0;
  }
  EXPECT_EQ(allocations, before);
  EXPECT_GT(found, 0U);
  EXPECT_LT(memory.EntryCount(), 20000U);
}

TEST(FifoAllocations, WithoutMemoryAllIsAsItWas) {
  BlockMemory memory;
  ASSERT_TRUE(memory.SetCapacity(64 << 10).ok());
  memory.Add({{{KeyOf(1), 1}}});
  most_at_once = 4096;
  const Status status = memory.SetCapacity(1 << 20);
  const auto unmade = Buffer::Make({}, [](auto) {});
  most_at_once = SIZE_MAX;
  EXPECT_TRUE(status.IsMemoryLimit());
  EXPECT_TRUE(unmade.status().IsMemoryLimit());
  EXPECT_EQ(memory.GetCapacity(), 64U << 10);
  EXPECT_EQ(memory.Lookup(KeyOf(1)), 1U);
  EXPECT_TRUE(Buffer::Make({}, [](auto) {}).ok());
  EXPECT_TRUE(Buffer::Make({}, nullptr).status().IsInvalidArgument());
}

// The tracer's buffer is one of these write buffers.
TEST(FifoAllocations, ATracerWithoutMemoryBeginsNoTrace) {
  most_at_once = 4096;
  BlockCacheTracer tracer;
  most_at_once = SIZE_MAX;
  std::string contents;
  const Status status =
      tracer.StartTrace({}, NewMemoryWritableFile("trace", &contents));
  EXPECT_TRUE(status.IsMemoryLimit()) << status.ToString();
  EXPECT_FALSE(tracer.is_tracing());
  EXPECT_EQ(tracer.dropped(), 0U);
  EXPECT_TRUE(tracer.EndTrace().IsInvalidArgument());
  EXPECT_EQ(contents, "");
}

// Make returns errors as a Status. No constructor exists that could throw.
static_assert(
    !std::is_constructible_v<Buffer, const WriteBufferOptions&, Buffer::Sink>);

}  // namespace
}  // namespace ashlar::internal
