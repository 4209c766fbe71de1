// BackgroundCall: runs one function at a time on a second thread.
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
  // Waits for a call that is running. A call that was left for Wait to make is
  // not made.
  ~BackgroundCall();

  // Starts a call. To be called after Wait, if there was a call before. The
  // second thread takes no signals. If the system cannot start a thread, Wait
  // makes the call.
  void Start(std::function<Status()> work);
  // Waits for the call, and returns its result, or ok if there was no call.
  // Returns MemoryLimit if the call threw std::bad_alloc or std::length_error
  // on the second thread.
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
