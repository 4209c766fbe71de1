// Remembers what many threads have seen recently, in memory of a fixed size:
//   recent_keys

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "ashlar/cache/concurrent_write_buffer.h"
#include "ashlar/cache/fifo_cache.h"

namespace {

constexpr uint64_t kThreads = 4;
constexpr uint64_t kEach = 100000;

// Maps the number of a request to the time that it took.
using Recent = ashlar::FifoCache<uint64_t, uint64_t>;
using Buffer = ashlar::ConcurrentWriteBuffer<Recent::Entry>;

uint64_t MicrosOf(uint64_t request) { return request % 977; }

}  // namespace

int main() {
  Recent recent;  // outlives the buffer that feeds it
  const ashlar::Status status = recent.SetCapacity(1 << 20);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  // When a block of entries is full, it is passed to the cache at once.
  const auto made =
      Buffer::Make({.shards = kThreads,
                    .when_full = ashlar::WriteBufferOptions::WhenFull::kWait},
                   [&](auto entries) { recent.Add(entries); });
  if (!made.ok()) {
    std::fprintf(stderr, "%s\n", made.status().ToString().c_str());
    return 1;
  }
  Buffer& buffer = **made;

  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kEach; ++i) {
        const uint64_t request = i * kThreads + t;
        buffer.Record({request, MicrosOf(request)});
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  buffer.Flush();  // passes on the blocks that are not full

  uint64_t found = 0;
  for (uint64_t request = 0; request < kThreads * kEach; ++request) {
    const auto micros = recent.Lookup(request);
    if (!micros.has_value()) continue;
    if (*micros != MicrosOf(request)) return 1;
    ++found;
  }
  std::printf(
      "%" PRIu64 " of %" PRIu64 " requests remembered in %zu of %zu bytes\n",
      found, kThreads * kEach, recent.MemoryBytes(), recent.GetCapacity());
  return found == recent.EntryCount() && buffer.dropped() == 0 ? 0 : 1;
}
