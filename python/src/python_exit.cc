#include "python/src/python_exit.h"

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

namespace ashlar::python {

namespace nb = nanobind;

namespace {

std::atomic<bool> ending{false};
std::atomic<std::thread::id> ends_here;
// A call during which a thread forks ends in both processes, so it may become
// negative in a child.
std::atomic<int64_t> inside{0};

// A child has none of the other threads.
void ForgetCalls() { inside.store(0); }
[[maybe_unused]] const int forgets =
    pthread_atfork(nullptr, nullptr, ForgetCalls);

bool HasEndedForThisThread() {
  return ending.load() && ends_here.load() != std::this_thread::get_id();
}

}  // namespace

PythonCall::PythonCall() {
  inside.fetch_add(1);
  may_call_ = !HasEndedForThisThread();
  if (may_call_) return;
  inside.fetch_sub(1);
  // Only threads of Python have this.
  while (PyGILState_GetThisThreadState() != nullptr) pause();
}

PythonCall::~PythonCall() {
  if (may_call_) inside.fetch_sub(1);
}

void EndCalls() {
  ends_here.store(std::this_thread::get_id());
  ending.store(true);
  while (inside.load() > 0) {
    {
      const nb::gil_scoped_release release;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }
}

}  // namespace ashlar::python
