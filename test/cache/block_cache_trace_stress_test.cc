// Starts and ends traces while threads record accesses. Each file must be
// complete and contain only accesses that were made, none of them twice.

#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "cache/trace/access_recorder.h"
#include "test/support/run_together.h"

namespace ashlar::internal {
namespace {

constexpr int kWriters = 6;
constexpr int kTraces = 20;

// Each writer uses its own file number and numbers its accesses by the block.
std::string CheckTrace(const std::string& bytes, uint64_t* found) {
  size_t at = 0;
  TraceFileReader reader("t", [&](char* out, size_t n, size_t* got) {
    *got = bytes.copy(out, n, at);
    at += *got;
    return Status();
  });
  TraceHeader header;
  Status status = reader.ReadHeader(&header);
  std::vector<TracedAccess> chunk;
  TraceEnd end;
  while (status.ok()) {
    status = reader.ReadChunk(&chunk, &end);
    if (chunk.empty()) break;
    *found += chunk.size();
    for (const TracedAccess& each : chunk) {
      if (each.key.file >= kWriters) return "a file that is none";
      const bool hit = (each.key.block & 1) != 0;
      if (each.hit != hit) return "torn";
    }
    // Within a block of the buffer, each writer's accesses are in order.
    std::vector<uint64_t> newest(kWriters, 0);
    for (const TracedAccess& each : chunk) {
      if (each.key.block <= newest[each.key.file]) return "twice, or late";
      newest[each.key.file] = each.key.block;
    }
  }
  return status.ok() ? "" : status.ToString();
}

TEST(BlockCacheTraceStress, TracesBeginAndEndWhileThreadsGoOn) {
  BlockCacheTracer tracer;
  std::atomic<bool> done = false;
  std::atomic<int> begun = 0;
  uint64_t found = 0;
  testing::RunTogether(kWriters + 1, [&](int t) -> std::string {
    if (t < kWriters) {
      for (uint64_t n = 1; !done.load(); ++n) {
        const CacheKey key = {static_cast<uint64_t>(t), n};
        if (tracer.recorder()->Wants(key)) {
          tracer.recorder()->Record(key, TracedBlockKind::kData,
                                    TracedCaller::kGet, (n & 1) != 0, 0);
        }
        if (n == 1) begun.fetch_add(1);
      }
      return "";
    }
    std::string complaint;
    while (begun.load() < kWriters) {
    }
    for (int i = 0; i < kTraces && complaint.empty(); ++i) {
      std::string bytes;
      Status status = tracer.StartTrace({}, NewMemoryWritableFile("t", &bytes));
      while (status.ok() && tracer.traced() < 1000) {
      }
      if (status.ok()) status = tracer.EndTrace();
      complaint = status.ok() ? CheckTrace(bytes, &found) : status.ToString();
    }
    done.store(true);
    return complaint;
  });
  EXPECT_GE(found, uint64_t{kTraces} * 1000);
}

}  // namespace
}  // namespace ashlar::internal
