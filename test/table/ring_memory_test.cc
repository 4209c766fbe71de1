// Tests how much memory a parallel build, and a sort, may take. All allocations
// of the library's code are counted, through the linker's `--wrap` and operator
// new. Allocations of the codec libraries are not counted.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "ashlar/table/sorted_table_writer.h"
#include "ashlar/table/table_builder.h"
#include "test/support/folder.h"
#include "test/support/random.h"
#include "test/support/tables.h"
#include "tools/bench/null_file.h"

namespace {

std::atomic<int64_t> live = 0;
std::atomic<int64_t> peak = 0;

void Count(void* memory, int sign) {
  if (memory == nullptr) return;
  const int64_t now = live += sign * int64_t(malloc_usable_size(memory));
  int64_t seen = peak;
  while (now > seen && !peak.compare_exchange_weak(seen, now)) {
  }
}

}  // namespace

extern "C" {
void* RealMalloc(size_t n) asm("__real_malloc");
void* RealAlignedAlloc(size_t alignment, size_t n) asm("__real_aligned_alloc");
void* RealRealloc(void* memory, size_t n) asm("__real_realloc");
void RealFree(void* memory) asm("__real_free");

void* WrappedMalloc(size_t n) asm("__wrap_malloc");
void* WrappedMalloc(size_t n) {
  void* const memory = RealMalloc(n);
  Count(memory, 1);
  return memory;
}
void* WrappedAlignedAlloc(size_t alignment,
                          size_t n) asm("__wrap_aligned_alloc");
void* WrappedAlignedAlloc(size_t alignment, size_t n) {
  void* const memory = RealAlignedAlloc(alignment, n);
  Count(memory, 1);
  return memory;
}
void* WrappedRealloc(void* memory, size_t n) asm("__wrap_realloc");
void* WrappedRealloc(void* memory, size_t n) {
  Count(memory, -1);
  void* const larger = RealRealloc(memory, n);
  Count(larger, 1);
  return larger;
}
void WrappedFree(void* memory) asm("__wrap_free");
void WrappedFree(void* memory) {
  Count(memory, -1);
  RealFree(memory);
}
}

void* operator new(size_t n) {
  void* const memory = WrappedMalloc(n);
  if (memory == nullptr) std::abort();
  return memory;
}
void* operator new(size_t n, const std::nothrow_t&) noexcept {
  return WrappedMalloc(n);
}
void operator delete(void* memory) noexcept { WrappedFree(memory); }
void operator delete(void* memory, size_t) noexcept { WrappedFree(memory); }

namespace ashlar::testing {
namespace {

struct Load {
  CompressionType type = CompressionType::kNoCompression;
  uint64_t block_size = 4096;
  size_t value_bytes = 100;
  size_t random_bytes = 50;  // per value
  bool verified = false;
};

// What all builds take their entries from: keys in order, and random bytes for
// the values, one after the other.
struct Rows {
  static constexpr size_t kRawBytes = size_t{10} << 20;
  static constexpr size_t kSmallestValue = 100;

  Rows() : random_bytes(Random(3).Bytes(kRawBytes)) {
    for (size_t i = 0; i < kRawBytes / kSmallestValue; ++i) {
      keys.push_back(MakeInternalKey(std::to_string(10000000 + i), 1,
                                     ValueType::kTypeValue));
    }
  }
  std::vector<std::string> keys;
  std::string random_bytes;
};

// Returns the most bytes that a build of some 10 MiB has allocated at once.
int64_t PeakOf(const Rows& rows, const Load& load, uint32_t workers,
               WorkerPool* pool) {
  TableOptions options;
  options.compression = load.type;
  options.block_size = load.block_size;
  options.verify_compression = load.verified;
  // The memory of filter and index is not the ring's, and grows with the file.
  options.filter = FilterType::kNone;
  BuildOptions build = FixedBuild();
  build.workers = workers;
  build.worker_pool = pool;
  bench::NullFile file;
  std::string value(load.value_bytes, 'v');
  const int64_t before = live;
  peak = before;
  auto builder = TableBuilder::Create(options, build, &file);
  Require(builder.status());
  const char* random_bytes = rows.random_bytes.data();
  for (size_t i = 0; i < Rows::kRawBytes / load.value_bytes; ++i) {
    std::memcpy(value.data(), random_bytes, load.random_bytes);
    random_bytes += load.random_bytes;
    Require((*builder)->Add(rows.keys[i], value));
  }
  Require((*builder)->Finish());
  return peak - before;
}

// The bound of table/options.h, without the codecs' states and the threads'
// stacks.
int64_t BoundOf(const Load& load, uint32_t workers) {
  const bool stores_raw = load.type == CompressionType::kNoCompression;
  const int64_t slots =
      stores_raw ? 4 : std::clamp<int64_t>(2 * workers + 2, 16, 32);
  const auto slot = static_cast<int64_t>((128 << 10) + load.block_size + 1024);
  // Each worker's verifier has a buffer, and a few KiB for its decoder.
  const auto verifier = static_cast<int64_t>(2 * load.block_size + 4096);
  return slots * 2 * slot + (load.verified ? workers * verifier : 0);
}

TEST(RingMemory, IsBounded) {
  const CompressionType codec = DefaultCompressionType();
  const CompressionType none = CompressionType::kNoCompression;
  const Load loads[] = {{none},
                        {codec},
                        {codec, 4096, 100, 100},
                        {codec, 4096, 1000, 500},
                        {none, 16384, 100, 50},
                        {codec, 65536, 100, 50},
                        {codec, 500000, 100, 50},
                        {codec, 4096, 100, 50, true},
                        {codec, 500000, 100, 50, true}};
  const Rows rows;
  for (const Load& load : loads) {
    const int64_t serial = PeakOf(rows, load, 0, nullptr);
    for (const uint32_t workers : {1, 3, 15, 31}) {
      const int64_t more = PeakOf(rows, load, workers, nullptr) - serial;
      EXPECT_LE(more, BoundOf(load, workers)) << workers << " workers";
    }
    WorkerPool nobody(0);
    const int64_t more = PeakOf(rows, load, 1, &nobody) - serial;
    EXPECT_LE(more, BoundOf(load, 1));
    // The memory of the ring was really counted.
    EXPECT_GE(more, BoundOf(load, 1) / 3);
  }
}

// Entries of three times the limit are sorted, merged and built.
TEST(SortMemory, StaysNearTheLimit) {
  const TestFolder folder;
  const Rows rows;
  SortedTableWriterOptions options;
  options.memory = uint64_t{4} << 20;
  options.temp_folder = folder.path();
  options.table.compression = DefaultCompressionType();
  options.table.filter = FilterType::kNone;
  options.build = FixedBuild();
  options.build.workers = 1;
  const int64_t before = live;
  peak = before;
  auto writer = SortedTableWriter::Open(folder / "t.sst", options);
  Require(writer.status());
  constexpr size_t kEntries = 100000;
  constexpr size_t kValueBytes = 100;
  for (size_t i = 0; i < kEntries; ++i) {
    Require((*writer)->Put(
        rows.keys[kEntries - 1 - i],
        Slice(rows.random_bytes.data() + i * kValueBytes, kValueBytes)));
  }
  Require((*writer)->Finish());
  EXPECT_GT((*writer)->progress().sort.runs, 1u);
  const int64_t most = peak - before;
  EXPECT_LE(most, static_cast<int64_t>(options.memory * 5 / 4));
  // It was really counted. Under a sanitizer some of it is elsewhere.
  EXPECT_GE(most, static_cast<int64_t>(options.memory / 4));
}

}  // namespace
}  // namespace ashlar::testing
