// CallWatch: what a call of the package that works without the GIL shows to
// Python meanwhile: signals, progress, and exceptions of Python code that the
// library has called.
//
// Each writer has one, and each call that reads, since any number of threads
// may read the same tables. The library asks Poll now and then, on any thread.
// Files that are Python objects keep the exceptions of these objects here,
// since no exception passes through the library.
#ifndef ASHLAR_PYTHON_SRC_CALL_WATCH_H_
#define ASHLAR_PYTHON_SRC_CALL_WATCH_H_

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::python {

class CallWatch {
 public:
  CallWatch() = default;
  // Exceptions that `files` keeps count as those of the call: files that are
  // open for many calls do not know which one has read. What a file raises on
  // the thread of a call is that call's; what it raises on a thread that reads
  // for others may become that of any.
  explicit CallWatch(std::shared_ptr<CallWatch> files)
      : files_(std::move(files)) {}
  CallWatch(const CallWatch&) = delete;
  CallWatch& operator=(const CallWatch&) = delete;
  // With the GIL or without.
  ~CallWatch();

  // Called with the GIL, at the beginning of a call, on its thread.
  void Begin();

  // Returns whether the call must end: a signal handler of Python, or the
  // progress callback, has raised an exception. Called without the GIL, on any
  // thread. Only the thread of the call looks, and at most each 20 ms.
  bool Poll() noexcept;

  // Called with the GIL: as Poll, but looks at once.
  bool Look() noexcept;

  // Called with the GIL: keeps the exception, if it is the first one of the
  // call.
  void Keep(nanobind::python_error& error) noexcept;

  // Called with the GIL. Does nothing if the status is ok. Otherwise throws the
  // exception that was kept, or that of the status. `file` is what the call
  // works on, or empty.
  void Check(const Status& status, const std::string& file);

  // Called with the GIL at the end of a call that cannot throw. Drops the
  // exception that was kept, and returns the text of the status, which is not
  // ok, with that of the exception. An interrupt (KeyboardInterrupt) is raised
  // again when the main thread next executes Python code.
  std::string TextOf(const Status& status);

 private:
  friend class LookScope;
  // Returns the exception that was kept, if any, and keeps it no more.
  nanobind::object Take();
  // The same for files, of the call that this thread is in.
  nanobind::object TakeOfThread();

  const std::shared_ptr<CallWatch> files_;  // or null
  // Workers compare it while the next call begins.
  std::atomic<std::thread::id> caller_;
  std::chrono::steady_clock::time_point last_look_;
  std::atomic<bool> is_cancelled_{false};
  // Exceptions; guarded by the GIL. The second one is for files: those of
  // threads that are in a call.
  nanobind::object kept_;
  std::map<std::thread::id, nanobind::object> kept_of_threads_;
  std::function<void()> on_look_;  // empty: nothing; guarded by the GIL
};

// Has a function called with the GIL at each look of a watch, as long as this
// object lives. With the GIL, at both ends. The function must not refer to what
// ends before.
class LookScope {
 public:
  LookScope(CallWatch* watch, std::function<void()> on_look) : watch_(watch) {
    watch_->on_look_ = std::move(on_look);
  }
  LookScope(const LookScope&) = delete;
  LookScope& operator=(const LookScope&) = delete;
  ~LookScope() { watch_->on_look_ = nullptr; }

 private:
  CallWatch* const watch_;
};

// Throws the exception of the package for this status, which is not ok.
[[noreturn]] void Throw(const Status& status, const std::string& file,
                        nanobind::handle cause = {});

// Throws unless the status is ok.
inline void Check(const Status& status, const std::string& file = {}) {
  if (!status.ok()) Throw(status, file);
}

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_CALL_WATCH_H_
