// A mutex that Clang's thread-safety analysis understands.
//
// Internal, installed as a part of FifoCache. For state that is touched rarely:
// nothing on a hot path waits here. The attributes are written out in full,
// because there are few. Not recursive, and there is no condition variable.
#ifndef ASHLAR_UTIL_SYNC_MUTEX_H_
#define ASHLAR_UTIL_SYNC_MUTEX_H_

#include <mutex>

#include "ashlar/util/sync/schedule_point.h"

#if defined(__clang__)
#define ASHLAR_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define ASHLAR_THREAD_ATTRIBUTE(x)
#endif

namespace ashlar::internal {

// As std::mutex. Requires for Unlock: the calling thread holds it.
class ASHLAR_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void Lock() ASHLAR_THREAD_ATTRIBUTE(acquire_capability()) {
    SchedulePoint();
    LockMutex(&mutex_);
  }
  void Unlock() ASHLAR_THREAD_ATTRIBUTE(release_capability()) {
    UnlockMutex(&mutex_);
    SchedulePoint();
  }

 private:
  std::mutex mutex_;
};

// Holds a mutex as long as this object lives. Requires: the mutex outlives it,
// and the calling thread does not hold the mutex already.
class ASHLAR_THREAD_ATTRIBUTE(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex* mutex)
      ASHLAR_THREAD_ATTRIBUTE(acquire_capability(mutex))
      : mutex_(mutex) {
    mutex_->Lock();
  }
  ~MutexLock() ASHLAR_THREAD_ATTRIBUTE(release_capability()) {
    mutex_->Unlock();
  }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex* const mutex_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_SYNC_MUTEX_H_
