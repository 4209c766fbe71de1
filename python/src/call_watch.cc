#include "python/src/call_watch.h"

#include <new>
#include <utility>

namespace ashlar::python {

namespace nb = nanobind;

namespace {

// The files of the call that this thread is in, to be compared only: they may
// be gone.
thread_local const CallWatch* files_of_call = nullptr;

}  // namespace

// After the end of the interpreter the exceptions stay where they are.
CallWatch::~CallWatch() {
  if (!kept_.is_valid() && kept_of_threads_.empty()) return;
  if (Py_IsInitialized() == 0) {
    static_cast<void>(kept_.release());
    for (auto& each : kept_of_threads_) {
      static_cast<void>(each.second.release());
    }
    return;
  }
  const nb::gil_scoped_acquire gil;
  kept_.reset();
  kept_of_threads_.clear();
}

// A worker may have kept an exception between two calls. Its error comes with
// this call or a later one, so the exception stays.
void CallWatch::Begin() {
  caller_.store(std::this_thread::get_id(), std::memory_order_relaxed);
  last_look_ = std::chrono::steady_clock::now();
  is_cancelled_.store(false, std::memory_order_relaxed);
  files_of_call = files_.get();
  if (files_ != nullptr) files_->TakeOfThread();
}

nb::object CallWatch::Take() {
  files_of_call = nullptr;
  nb::object of_files =
      files_ != nullptr ? files_->TakeOfThread() : nb::object();
  nb::object kept = std::exchange(kept_, nb::object());
  return kept.is_valid() ? kept : of_files;
}

nb::object CallWatch::TakeOfThread() {
  nb::object of_others = std::exchange(kept_, nb::object());
  auto own = kept_of_threads_.extract(std::this_thread::get_id());
  return own.empty() ? of_others : std::move(own.mapped());
}

bool CallWatch::Poll() noexcept {
  if (is_cancelled_.load(std::memory_order_relaxed)) return true;
  if (std::this_thread::get_id() != caller_.load(std::memory_order_relaxed)) {
    return false;
  }
  const auto now = std::chrono::steady_clock::now();
  if (now - last_look_ < std::chrono::milliseconds(20)) return false;
  last_look_ = now;
  nb::gil_scoped_acquire gil;
  return Look();
}

bool CallWatch::Look() noexcept {
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (on_look_) on_look_();
  } catch (nb::python_error& error) {
    Keep(error);
    is_cancelled_.store(true, std::memory_order_relaxed);
    return true;
  } catch (...) {
    is_cancelled_.store(true, std::memory_order_relaxed);
    return true;
  }
  return false;
}

void CallWatch::Keep(nb::python_error& error) noexcept {
  nb::object* place = &kept_;
  if (files_of_call == this) {
    try {
      place = &kept_of_threads_[std::this_thread::get_id()];
    } catch (const std::bad_alloc&) {
      return;  // the status says what happened
    }
  }
  if (!place->is_valid()) *place = nb::borrow(error.value());
}

void CallWatch::Check(const Status& status, const std::string& file) {
  if (status.ok()) return;
  const nb::object kept = Take();
  if (!kept.is_valid()) Throw(status, file);
  // What stops a program, and what a callback says, passes as it is. Of an
  // error of a file, the package's exception says which file it was.
  const bool is_of_file =
      status.IsIOError() &&
      PyErr_GivenExceptionMatches(kept.ptr(), PyExc_Exception) != 0;
  if (is_of_file) Throw(status, file, kept);
  PyErr_SetObject(kept.type().ptr(), kept.ptr());
  throw nb::python_error();
}

std::string CallWatch::TextOf(const Status& status) {
  const nb::object kept = Take();
  std::string text = status.ToString();
  if (!kept.is_valid()) return text;
  bool is_interrupt =
      PyErr_GivenExceptionMatches(kept.ptr(), PyExc_KeyboardInterrupt) != 0;
  // The status of a file has the text of its exception.
  if (!status.IsIOError()) {
    try {
      const nb::str shown = nb::repr(kept);
      const char* const bytes = shown.c_str();
      if (bytes != nullptr) {
        text.append(": ").append(bytes);
      } else {
        PyErr_Clear();
      }
    } catch (const nb::python_error& error) {
      is_interrupt = is_interrupt || error.matches(PyExc_KeyboardInterrupt);
    }
  }
  // Last: repr() looks for signals, and would lose it.
  if (is_interrupt) PyErr_SetInterrupt();
  return text;
}

void Throw(const Status& status, const std::string& file, nb::handle cause) {
  const std::string_view text = status.message();
  const nb::object make = nb::module_::import_("ashlar._errors").attr("make");
  const nb::object error =
      make(static_cast<int>(status.code()), static_cast<int>(status.subcode()),
           nb::str(text.data(), text.size()), nb::str(file.data(), file.size()),
           cause.is_valid() ? nb::borrow(cause) : nb::none());
  PyErr_SetObject(error.type().ptr(), error.ptr());
  throw nb::python_error();
}

}  // namespace ashlar::python
