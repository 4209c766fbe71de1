// OneOrderAtomic: words whose changes all threads see in one and the same
// order.
//
// For protocols in which a thread changes one word and then looks at another,
// and must not miss a thread that does it the other way round. All words of
// this type share one order. A load is a plain load on x86-64. Every change
// costs as much as the most expensive one. Thread-safe.
#ifndef ASHLAR_UTIL_SYNC_ONE_ORDER_ATOMIC_H_
#define ASHLAR_UTIL_SYNC_ONE_ORDER_ATOMIC_H_

#include <atomic>

#include "ashlar/util/sync/schedule_point.h"
#include "ashlar/util/sync/shared_word.h"

namespace ashlar::internal {

template <typename T>
class OneOrderAtomic {
 public:
  constexpr OneOrderAtomic() : value_(T()) {}
  constexpr explicit OneOrderAtomic(T value) : value_(value) {}

  T Load() const {
    LookPoint();
    return value_.load(std::memory_order_seq_cst);
  }
  // All of these return the value before the change.
  T Exchange(T value) {
    SchedulePoint();
    return value_.exchange(value, std::memory_order_seq_cst);
  }
  T FetchAdd(T n) {
    SchedulePoint();
    return value_.fetch_add(n, std::memory_order_seq_cst);
  }
  T FetchSub(T n) {
    SchedulePoint();
    return value_.fetch_sub(n, std::memory_order_seq_cst);
  }
  T FetchOr(T bits) {
    SchedulePoint();
    return value_.fetch_or(bits, std::memory_order_seq_cst);
  }
  T FetchAnd(T bits) {
    SchedulePoint();
    return value_.fetch_and(bits, std::memory_order_seq_cst);
  }
  // Returns false only if the word is not *expected, and then sets *expected to
  // the word.
  bool CompareExchange(T* expected, T desired) {
    SchedulePoint();
    return value_.compare_exchange_strong(*expected, desired,
                                          std::memory_order_seq_cst);
  }

 private:
  SharedWord<T> value_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_ONE_ORDER_ATOMIC_H_
