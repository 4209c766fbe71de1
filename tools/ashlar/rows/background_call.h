// BackgroundCall: one function at a time on a second thread.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_BACKGROUND_CALL_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_BACKGROUND_CALL_H_

#include <pthread.h>

#include <functional>

#include "ashlar/util/status.h"

namespace ashlar::tool {

class BackgroundCall {
 public:
  BackgroundCall() = default;
  BackgroundCall(const BackgroundCall&) = delete;
  BackgroundCall& operator=(const BackgroundCall&) = delete;
  // Waits; what was not begun is left.
  ~BackgroundCall();

  // After Wait. Signals go to the other threads. Where the system has no
  // thread to give, Wait does the work.
  void Start(std::function<Status()> work);
  // What the call came to; ok when there was none. MemoryLimit where it threw
  // for want of memory.
  Status Wait();

 private:
  static void* Run(void* call);

  std::function<Status()> work_;
  Status status_;
  bool is_running_ = false;
  pthread_t thread_ = {};
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_BACKGROUND_CALL_H_
