// WriteRate: writes bytes in pieces, and asks a rate limiter before each.
//
// Used by every file that has a limiter. Holds no lock while it waits. As
// thread-safe as the limiter.
#ifndef ASHLAR_UTIL_IO_WRITE_RATE_H_
#define ASHLAR_UTIL_IO_WRITE_RATE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

class WriteRate {
 public:
  // With no limiter, or kTotal, all bytes are one piece, and nobody is asked.
  WriteRate(std::shared_ptr<RateLimiter> limiter, IoPriority priority)
      : limiter_(priority == IoPriority::kTotal ? nullptr : std::move(limiter)),
        priority_(priority) {}

  // Calls write(piece) for `bytes`, piece by piece, until it returns an error.
  // Pieces are multiples of `unit` bytes, but for the last one, and have at
  // least one unit.
  template <typename Write>
  Status Pass(Slice bytes, size_t unit, const Write& write) const {
    if (limiter_ == nullptr) return write(bytes);
    Status status;
    while (!bytes.empty() && status.ok()) {
      const uint64_t burst = limiter_->GetSingleBurstBytes() / unit * unit;
      const auto n = static_cast<size_t>(
          std::min<uint64_t>(std::max<uint64_t>(burst, unit), bytes.size()));
      AskFor(n);
      status = write(Slice(bytes.data(), n));
      bytes.remove_prefix(n);
    }
    return status;
  }

 private:
  // A piece is larger than a burst where the unit is.
  void AskFor(uint64_t bytes) const {
    while (bytes != 0) {
      const uint64_t burst =
          std::max<uint64_t>(limiter_->GetSingleBurstBytes(), 1);
      const uint64_t part = std::min(bytes, burst);
      limiter_->Request(part, priority_, RateLimiter::OpType::kWrite);
      bytes -= part;
    }
  }

  std::shared_ptr<RateLimiter> limiter_;
  IoPriority priority_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_WRITE_RATE_H_
