#include "tools/ashlar/outputs/write_limit.h"

#include <utility>

#include "tools/ashlar/print/output.h"

namespace ashlar::tool {
namespace {

// A file asks for one burst at a time: what passes in a tenth of a second.
class WriteLimit final : public RateLimiter {
 public:
  explicit WriteLimit(std::shared_ptr<RateLimiter> limit)
      : limit_(std::move(limit)) {}

  void Request(uint64_t bytes, IoPriority priority, OpType type) override {
    if (!Interrupted()) limit_->Request(bytes, priority, type);
  }
  uint64_t GetSingleBurstBytes() const override {
    return limit_->GetSingleBurstBytes();
  }
  void SetBytesPerSecond(uint64_t bytes_per_second) override {
    limit_->SetBytesPerSecond(bytes_per_second);
  }
  uint64_t GetBytesPerSecond() const override {
    return limit_->GetBytesPerSecond();
  }
  uint64_t GetTotalBytesThrough(IoPriority priority) const override {
    return limit_->GetTotalBytesThrough(priority);
  }
  uint64_t GetTotalRequests(IoPriority priority) const override {
    return limit_->GetTotalRequests(priority);
  }

 private:
  const std::shared_ptr<RateLimiter> limit_;
};

}  // namespace

std::shared_ptr<RateLimiter> NewWriteLimit(uint64_t bytes_per_second) {
  return std::make_shared<WriteLimit>(
      NewGenericRateLimiter({.rate_bytes_per_sec = bytes_per_second,
                             .mode = RateLimiter::Mode::kWritesOnly}));
}

}  // namespace ashlar::tool
