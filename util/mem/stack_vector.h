// StackVector: up to kMost objects, one after the other, within the object
// itself.
//
// Unlike those of a std::array, objects are made when they are added, so room
// that is not used costs nothing. Not copied or moved. Not thread-safe.
#ifndef ASHLAR_UTIL_MEM_STACK_VECTOR_H_
#define ASHLAR_UTIL_MEM_STACK_VECTOR_H_

#include <cassert>
#include <cstddef>
#include <memory>
#include <new>
#include <utility>

namespace ashlar::internal {

template <typename T, size_t kMost>
class StackVector {
 public:
  StackVector() = default;
  StackVector(const StackVector&) = delete;
  StackVector& operator=(const StackVector&) = delete;
  ~StackVector() { clear(); }

  bool empty() const { return size_ == 0; }
  size_t size() const { return size_; }
  // Requires: there is room.
  template <typename... Args>
  T& Add(Args&&... args) {
    assert(size_ < kMost);
    T* const made =
        new (room_ + size_ * sizeof(T)) T{std::forward<Args>(args)...};
    ++size_;
    return *made;
  }
  void RemoveLast() {
    assert(size_ > 0);
    std::destroy_at(begin() + --size_);
  }
  void clear() {
    while (size_ > 0) RemoveLast();
  }
  T* begin() { return std::launder(reinterpret_cast<T*>(room_)); }
  T* end() { return begin() + size_; }
  const T* begin() const {
    return std::launder(reinterpret_cast<const T*>(room_));
  }
  const T* end() const { return begin() + size_; }

 private:
  size_t size_ = 0;
  alignas(T) char room_[kMost * sizeof(T)];
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_STACK_VECTOR_H_
