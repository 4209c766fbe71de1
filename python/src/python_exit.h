// The end of the interpreter, and threads that call Python then.
//
// Files that are objects of Python are called on threads of the library, which
// take the GIL. Once the interpreter has begun to end, a thread that asks for
// the GIL, or gives it back, ends the process by an abort. So:
//
//   PythonCall   Around each such call: counts itself in `inside`, and then
//                looks whether `ending` is set. If so, there is no call.
//   EndCalls     The last call of the package, by atexit: sets `ending`, and
//                then waits until `inside` is zero.
//
// Both do first what the other looks at second, and all four are sequentially
// consistent. So either EndCalls waits for a call, or the call sees that it may
// not begin. The thread that ends the interpreter may still call Python, since
// it has the GIL anyway. Other threads of Python are daemons then, whose next
// wait for the GIL would abort too: they stay in PythonCall for ever, as
// CPython keeps them from version 3.14 on.
#ifndef ASHLAR_PYTHON_SRC_PYTHON_EXIT_H_
#define ASHLAR_PYTHON_SRC_PYTHON_EXIT_H_

#include "ashlar/util/status.h"

namespace ashlar::python {

class PythonCall {
 public:
  // Without the GIL.
  PythonCall();
  PythonCall(const PythonCall&) = delete;
  PythonCall& operator=(const PythonCall&) = delete;
  ~PythonCall();

  // Whether Python may be called. If not, the caller returns Ended().
  bool may_call() const { return may_call_; }
  static Status Ended() { return Status::Aborted("Python has ended"); }

 private:
  bool may_call_;
};

// With the GIL, which it gives away. Returns when no thread is in a call, or
// when a handler of a signal has raised an exception, which it throws.
void EndCalls();

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_PYTHON_EXIT_H_
