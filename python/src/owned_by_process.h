// OwnedByProcess: what the child of a fork must not destroy.
//
// Writers have temporary files, which belong to the parent, and threads, which
// a child does not have. So a child forgets them: it loses a little memory.
#ifndef ASHLAR_PYTHON_SRC_OWNED_BY_PROCESS_H_
#define ASHLAR_PYTHON_SRC_OWNED_BY_PROCESS_H_

#include <unistd.h>

#include <memory>
#include <utility>

namespace ashlar::python {

template <typename T>
class OwnedByProcess {
 public:
  OwnedByProcess() = default;
  explicit OwnedByProcess(std::unique_ptr<T> object)
      : object_(std::move(object)), process_(getpid()) {}
  OwnedByProcess(OwnedByProcess&& other) noexcept = default;
  OwnedByProcess& operator=(OwnedByProcess&& other) noexcept {
    Reset();
    object_ = std::move(other.object_);
    process_ = other.process_;
    return *this;
  }
  ~OwnedByProcess() { Reset(); }

  // Destroys the object; in the child of a fork, forgets it.
  void Reset() {
    if (IsForeign()) {
      static_cast<void>(object_.release());
    } else {
      object_.reset();
    }
  }
  // Returns whether another process has made the object.
  bool IsForeign() const { return object_ != nullptr && process_ != getpid(); }

  T* get() const { return object_.get(); }
  T* operator->() const { return object_.get(); }
  explicit operator bool() const { return object_ != nullptr; }

 private:
  std::unique_ptr<T> object_;
  pid_t process_ = 0;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_OWNED_BY_PROCESS_H_
