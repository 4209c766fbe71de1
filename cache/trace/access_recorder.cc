#include "cache/trace/access_recorder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

constexpr size_t kPieceBytes = size_t{64} << 10;
// After one access has written this many blocks, other accesses are dropped
// until it is done. If they came faster than it writes, it would never end.
constexpr uint32_t kMostBlocksOfOne = 32;
thread_local uint32_t blocks_of_this = 0;
// The threads of a shard fill a block together, so that few blocks are partly
// filled.
constexpr WriteBufferOptions kBuffer = {.shards = 4, .blocks = 24};

template <typename Clock>
uint64_t MicrosOf() {
  return static_cast<uint64_t>(
      std::chrono::duration_cast<std::chrono::microseconds>(
          Clock::now().time_since_epoch())
          .count());
}
// Returns the time as entries store it, in 48 bits.
uint64_t Now() { return MicrosOf<std::chrono::steady_clock>() << 16 >> 16; }

}  // namespace

AccessRecorder::AccessRecorder() : buffer_(MakeBuffer()) {}

std::unique_ptr<AccessRecorder::Buffer> AccessRecorder::MakeBuffer() {
  auto buffer = Buffer::Make(
      kBuffer, [this](std::span<const Entry> entries) { Take(entries); });
  if (!buffer.ok()) return nullptr;
  return std::move(*buffer);
}

void AccessRecorder::Record(const CacheKey& key, TracedBlockKind kind,
                            TracedCaller caller, bool hit, size_t charge) {
  if (sheds_.Load()) [[unlikely]] {
    shed_.FetchAdd(1);
    return;
  }
  blocks_of_this = 0;
  buffer_->Record({key,
                   Now() << 16 | static_cast<uint64_t>(kind) << 8 |
                       static_cast<uint64_t>(caller) << 4 |
                       (hit ? uint64_t{1} : 0),
                   std::min<uint64_t>(charge, kMostTracedCharge)});
  if (blocks_of_this > kMostBlocksOfOne) sheds_.Store(false);
}

// The buffer's sink. A block has fewer entries than a chunk may have.
void AccessRecorder::Take(std::span<const Entry> entries) {
  static_assert(Buffer::kBlockEntries <= kMostInChunk);
  if (++blocks_of_this > kMostBlocksOfOne) sheds_.Store(true);
  const MutexLock lock(&mutex_);
  if (!is_open_) return;
  // A read must not fail because it is traced.
  try {
    Write(entries);
  } catch (const std::bad_alloc&) {
    Stop(Status::OutOfMemory());
  }
}

void AccessRecorder::Write(std::span<const Entry> entries) {
  chunk_.clear();
  for (const Entry& each : entries) {
    const uint64_t micros = each.rest >> 16;
    if (micros < began_at_) continue;
    chunk_.push_back({.key = each.key,
                      .micros = micros - began_at_,
                      .kind = static_cast<TracedBlockKind>(each.rest >> 8 & 15),
                      .caller = static_cast<TracedCaller>(each.rest >> 4 & 15),
                      .hit = (each.rest & 1) != 0,
                      .charge = each.charge});
  }
  if (chunk_.empty()) return;
  const size_t before = pending_.size();
  AppendTraceChunk(chunk_, &pending_);
  if (bytes_ + pending_.size() > most_bytes_) {
    pending_.resize(before);
    Stop({});
    return;
  }
  traced_ += chunk_.size();
  if (pending_.size() >= kPieceBytes) Append();
}

void AccessRecorder::Append() {
  Status status = file_->Append(Slice(pending_));
  bytes_ += pending_.size();
  pending_.clear();
  if (!status.ok()) Stop(status);
}

void AccessRecorder::Stop(const Status& status) {
  below_.Store(0);
  is_open_ = false;
  if (status_.ok()) status_ = status;
}

Status AccessRecorder::Start(const BlockCacheTraceOptions& options,
                             std::unique_ptr<WritableFile> file) {
  return OrMemoryLimit([&]() -> Status {
    if (options.sampling_frequency == 0) {
      return Status::InvalidArgument(
          "sampling_frequency is 0, expected 1 or more");
    }
    if (buffer_ == nullptr) {
      return Status::MemoryLimit("no memory for the buffer of a trace");
    }
    const MutexLock lock(&mutex_);
    if (file_ != nullptr) {
      return Status::InvalidArgument("a trace is already being written to " +
                                     file_->name());
    }
    pending_.clear();
    AppendTraceHeader(
        {.sampling_frequency = options.sampling_frequency,
         .began_at_micros = MicrosOf<std::chrono::system_clock>()},
        &pending_);
    // So that a file that cannot be written is noticed at once.
    Status status = file->Append(Slice(pending_));
    if (!status.ok()) return status;
    file_ = std::move(file);
    bytes_ = pending_.size();
    pending_.clear();
    status_ = Status();
    // The end of the file needs room too.
    most_bytes_ =
        options.max_trace_file_size -
        std::min<uint64_t>(options.max_trace_file_size, kTraceEndBytes);
    traced_ = 0;
    ++traces_;
    dropped_before_ = DroppedEver();
    began_at_ = Now();
    is_open_ = true;
    // At least one, so that tracing is on.
    below_.Store(
        std::max<uint64_t>(1, kAllHashes / options.sampling_frequency));
    return {};
  });
}

// Does not hold the mutex while the buffer is flushed, because its sink takes
// it.
Status AccessRecorder::End() {
  return OrMemoryLimit([&]() -> Status {
    uint64_t which = 0;
    {
      const MutexLock lock(&mutex_);
      if (file_ == nullptr)
        return Status::InvalidArgument("no trace is being written");
      which = traces_;
      below_.Store(0);
    }
    buffer_->Flush();
    sheds_.Store(false);
    const MutexLock lock(&mutex_);
    // Or there is another trace by now.
    if (file_ == nullptr || which != traces_) {
      return Status::InvalidArgument("another thread ended the trace");
    }
    is_open_ = false;
    if (status_.ok()) {
      AppendTraceEnd(
          {.traced = traced_, .dropped = DroppedEver() - dropped_before_},
          &pending_);
      Append();
    }
    const Status closed = file_->Close();
    if (status_.ok()) status_ = closed;
    file_ = nullptr;
    return std::exchange(status_, Status());
  });
}

uint64_t AccessRecorder::traced() const {
  const MutexLock lock(&mutex_);
  return traced_;
}

uint64_t AccessRecorder::dropped() const {
  const MutexLock lock(&mutex_);
  return DroppedEver() - dropped_before_;
}

}  // namespace ashlar::internal
