// TraceAccesses: the accesses of a block cache trace, as replays need them.
//
// Blocks get numbers from 0, in the order in which they first appear, so that a
// replay can keep its data of a block in an array. A trace of RocksDB is
// streamed: memory grows with its blocks, not with its accesses. A trace of
// Ashlar is sorted by time first, in memory. For one thread at a time.
#ifndef ASHLAR_TOOLS_REPLAY_TRACE_ACCESSES_H_
#define ASHLAR_TOOLS_REPLAY_TRACE_ACCESSES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "ashlar/cache/block_cache_trace_reader.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "tools/replay/byte_source.h"

namespace ashlar::sim {

struct TraceAccess {
  uint64_t micros = 0;
  // What the block is charged, in bytes: by this access, or else by the last
  // one that said so; in traces of Ashlar by the next one, or else by the last.
  // 0: none said so.
  uint64_t bytes = 0;
  uint32_t block = 0;
  int32_t level = BlockAccess::kUnknownLevel;
  BlockAccessKind kind = BlockAccessKind::kData;
  BlockAccessCaller caller = BlockAccessCaller::kUnknown;
  bool is_hit = false;
  bool no_insert = false;
};

class TraceAccesses {
 public:
  // Opens the trace and reads its header.
  static Result<std::unique_ptr<TraceAccesses>> Open(const std::string& path);

  [[nodiscard]] const BlockCacheTraceHeader& header() const { return header_; }

  // Reads the next access. Sets *found to false at the end, and after an error.
  // An error comes after the accesses before it in the file.
  Status Next(TraceAccess* access, bool* found);

  // After an error: as in BlockCacheTraceReader.
  [[nodiscard]] bool is_cut_off() const { return reader_.is_cut_off(); }

  // Returns how many bytes of the file have been read.
  [[nodiscard]] uint64_t file_offset() const { return source_->file_offset(); }
  [[nodiscard]] uint32_t blocks() const {
    return static_cast<uint32_t>(bytes_of_.size());
  }

 private:
  TraceAccesses(const std::string& path, std::unique_ptr<ByteSource> source);

  Status Read(TraceAccess* access, bool* found);
  Status SortAll();
  // Notes the size of the block, or gives the access the one that was noted.
  void FillIn(TraceAccess* access);
  uint32_t NumberOf(const Slice& block_key);

  const std::string path_;
  const std::unique_ptr<ByteSource> source_;
  BlockCacheTraceReader reader_;
  BlockCacheTraceHeader header_;
  std::unordered_map<uint64_t, uint32_t> numbers_;
  std::vector<uint64_t> bytes_of_;  // the last known size of each block
  // Of a trace of Ashlar: all accesses, and the error at their end.
  std::vector<TraceAccess> sorted_;
  Status status_;
  size_t next_ = 0;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_TRACE_ACCESSES_H_
