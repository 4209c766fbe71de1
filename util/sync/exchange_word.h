// Words of the protocols that hand blocks from thread to thread.
//
// Changes that take and let go in one step, and words that one thread writes
// and many read. Each name says the memory order.
#ifndef ASHLAR_UTIL_SYNC_EXCHANGE_WORD_H_
#define ASHLAR_UTIL_SYNC_EXCHANGE_WORD_H_

#include <atomic>

#include "ashlar/util/sync/schedule_point.h"

namespace ashlar::internal {

// Changed by any thread; "both" acquires what others let go of, and releases.
template <typename T>
class ExchangeWord {
 public:
  constexpr ExchangeWord() : value_(T()) {}
  constexpr explicit ExchangeWord(T value) : value_(value) {}

  T LoadRelaxed() const { return value_.load(std::memory_order_relaxed); }
  T LoadAcquire() const { return value_.load(std::memory_order_acquire); }
  // Where nobody else looks, or what is stored says nothing of other words.
  void StoreRelaxed(T value) { value_.store(value, std::memory_order_relaxed); }
  // The value before, of all these.
  T FetchAddAcquire(T n) {
    SchedulePoint();
    return value_.fetch_add(n, std::memory_order_acquire);
  }
  T FetchAddRelease(T n) {
    SchedulePoint();
    return value_.fetch_add(n, std::memory_order_release);
  }
  T FetchAddBoth(T n) {
    SchedulePoint();
    return value_.fetch_add(n, std::memory_order_acq_rel);
  }
  T FetchOrRelease(T bits) {
    SchedulePoint();
    return value_.fetch_or(bits, std::memory_order_release);
  }
  // Fails only where something else is there, which is then *expected; nothing
  // is acquired then.
  bool CompareExchangeBoth(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_strong(*expected, desired,
                                          std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  }

 private:
  std::atomic<T> value_;
};

// Written by one thread at a time, read by any. Who sees a value sees all that
// was written before it, in this word's neighbours too.
template <typename T>
class PublishedWord {
 public:
  constexpr PublishedWord() : value_(T()) {}

  T Load() const { return value_.load(std::memory_order_acquire); }
  // By its only writer; or after Loads of what it guards, which are over then.
  T LoadRelaxed() const { return value_.load(std::memory_order_relaxed); }
  // No place to yield: a record stores several.
  void Store(T value) { value_.store(value, std::memory_order_release); }

 private:
  std::atomic<T> value_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_EXCHANGE_WORD_H_
