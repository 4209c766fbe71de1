// The file of a block cache trace: how it is written and read.
//
// docs/block_cache_trace.md has the bytes: a header, chunks of records, and an
// end. Each chunk has a checksum, and can be read without the chunks before it.
// So damage is found where it is. Used by AccessRecorder and
// BlockCacheTraceReader. One thread at a time.
#ifndef ASHLAR_CACHE_TRACE_TRACE_FORMAT_H_
#define ASHLAR_CACHE_TRACE_TRACE_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/block_cache_tracer.h"
#include "ashlar/cache/cache_key.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

struct TracedAccess {
  CacheKey key;
  uint64_t micros = 0;  // microseconds since the trace began
  TracedBlockKind kind = TracedBlockKind::kData;
  TracedCaller caller = TracedCaller::kOther;
  bool hit = false;
  // What the block is charged in the cache, in bytes. 0: unknown, as for a
  // block that was not found.
  uint64_t charge = 0;

  bool operator==(const TracedAccess&) const = default;
};

struct TraceHeader {
  // Files of version 1 have no charges. Only the current version is written.
  static constexpr uint32_t kVersion = 2;
  uint32_t version = kVersion;
  uint32_t sampling_frequency = 1;
  uint64_t began_at_micros = 0;  // microseconds since 1970
};
struct TraceEnd {
  uint64_t traced = 0;
  uint64_t dropped = 0;
};

void AppendTraceHeader(const TraceHeader& header, std::string* out);
// Requires: at least one access, and at most kMostInChunk.
void AppendTraceChunk(std::span<const TracedAccess> accesses, std::string* out);
// A chunk of any payload, correct or not.
void AppendTraceChunkAsIs(uint32_t count, const std::string& payload,
                          std::string* out);
void AppendTraceEnd(const TraceEnd& end, std::string* out);

inline constexpr size_t kMostInChunk = 4096;
// More is damage. Recorders write at most this.
inline constexpr uint64_t kMostTracedCharge = uint64_t{1} << 40;
inline constexpr size_t kTraceEndBytes = 12 + 16;

// Returns whether a file that begins so is a trace of this format, of any
// version.
bool IsTraceOfAshlar(const Slice& bytes);

class TraceFileReader {
 public:
  // Reads `n` bytes to `out`. Sets *got to less than `n` only at the end of the
  // file.
  using Read = std::function<Status(char* out, size_t n, size_t* got)>;
  // `name`: the name of the file, for messages.
  TraceFileReader(std::string name, Read read)
      : name_(std::move(name)), read_(std::move(read)) {}

  // Reads the header. Call it first. Returns NotSupported for an unknown
  // version, Corruption for damage.
  Status ReadHeader(TraceHeader* header);
  // Reads the next chunk. At the end, sets *end and leaves *accesses empty.
  // Returns Corruption, with the position, for damage: everything before it was
  // correct.
  Status ReadChunk(std::vector<TracedAccess>* accesses, TraceEnd* end);
  // After an error: returns whether the file ends before its end record.
  [[nodiscard]] bool is_cut_off() const { return is_cut_off_; }

 private:
  Status ReadAll(size_t n, std::string* bytes);
  Status Parse(const Slice& payload, uint32_t count,
               std::vector<TracedAccess>* accesses) const;
  Status Corrupt(const std::string& what) const;

  const std::string name_;
  const Read read_;
  uint64_t offset_ = 0;  // of the current chunk
  uint64_t next_ = 0;    // of the next byte
  uint64_t records_ = 0;
  uint32_t version_ = TraceHeader::kVersion;
  bool is_cut_off_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_CACHE_TRACE_TRACE_FORMAT_H_
