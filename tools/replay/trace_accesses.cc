#include "tools/replay/trace_accesses.h"

#include <algorithm>
#include <utility>

#include "third-party/xxhash_lib.h"

namespace ashlar::sim {

TraceAccesses::TraceAccesses(const std::string& path,
                             std::unique_ptr<ByteSource> source)
    : path_(path),
      source_(std::move(source)),
      reader_(path, [this](char* out, size_t n, size_t* got) {
        return source_->Read(out, n, got);
      }) {}

Result<std::unique_ptr<TraceAccesses>> TraceAccesses::Open(
    const std::string& path) {
  auto source = ByteSource::Open(path);
  if (!source.ok()) return source.status();
  std::unique_ptr<TraceAccesses> accesses(
      new TraceAccesses(path, std::move(source).value()));
  Status status = accesses->reader_.ReadHeader(&accesses->header_);
  if (status.ok() &&
      accesses->header_.format == BlockCacheTraceFormat::kAshlar) {
    status = accesses->SortAll();
  }
  if (!status.ok()) return status;
  return accesses;
}

// A block is represented by 64 bits of the hash of its key. Among 2^26 blocks,
// the chance that two are taken for one is 2^-12.
uint32_t TraceAccesses::NumberOf(const Slice& block_key) {
  const auto [found, is_new] = numbers_.try_emplace(
      XXH3_64bits(block_key.data(), block_key.size()), blocks());
  if (is_new) bytes_of_.push_back(0);
  return found->second;
}

Status TraceAccesses::Read(TraceAccess* access, bool* found) {
  constexpr uint32_t kMostBlocks = INT32_MAX;  // see ReuseDistances
  BlockAccess from;
  if (Status s = reader_.Next(&from, found); !s.ok() || !*found) return s;
  if (blocks() == kMostBlocks) {
    *found = false;
    return Status::NotSupported(path_ + ": the trace has more than " +
                                std::to_string(kMostBlocks) + " blocks");
  }
  *access = {.micros = from.micros,
             .block = NumberOf(from.block_key),
             .level = from.level,
             .kind = from.kind,
             .caller = from.caller,
             .is_hit = from.is_hit,
             .no_insert = from.no_insert};
  access->bytes = from.block_bytes;
  return {};
}

void TraceAccesses::FillIn(TraceAccess* access) {
  uint64_t& bytes = bytes_of_[access->block];
  if (access->bytes != 0) bytes = access->bytes;
  access->bytes = bytes;
}

// The records of a thread that seldom reads come in the file much later than
// their time. A block that is missing has a size only when it is found later:
// so the next size counts, and the last one only after all others.
Status TraceAccesses::SortAll() {
  bool found = true;
  while (found) {
    TraceAccess access;
    status_ = Read(&access, &found);
    if (found) sorted_.push_back(access);
  }
  std::ranges::stable_sort(sorted_, {}, &TraceAccess::micros);
  for (size_t i = sorted_.size(); i != 0; --i) FillIn(&sorted_[i - 1]);
  std::ranges::fill(bytes_of_, 0);
  for (TraceAccess& each : sorted_) FillIn(&each);
  return {};
}

Status TraceAccesses::Next(TraceAccess* access, bool* found) {
  if (header_.format == BlockCacheTraceFormat::kRocksDB) {
    Status status = Read(access, found);
    if (*found) FillIn(access);
    return status;
  }
  *found = next_ < sorted_.size();
  if (!*found) return status_;
  *access = sorted_[next_++];
  return {};
}

}  // namespace ashlar::sim
