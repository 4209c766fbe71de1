// ReplayTrace: replays a block cache trace through caches of several kinds and
// sizes, in one pass, and counts what they miss.
//
// Used by `ashlar cache-sim`. For one thread at a time.
#ifndef ASHLAR_TOOLS_REPLAY_REPLAY_TRACE_H_
#define ASHLAR_TOOLS_REPLAY_REPLAY_TRACE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "ashlar/cache/block_cache_trace_reader.h"
#include "ashlar/util/status.h"
#include "tools/replay/access_counts.h"
#include "tools/replay/reuse_distances.h"
#include "tools/replay/simulated_cache.h"

namespace ashlar::sim {

struct ReplayOptions {
  std::vector<const SimulatedCacheKind*> caches;
  std::vector<uint64_t> sizes;  // bytes; not 0
  // The trace has one block in this many, so that the caches that are replayed
  // are smaller by this factor. 0: what the trace says, or 1.
  uint32_t sampling_frequency = 0;
  // Bytes that a block is charged if the trace does not say.
  uint64_t unknown_block_bytes = 4096;
  bool charge_metadata = true;
  // Called now and then, with the bytes of the file that were read. Returns
  // false to end the replay.
  std::function<bool(uint64_t bytes)> on_progress = [](uint64_t) {
    return true;
  };
};

struct CacheMisses {
  const SimulatedCacheKind* cache = nullptr;
  uint64_t size = 0;  // as in the options
  AccessCounts misses;
};

struct TraceReplay {
  BlockCacheTraceHeader header;
  uint32_t sampling_frequency = 1;  // as it was used
  uint64_t first_micros = 0;
  uint64_t last_micros = 0;
  uint32_t blocks = 0;       // different ones
  uint64_t block_bytes = 0;  // of these, by their last sizes
  // Accesses to blocks whose size the trace has not said by then.
  uint64_t unknown_sizes = 0;
  AccessCounts accesses;
  AccessCounts recorded_misses;  // of the cache that was traced
  // By cache in the order of the options, and then by size.
  std::vector<CacheMisses> results;
  // In bytes of the whole load: those in the trace, times sampling_frequency.
  ReuseHistogram reuse = ReuseHistogram(kBlockAccessKinds);
  // The trace ends inside a record, so this is what comes before.
  bool is_cut_off = false;
  bool was_stopped = false;  // by on_progress
};

// After an error, *replay has what came before it in the trace.
Status ReplayTrace(const std::string& path, const ReplayOptions& options,
                   TraceReplay* replay);

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_REPLAY_TRACE_H_
