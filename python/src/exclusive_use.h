// ExclusiveUse: refuses a second thread in an object that one thread at a time
// may use. A call gives the GIL away, so without this another thread of Python
// could enter meanwhile.
#ifndef ASHLAR_PYTHON_SRC_EXCLUSIVE_USE_H_
#define ASHLAR_PYTHON_SRC_EXCLUSIVE_USE_H_

#include <stdexcept>

namespace ashlar::python {

// With the GIL, at both ends.
class ExclusiveUse {
 public:
  explicit ExclusiveUse(bool* is_used) : is_used_(is_used) {
    if (*is_used) {
      throw std::runtime_error("the object is in use by another thread");
    }
    *is_used_ = true;
  }
  ExclusiveUse(const ExclusiveUse&) = delete;
  ExclusiveUse& operator=(const ExclusiveUse&) = delete;
  ~ExclusiveUse() { *is_used_ = false; }

 private:
  bool* const is_used_;
};

}  // namespace ashlar::python

#endif  // ASHLAR_PYTHON_SRC_EXCLUSIVE_USE_H_
