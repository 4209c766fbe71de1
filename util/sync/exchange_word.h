// Atomic words of the protocols that hand blocks from thread to thread.
//
// Internal, installed as a part of ConcurrentWriteBuffer and FifoCache.
// ExchangeWord is for words that any thread changes, PublishedWord for words
// that one thread writes and many read. Each name says the memory order.
// Thread-safe. Not for a mere counter, which needs no order.
#ifndef ASHLAR_UTIL_SYNC_EXCHANGE_WORD_H_
#define ASHLAR_UTIL_SYNC_EXCHANGE_WORD_H_

#include <atomic>

#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"

namespace ashlar::internal {

// A word that any thread may change. "Both" in a name: acquires what other
// threads released, and releases.
template <typename T>
class ExchangeWord {
 public:
  constexpr ExchangeWord() : value_(T()) {}
  constexpr explicit ExchangeWord(T value) : value_(value) {}

  T LoadRelaxed() const {
    LookPoint();
    return value_.load(std::memory_order_relaxed);
  }
  T LoadAcquire() const {
    LookPoint();
    return value_.load(std::memory_order_acquire);
  }
  // For a word that no other thread looks at now, or whose value says nothing
  // about other words.
  void StoreRelaxed(T value) { value_.store(value, std::memory_order_relaxed); }
  // These four return the value before the change.
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
  // Returns false only if the word is not *expected, and then sets *expected to
  // the word. Acquires nothing in that case.
  bool CompareExchangeBoth(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_strong(*expected, desired,
                                          std::memory_order_acq_rel,
                                          std::memory_order_relaxed);
  }

 private:
  SharedWord<T> value_;
};

// A word that one thread at a time writes and any thread reads. A thread that
// sees a value also sees everything that was written before it, including the
// words beside it.
template <typename T>
class PublishedWord {
 public:
  constexpr PublishedWord() : value_(T()) {}

  T Load() const {
    LookPoint();
    return value_.load(std::memory_order_acquire);
  }
  // For the word's only writer, or for a second look after Loads of what the
  // word guards: those Loads have completed by then.
  T LoadRelaxed() const {
    LookPoint();
    return value_.load(std::memory_order_relaxed);
  }
  // Not a SchedulePoint: one record stores several words.
  void Store(T value) {
    LookPoint();
    value_.store(value, std::memory_order_release);
  }

 private:
  SharedWord<T> value_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_EXCHANGE_WORD_H_
