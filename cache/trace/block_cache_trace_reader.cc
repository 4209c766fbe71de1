// BlockCacheTraceReader: the public front. It tells the formats apart; a reader
// of each does the work.

#include "ashlar/cache/block_cache_trace_reader.h"

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "cache/trace/rocksdb_trace.h"
#include "cache/trace/trace_format.h"
#include "cache/trace/trace_input.h"
#include "util/coding/coding.h"

namespace ashlar {

namespace {

using internal::TracedAccess;

constexpr std::string_view kKindWords[kBlockAccessKinds] = {
    "data", "index", "filter", "dictionary", "range_deletion"};
constexpr std::string_view kCallerWords[kBlockAccessCallers] = {
    "unknown",
    "user_get",
    "user_multi_get",
    "user_iterator",
    "user_approximate_size",
    "user_verify_checksum",
    "sst_dump",
    "external_ingestion",
    "repair",
    "prefetch",
    "compaction",
    "compaction_refill",
    "flush",
    "sst_file_reader",
    "uncategorized"};

// The numbers of kinds and callers are equal where both formats have them.
static_assert(static_cast<int>(TracedBlockKind::kFilter) ==
              static_cast<int>(BlockAccessKind::kFilter));
static_assert(static_cast<int>(TracedCaller::kIterator) ==
              static_cast<int>(BlockAccessCaller::kUserIterator));

}  // namespace

std::string_view WordFor(BlockAccessKind kind) {
  return kKindWords[static_cast<size_t>(kind)];
}

std::string_view WordFor(BlockAccessCaller caller) {
  return kCallerWords[static_cast<size_t>(caller)];
}

struct BlockCacheTraceReader::State {
  State(const std::string& file_name, Read read)
      : name(file_name),
        input(std::move(read)),
        rocksdb(name, &input),
        ashlar(name, [this](char* out, size_t n, size_t* got) {
          return input.Copy(out, n, got);
        }) {}

  Status NextOfAshlar(BlockAccess* access, bool* found) {
    *found = false;
    if (ended) return {};
    if (next == chunk.size()) {
      next = 0;
      internal::TraceEnd end;
      Status status = ashlar.ReadChunk(&chunk, &end);
      if (!status.ok() || chunk.empty()) {
        ended = status.ok();
        chunk.clear();
        return status;
      }
    }
    const TracedAccess& from = chunk[next++];
    internal::StoreFixed64(key.data(), from.key.file);
    internal::StoreFixed64(key.data() + 8, from.key.block);
    *access = {};
    access->micros = from.micros;
    access->kind = static_cast<BlockAccessKind>(from.kind);
    access->caller = static_cast<BlockAccessCaller>(from.caller);
    access->is_hit = from.hit;
    access->block_key = Slice(key.data(), key.size());
    access->block_bytes = from.charge;
    *found = true;
    return {};
  }

  const std::string name;
  internal::TraceInput input;
  internal::RocksDBTraceReader rocksdb;
  internal::TraceFileReader ashlar;
  BlockCacheTraceFormat format = BlockCacheTraceFormat::kAshlar;
  // Of Ashlar's format: accesses that were read ahead.
  std::vector<TracedAccess> chunk;
  size_t next = 0;
  bool ended = false;  // the end record was read
  std::array<char, 16> key = {};
};

BlockCacheTraceReader::BlockCacheTraceReader(const std::string& name, Read read)
    : state_(std::make_unique<State>(name, std::move(read))) {}

BlockCacheTraceReader::~BlockCacheTraceReader() = default;

bool BlockCacheTraceReader::IsTrace(const Slice& bytes) {
  return internal::IsTraceOfAshlar(bytes) || internal::IsRocksDBTrace(bytes);
}

Status BlockCacheTraceReader::ReadHeader(BlockCacheTraceHeader* header) {
  Slice bytes;
  if (Status s = state_->input.Peek(kProbeBytes, &bytes); !s.ok()) return s;
  if (internal::IsRocksDBTrace(bytes)) {
    state_->format = BlockCacheTraceFormat::kRocksDB;
    return state_->rocksdb.ReadHeader(header);
  }
  if (!internal::IsTraceOfAshlar(bytes)) {
    return Status::Corruption(
        state_->name +
        ": byte 0: not a block cache trace, neither of Ashlar nor of RocksDB");
  }
  internal::TraceHeader own;
  if (Status s = state_->ashlar.ReadHeader(&own); !s.ok()) return s;
  *header = {.format = BlockCacheTraceFormat::kAshlar,
             .sampling_frequency = own.sampling_frequency};
  return {};
}

Status BlockCacheTraceReader::Next(BlockAccess* access, bool* found) {
  return state_->format == BlockCacheTraceFormat::kRocksDB
             ? state_->rocksdb.Next(access, found)
             : state_->NextOfAshlar(access, found);
}

bool BlockCacheTraceReader::is_cut_off() const {
  return state_->rocksdb.is_cut_off() || state_->ashlar.is_cut_off();
}

}  // namespace ashlar
