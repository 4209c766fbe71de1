// ThreadNumber: a small number for each thread, by which it chooses a shard.
//
// Internal, installed as a part of ConcurrentWriteBuffer. Thread-safe. Not the
// operating system's thread id. Numbers of threads that have ended are not used
// again.
#ifndef ASHLAR_UTIL_SYNC_THREAD_NUMBER_H_
#define ASHLAR_UTIL_SYNC_THREAD_NUMBER_H_

#include <atomic>
#include <cstdint>

namespace ashlar::internal {

// Returns the number of the calling thread, from 0, in the order in which
// threads first call this. So if there are as many threads as shards, each
// thread has its own.
inline uint32_t ThreadNumber() {
  static constinit std::atomic<uint32_t> next = 0;
  // The number plus 1, or 0 until the thread has one. Since this needs no
  // constructor, reading it is one load.
  static constinit thread_local uint32_t number = 0;
  if (number == 0) {
    number = next.fetch_add(1, std::memory_order_relaxed) + 1;
  }
  return number - 1;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_THREAD_NUMBER_H_
