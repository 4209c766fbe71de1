#include "table/load/file_gate.h"

#include <string>

namespace ashlar::internal {

using std::chrono::microseconds;

constinit thread_local const ReadOptions* limiting_options = nullptr;

Status NotInMemory(uint64_t offset) {
  return Status::Incomplete("what is at offset " + std::to_string(offset) +
                            " is not in memory, and read_tier forbids to read "
                            "the file");
}

microseconds FileGate::Now() const {
  SystemClock* const clock =
      clock_ == nullptr ? SystemClock::Default() : clock_;
  return microseconds(static_cast<int64_t>(clock->NowMicros()));
}

Status FileGate::CheckDeadline(const ReadOptions& options) const {
  if (options.deadline.count() == 0 || Now() < options.deadline) return {};
  return Status::TimedOut("the deadline has passed");
}

// Sets *timeout to what is left of the time, which is at least a microsecond.
Status FileGate::TakeTime(const ReadOptions& options, uint64_t offset,
                          microseconds* timeout) const {
  *timeout = options.io_timeout;
  if (options.deadline.count() == 0) return {};
  const microseconds left = options.deadline - Now();
  if (left.count() <= 0) {
    return Status::TimedOut("the deadline has passed before a read at offset " +
                            std::to_string(offset));
  }
  if (timeout->count() == 0 || left < *timeout) *timeout = left;
  return {};
}

Status FileGate::PassLimits(uint64_t offset, uint64_t bytes,
                            ReadContext* context) const {
  const ReadOptions& options = *limiting_options;
  context->io_context = options.io_context;
  if (options.read_tier == ReadTier::kBlockCacheTier) {
    return NotInMemory(offset);
  }
  Status status = TakeTime(options, offset, &context->timeout);
  if (!status.ok() || limiter_ == nullptr ||
      options.rate_limiter_priority == IoPriority::kTotal) {
    return status;
  }
  limiter_->Request(bytes, options.rate_limiter_priority,
                    RateLimiter::OpType::kRead);
  return TakeTime(options, offset, &context->timeout);
}

Status FileGate::ReadLimited(const RandomAccessFile& file, uint64_t offset,
                             size_t n, char* scratch, Slice* data) const {
  *data = Slice();
  ReadContext context;
  Status status = PassLimits(offset, n, &context);
  if (!status.ok()) return status;
  return IsToBeGiven(context)
             ? file.ReadWithin(context, offset, n, scratch, data)
             : file.Read(offset, n, scratch, data);
}

}  // namespace ashlar::internal
