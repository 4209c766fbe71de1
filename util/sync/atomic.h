// Atomics whose memory order is in the name of the type or method.
//
// Code that shares words between threads says by its choice of type what else
// those words publish. Only code that sleeps on words (semaphores, claims) uses
// SharedWord itself. Thread-safe.
#ifndef ASHLAR_UTIL_SYNC_ATOMIC_H_
#define ASHLAR_UTIL_SYNC_ATOMIC_H_

#include <atomic>
#include <cstdint>

#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"

namespace ashlar::internal {

// A counter or hint. It is atomic by itself, and publishes nothing else.
template <typename T>
class RelaxedAtomic {
 public:
  constexpr RelaxedAtomic() : value_(T()) {}
  constexpr explicit RelaxedAtomic(T value) : value_(value) {}

  T Load() const { return value_.load(std::memory_order_relaxed); }
  void Store(T value) { value_.store(value, std::memory_order_relaxed); }
  // These two return the value before the change.
  T FetchAdd(T n) { return value_.fetch_add(n, std::memory_order_relaxed); }
  T FetchSub(T n) { return value_.fetch_sub(n, std::memory_order_relaxed); }
  // May fail for no reason. If it fails, sets *expected to the word.
  bool CompareExchange(T* expected, T desired) {
    return value_.compare_exchange_weak(*expected, desired,
                                        std::memory_order_relaxed);
  }

 private:
  SharedWord<T> value_;
};

// A count of references to something. A thread that adds one has one already,
// so adding needs no order. A thread that drops one releases what it did, and
// the thread that drops the last one sees all of it.
class SharedCount {
 public:
  constexpr explicit SharedCount(uint64_t count) : count_(count) {}

  void Add() { count_.fetch_add(1, std::memory_order_relaxed); }
  // Returns true if that was the last reference. If there is just one
  // reference, no other thread can add to it, so a load is enough.
  bool DropIsLast() {
    SchedulePoint();
    return count_.load(std::memory_order_acquire) == 1 ||
           count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  SharedWord<uint64_t> count_;
};

// A pointer that is set once, by the thread that comes first. What it points to
// is complete for every thread that sees it. It does not own that.
template <typename T>
class PublishedPointer {
 public:
  // Returns null until a pointer is published.
  T* Load() const {
    LookPoint();
    return pointer_.load(std::memory_order_acquire);
  }
  // Returns the pointer that is there from now on: this one, or one that
  // another thread has published before.
  T* PublishFirst(T* pointer) {
    SchedulePoint();
    T* seen = nullptr;
    return pointer_.compare_exchange_strong(seen, pointer,
                                            std::memory_order_acq_rel,
                                            std::memory_order_acquire)
               ? pointer
               : seen;
  }

 private:
  SharedWord<T*> pointer_{nullptr};
};

// A word that hands over what was written before: every change publishes, and
// every load sees what was published.
template <typename T>
class AcqRelAtomic {
 public:
  constexpr explicit AcqRelAtomic(T value) : value_(value) {}

  T Load() const {
    LookPoint();
    return value_.load(std::memory_order_acquire);
  }
  // For a word that only one thread changes.
  void Store(T value) {
    SchedulePoint();
    value_.store(value, std::memory_order_release);
  }
  // May fail for no reason. If it fails, sets *expected to the word.
  bool CompareExchange(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_weak(*expected, desired,
                                        std::memory_order_acq_rel,
                                        std::memory_order_acquire);
  }

 private:
  SharedWord<T> value_;
};

// A word that many threads change at once, where each kind of change has its
// own order: a change that takes hold of things acquires, and one that lets go
// of them releases.
template <typename T>
class HoldAtomic {
 public:
  constexpr explicit HoldAtomic(T value) : value_(value) {}

  T LoadRelaxed() const {
    LookPoint();
    return value_.load(std::memory_order_relaxed);
  }
  void StoreRelease(T value) {
    SchedulePoint();
    value_.store(value, std::memory_order_release);
  }
  // All of these return the value before the change.
  T FetchAddAcquire(T n) {
    SchedulePoint();
    return value_.fetch_add(n, std::memory_order_acquire);
  }
  T FetchSubRelease(T n) {
    SchedulePoint();
    return value_.fetch_sub(n, std::memory_order_release);
  }
  T FetchOrAcquire(T bits) {
    SchedulePoint();
    return value_.fetch_or(bits, std::memory_order_acquire);
  }
  T FetchOrRelease(T bits) {
    SchedulePoint();
    return value_.fetch_or(bits, std::memory_order_release);
  }
  T FetchAndRelaxed(T bits) {
    SchedulePoint();
    return value_.fetch_and(bits, std::memory_order_relaxed);
  }
  T FetchAndAcquire(T bits) {
    SchedulePoint();
    return value_.fetch_and(bits, std::memory_order_acquire);
  }
  T ExchangeAcquire(T value) {
    SchedulePoint();
    return value_.exchange(value, std::memory_order_acquire);
  }
  // Returns false only if the word is not *expected, and then sets *expected to
  // the word.
  bool CompareExchangeAcquire(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_strong(*expected, desired,
                                          std::memory_order_acquire,
                                          std::memory_order_relaxed);
  }
  bool CompareExchangeRelease(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_strong(*expected, desired,
                                          std::memory_order_release,
                                          std::memory_order_relaxed);
  }

 private:
  SharedWord<T> value_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_ATOMIC_H_
