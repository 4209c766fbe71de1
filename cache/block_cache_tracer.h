// BlockCacheTracer: writes down which blocks readers ask the block cache for.
//
// Given to any number of readers (ReaderOptions::block_cache_tracer), it costs
// each access one test while no trace is written. A program of Ashlar's source
// tree, cache_sim, replays a trace, so that one learns offline what another
// size or another cache would have missed. All functions are thread-safe. Not a
// log: what comes faster than it can be written is dropped, and counted.
#ifndef ASHLAR_CACHE_BLOCK_CACHE_TRACER_H_
#define ASHLAR_CACHE_BLOCK_CACHE_TRACER_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/status.h"

namespace ashlar {

namespace internal {
class AccessRecorder;
}

// Numbers as they stand in files.
enum class TracedBlockKind : uint8_t { kData = 0, kIndex = 1, kFilter = 2 };
enum class TracedCaller : uint8_t {
  kOther = 0,  // not told: index and filter blocks
  kGet = 1,    // and those keys of a MultiGet that need a second block
  kMultiGet = 2,
  kIterator = 3,
};

struct BlockCacheTraceOptions {
  // One block in so many is traced, chosen by a hash of its key, and of it
  // every access. So a trace of one block in 100 misses in a cache of a
  // hundredth of the size what the whole load misses in the whole cache, which
  // accesses that are drawn one by one would not: they lose the second of two
  // that are near. The same blocks in every trace, process and machine. At
  // least 1.
  uint32_t sampling_frequency = 1;
  // No more is written once the file has so many bytes, and the trace ends
  // there.
  uint64_t max_trace_file_size = uint64_t{64} << 30;
};

class ASHLAR_EXPORT BlockCacheTracer {
 public:
  BlockCacheTracer();
  BlockCacheTracer(const BlockCacheTracer&) = delete;
  BlockCacheTracer& operator=(const BlockCacheTracer&) = delete;
  // Ends a trace that is being written.
  ~BlockCacheTracer();

  // Begins to write one. InvalidArgument while another is being written, or for
  // a sampling_frequency of 0; MemoryLimit where there was no memory for the
  // tracer's buffer when it was made. The thread that fills a buffer writes it,
  // 64 KiB or so at a time, with the file's Append.
  Status StartTrace(const BlockCacheTraceOptions& options,
                    std::unique_ptr<WritableFile> file);
  // Writes what is left, and closes the file; readers may go on meanwhile. The
  // first error of writing it, after which nothing more was written.
  // InvalidArgument: there is no trace.
  Status EndTrace();
  // Whether accesses are being traced: not after an error, nor once the file
  // has its size.
  bool is_tracing() const;
  // Of the trace that is being written, or the last one. Accesses in the file
  // when it has ended (after an error: and those that could not be written),
  // and those that were dropped since the file was too slow.
  uint64_t traced() const;
  uint64_t dropped() const;

  // For readers.
  internal::AccessRecorder* recorder() const { return recorder_.get(); }

 private:
  const std::unique_ptr<internal::AccessRecorder> recorder_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_BLOCK_CACHE_TRACER_H_
