// A mutex that Clang's thread-safety analysis understands.
//
// For state that is touched rarely; nothing hot waits here. GUARDED_BY-style
// attributes are spelled as they are, since there are few.
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

class ASHLAR_THREAD_ATTRIBUTE(capability("mutex")) Mutex {
 public:
  void Lock() ASHLAR_THREAD_ATTRIBUTE(acquire_capability()) {
    SchedulePoint();
    mutex_.lock();
  }
  void Unlock() ASHLAR_THREAD_ATTRIBUTE(release_capability()) {
    mutex_.unlock();
    SchedulePoint();
  }

 private:
  std::mutex mutex_;
};

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
