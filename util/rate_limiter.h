// RateLimiter: how many bytes per second may be read or written.
//
// One limiter serves any number of readers and writers, which share its rate.
// Reads ask it if ReaderOptions::rate_limiter is set and the read names a
// priority (ReadOptions::rate_limiter_priority). Writes ask it if the file was
// opened with WritableFileOptions::rate_limiter, or made by NewRateLimitedFile
// (util/file.h).
//
// Names and meanings are those of RocksDB, with these differences: Request
// takes any number of bytes, and there is no auto-tuning and no Statistics.
//
// Derive from RateLimiter for a limiter of your own. Any number of threads may
// use a limiter at once. Not a scheduler: it orders nothing but its waiters.
#ifndef ASHLAR_UTIL_RATE_LIMITER_H_
#define ASHLAR_UTIL_RATE_LIMITER_H_

#include <cstdint>
#include <memory>

#include "ashlar/util/export.h"

namespace ashlar {

class SystemClock;

// Who goes first, from last to first. RocksDB calls them "IO_LOW" and so on.
enum class IoPriority : uint8_t {
  kLow,
  kMid,
  kHigh,
  kUser,
  // Not a priority. As an option: the limiter is not asked. As an argument of
  // the counters: all priorities together.
  kTotal,
};

class ASHLAR_EXPORT RateLimiter {
 public:
  // What a request is for.
  enum class OpType : uint8_t { kRead, kWrite };
  // What is limited. The rest passes at once and is not counted.
  enum class Mode : uint8_t { kReadsOnly, kWritesOnly, kAllIo };

  RateLimiter() = default;
  RateLimiter(const RateLimiter&) = delete;
  RateLimiter& operator=(const RateLimiter&) = delete;
  virtual ~RateLimiter();

  // Returns when the caller may transfer `bytes` bytes. May wait for long: for
  // more bytes than a refill gives, it waits for several. Does not throw.
  // Requires: `priority` is not kTotal.
  virtual void Request(uint64_t bytes, IoPriority priority, OpType type) = 0;

  // Returns how many bytes may pass at once, above 0. Files with a limiter ask
  // for at most this much at a time, and are written in such pieces; direct
  // writes in whole pages. The default is no bound.
  virtual uint64_t GetSingleBurstBytes() const;

  // Changes the rate, also for those that wait. Requires: above 0.
  virtual void SetBytesPerSecond(uint64_t bytes_per_second) = 0;
  virtual uint64_t GetBytesPerSecond() const = 0;

  // Return how many bytes, and how many requests, have passed with this
  // priority; kTotal: with any. What still waits does not count.
  virtual uint64_t GetTotalBytesThrough(
      IoPriority priority = IoPriority::kTotal) const = 0;
  virtual uint64_t GetTotalRequests(
      IoPriority priority = IoPriority::kTotal) const = 0;
};

// What NewGenericRateLimiter makes.
struct RateLimiterOptions {
  // Must be above 0.
  uint64_t rate_bytes_per_sec = 0;
  // How often waiters get new bytes, in microseconds; 0 counts as 1. A longer
  // time means larger bursts, a shorter one more wake-ups.
  uint64_t refill_period_us = 100 * 1000;
  // In one refill of so many, priorities below kUser are served from the lowest
  // up, so that they do not wait forever. 0 and 1: never.
  uint32_t fairness = 10;
  RateLimiter::Mode mode = RateLimiter::Mode::kWritesOnly;
  // What GetSingleBurstBytes returns. 0: the bytes of one refill.
  uint64_t single_burst_bytes = 0;
  // Null: SystemClock::Default(). Must outlive the limiter.
  SystemClock* clock = nullptr;
};

// Returns a limiter that hands out the bytes of each period when it begins, to
// its waiters by priority, and among those of one priority in the order in
// which they came. What a period does not use is not kept for later ones. Null
// if rate_bytes_per_sec is 0. May throw std::bad_alloc.
ASHLAR_EXPORT std::shared_ptr<RateLimiter> NewGenericRateLimiter(
    const RateLimiterOptions& options);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_RATE_LIMITER_H_
