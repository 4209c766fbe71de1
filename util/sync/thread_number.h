// A number for each thread, by which threads choose among shards.
#ifndef ASHLAR_UTIL_SYNC_THREAD_NUMBER_H_
#define ASHLAR_UTIL_SYNC_THREAD_NUMBER_H_

#include <atomic>
#include <cstdint>

namespace ashlar::internal {

// In the order in which threads first ask, so that as many threads as there are
// shards have one each.
inline uint32_t ThreadNumber() {
  static constinit std::atomic<uint32_t> next = 0;
  // Plus one; 0 until it has one. Without a constructor a look is one load.
  static constinit thread_local uint32_t number = 0;
  if (number == 0) {
    number = next.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  return number - 1;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_THREAD_NUMBER_H_
