// The file of RocksDB's block cache tracer: how it is read.
//
//   frame    time (8 bytes), type (1), length of the payload (4), payload
//   file     header frame (type 1), then one frame per access, to the end
//
// docs/block_cache_trace.md has the fields of a payload. There are no checksums
// and no end, so all that can be seen of damage are lengths and types that do
// not fit. Used by BlockCacheTraceReader. For one thread at a time.
#ifndef ASHLAR_CACHE_TRACE_ROCKSDB_TRACE_H_
#define ASHLAR_CACHE_TRACE_ROCKSDB_TRACE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ashlar/cache/block_cache_trace_reader.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "cache/trace/trace_input.h"

namespace ashlar::internal {

// Returns whether a file that begins so is a trace that RocksDB wrote, of any
// kind.
bool IsRocksDBTrace(const Slice& bytes);

class RocksDBTraceReader {
 public:
  RocksDBTraceReader(std::string name, TraceInput* input)
      : name_(std::move(name)), input_(input) {}

  // As in BlockCacheTraceReader.
  Status ReadHeader(BlockCacheTraceHeader* header);
  Status Next(BlockAccess* access, bool* found);
  [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }

 private:
  struct Frame {
    uint64_t micros = 0;
    uint8_t type = 0;
    Slice payload;  // valid until the next Peek
  };

  // Sets *found to false at the end of the file.
  Status ReadFrame(Frame* frame, bool* found);
  Status CheckType(uint8_t type) const;
  Status CutOff(const std::string& what);
  [[nodiscard]] Status Corrupt(const std::string& what) const;

  const std::string name_;
  TraceInput* const input_;
  uint64_t frame_offset_ = 0;  // of the current frame
  bool is_cut_off_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_TRACE_ROCKSDB_TRACE_H_
