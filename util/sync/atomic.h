// Atomics whose memory order stands in the name of the type.
//
// Code that shares words between threads says here, by its choice of type, what
// else those words publish. Only what sleeps on words (semaphores, claims)
// names std::atomic itself.
#ifndef ASHLAR_UTIL_SYNC_ATOMIC_H_
#define ASHLAR_UTIL_SYNC_ATOMIC_H_

#include <atomic>
#include <cstdint>

#include "ashlar/util/sync/schedule_point.h"

namespace ashlar::internal {

// A counter or hint: atomic by itself, publishes nothing else.
template <typename T>
class RelaxedAtomic {
 public:
  constexpr RelaxedAtomic() : value_(T()) {}
  constexpr explicit RelaxedAtomic(T value) : value_(value) {}

  T Load() const { return value_.load(std::memory_order_relaxed); }
  void Store(T value) { value_.store(value, std::memory_order_relaxed); }
  // The value before.
  T FetchAdd(T n) { return value_.fetch_add(n, std::memory_order_relaxed); }
  T FetchSub(T n) { return value_.fetch_sub(n, std::memory_order_relaxed); }
  // May fail for no reason; *expected is then what is there.
  bool CompareExchange(T* expected, T desired) {
    return value_.compare_exchange_weak(*expected, desired,
                                        std::memory_order_relaxed);
  }

 private:
  std::atomic<T> value_;
};

// How many refer to something. Who adds one has one already, which needs no
// order; who drops one hands over what it did, and the last sees all of it.
class SharedCount {
 public:
  constexpr explicit SharedCount(uint64_t count) : count_(count) {}

  void Add() { count_.fetch_add(1, std::memory_order_relaxed); }
  // True: nobody refers to it any more. Where there is but one, nobody else can
  // add to it, and a look is enough.
  bool DropIsLast() {
    SchedulePoint();
    return count_.load(std::memory_order_acquire) == 1 ||
           count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }

 private:
  std::atomic<uint64_t> count_;
};

// A pointer that is set once, by whoever comes first; what it points to is
// complete for everyone who sees it. Does not own.
template <typename T>
class PublishedPointer {
 public:
  // Null until one is published.
  T* Load() const { return pointer_.load(std::memory_order_acquire); }
  // The pointer that is there from now on: this one, or one that was faster.
  T* PublishFirst(T* pointer) {
    T* seen = nullptr;
    return pointer_.compare_exchange_strong(seen, pointer,
                                            std::memory_order_acq_rel,
                                            std::memory_order_acquire)
               ? pointer
               : seen;
  }

 private:
  std::atomic<T*> pointer_{nullptr};
};

// A word that hands over what was written before: every change publishes, every
// look sees what was published.
template <typename T>
class AcqRelAtomic {
 public:
  constexpr explicit AcqRelAtomic(T value) : value_(value) {}

  // No place to yield: loops that wait a moment look here again and again.
  T Load() const { return value_.load(std::memory_order_acquire); }
  // Where one thread alone changes it.
  void Store(T value) {
    SchedulePoint();
    value_.store(value, std::memory_order_release);
  }
  // May fail for no reason; *expected is then what is there.
  bool CompareExchange(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_weak(*expected, desired,
                                        std::memory_order_acq_rel,
                                        std::memory_order_acquire);
  }

 private:
  std::atomic<T> value_;
};

// A word that many threads change at once, each change of an order of its own:
// what takes hold of things acquires, what lets go of them releases.
template <typename T>
class HoldAtomic {
 public:
  constexpr explicit HoldAtomic(T value) : value_(value) {}

  T LoadRelaxed() const { return value_.load(std::memory_order_relaxed); }
  void StoreRelease(T value) {
    SchedulePoint();
    value_.store(value, std::memory_order_release);
  }
  // The value before, of all these.
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
  // Fails only where something else is there, which is then *expected.
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
  std::atomic<T> value_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_ATOMIC_H_
