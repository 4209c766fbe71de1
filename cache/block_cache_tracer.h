// BlockCacheTracer: records which blocks readers look up in the block cache.
//
// Pass one tracer to any number of readers (ReaderOptions::block_cache_tracer).
// While no trace is written, it costs each access one test. The program
// `ashlar cache-sim` replays a trace, so you can find out offline what a cache
// of another size or kind would have missed. BlockCacheTraceReader
// (block_cache_trace_reader.h) reads it for your own analyses. Not a complete
// log: accesses that come faster than the file can be written are dropped and
// counted.
//
// Thread safety: any number of threads may call any function at once, except
// the destructor. Readers share ownership of a tracer. So end a trace with
// EndTrace, which returns its errors.
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

// The kind of block. The numbers are those in trace files.
enum class TracedBlockKind : uint8_t { kData = 0, kIndex = 1, kFilter = 2 };
// What the reader did when it looked the block up. The numbers are those in
// trace files.
enum class TracedCaller : uint8_t {
  kOther = 0,  // an index or filter block: what the reader did is not recorded
  kGet = 1,    // a Get, or a second block for a key of a MultiGet
  kMultiGet = 2,
  kIterator = 3,
};

// How much is traced.
struct BlockCacheTraceOptions {
  // One block in this many is traced, chosen by a hash of its key, with every
  // access to it. At least 1.
  //
  // So a trace of one block in 100, replayed with a cache of a hundredth of the
  // size, has about the same miss ratio as the whole load with the whole cache.
  // A sample of single accesses would not: it would lose the second of two
  // accesses that are close together. Every trace, process and machine samples
  // the same blocks.
  uint32_t sampling_frequency = 1;
  // Bytes. When the file has this size, nothing more is written, and the trace
  // ends there.
  uint64_t max_trace_file_size = uint64_t{64} << 30;
};

class ASHLAR_EXPORT BlockCacheTracer {
 public:
  // May throw std::bad_alloc.
  BlockCacheTracer();
  BlockCacheTracer(const BlockCacheTracer&) = delete;
  BlockCacheTracer& operator=(const BlockCacheTracer&) = delete;
  // Ends a trace that is being written, and ignores its errors.
  ~BlockCacheTracer();

  // Starts a trace: writes its header to `file`, which the tracer then owns,
  // and records accesses from now on. The thread that fills a buffer appends it
  // to the file, about 64 KiB at a time.
  //
  // Returns InvalidArgument if EndTrace has not ended the last trace, even if
  // that has stopped by itself, or if sampling_frequency is 0. Returns
  // MemoryLimit if there was no memory for the tracer's buffer. Returns the
  // file's error if the header cannot be written. After an error there is no
  // trace, and `file` is destroyed.
  Status StartTrace(const BlockCacheTraceOptions& options,
                    std::unique_ptr<WritableFile> file);
  // Ends the trace: writes what is left and closes the file. Readers may
  // continue meanwhile. Returns the first error of writing the file, after
  // which nothing more was written. Returns InvalidArgument if there is no
  // trace, or if another thread has just ended it.
  Status EndTrace();
  // Returns whether accesses are recorded now. They are not after an error, nor
  // after the file has reached its size.
  bool is_tracing() const;
  // Counts of the trace that is being written, or else of the last one.
  //
  // Returns the number of accesses that were recorded. When the trace has
  // ended, it is the number of accesses in the file, plus (after an error)
  // those that could not be written.
  uint64_t traced() const;
  // Returns the number of accesses that were dropped because the file was too
  // slow.
  uint64_t dropped() const;

  // Internal, for readers. Never null.
  internal::AccessRecorder* recorder() const { return recorder_.get(); }

 private:
  const std::unique_ptr<internal::AccessRecorder> recorder_;
};

}  // namespace ashlar

#endif  // ASHLAR_CACHE_BLOCK_CACHE_TRACER_H_
