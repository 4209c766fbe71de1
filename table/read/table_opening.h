// Opening: one thread opens a table for a table cache, and others wait for it.
//
// Used by table_cache.cc alone, which says which thread may do what when.
#ifndef ASHLAR_TABLE_READ_TABLE_OPENING_H_
#define ASHLAR_TABLE_READ_TABLE_OPENING_H_

#include <cstdint>

#include "ashlar/cache/cache.h"
#include "ashlar/util/status.h"
#include "port/threads.h"
#include "util/sync/semaphore.h"

namespace ashlar::internal {

// One opening of a table. The opening thread writes it under the cache's mutex.
struct Opening {
  // Under the mutex.
  uint32_t waiters = 0;
  bool is_forgotten = false;  // by Evict
  bool is_deleted = false;    // by EvictDeleted
  const uint32_t forks = port::num_forks;

  // The outcome, for waiters that have a token. With a handle: each waiter owns
  // one reference. Without: the error, or OK if the waiter must try itself.
  CountingSemaphore ended;
  CacheHandle* handle = nullptr;
  Status status;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_TABLE_OPENING_H_
