// Buffer: bytes that grow without being cleared first.
//
// Blocks are built, read and decompressed into it. Unlike std::string, growing
// does not write zeros that are overwritten at once. kSlack bytes beyond size()
// may always be read and overwritten, so that hot loops can copy whole words.
// If the first reservation is not small, the bytes begin at a cache line.
// Move-only. Not thread-safe.
#ifndef ASHLAR_UTIL_MEM_BUFFER_H_
#define ASHLAR_UTIL_MEM_BUFFER_H_

#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "ashlar/util/slice.h"

namespace ashlar::internal {

class Buffer {
 public:
  // Bytes beyond size() that belong to the allocation.
  static constexpr size_t kSlack = 64;

  Buffer() = default;
  Buffer(Buffer&& other) noexcept
      : data_(std::move(other.data_)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    return *this;
  }

  char* data() { return data_.get(); }
  const char* data() const { return data_.get(); }
  size_t size() const { return size_; }
  size_t capacity() const { return capacity_; }
  bool empty() const { return size_ == 0; }
  char* end() { return data_.get() + size_; }
  Slice slice() const { return Slice(data_.get(), size_); }
  void clear() { size_ = 0; }

  // Makes room for `extra` more bytes beyond size(). The contents stay. Throws
  // std::bad_alloc if there is no memory or the sum overflows.
  void Reserve(size_t extra) {
    if (capacity_ - size_ < extra) [[unlikely]] {
      if (!Grow(extra)) throw std::bad_alloc();
    }
  }
  // Does the same for callers that can say what there is no memory for: returns
  // false instead of throwing.
  [[nodiscard]] bool TryReserve(size_t extra) {
    return capacity_ - size_ >= extra || Grow(extra);
  }
  // Returns the bytes of memory that it takes now, and those that it would take
  // after Reserve(extra). While it grows it may take both.
  size_t room() const { return data_ == nullptr ? 0 : RoomOf(capacity_); }
  size_t RoomWith(size_t extra) const {
    return capacity_ - size_ >= extra ? room() : RoomOf(CapacityWith(extra));
  }
  // Adds `n` bytes, which were written at end(), to the size. Requires: they
  // were reserved.
  void Advance(size_t n) {
    assert(n <= capacity_ - size_);
    size_ += n;
  }
  void Truncate(size_t n) {
    assert(n <= size_);
    size_ = n;
  }
  void Append(const Slice& bytes) {
    Reserve(bytes.size());
    if (!bytes.empty()) std::memcpy(end(), bytes.data(), bytes.size());
    size_ += bytes.size();
  }
  void PushBack(char byte) {
    Reserve(1);
    *end() = byte;
    ++size_;
  }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  static constexpr size_t kAlignedFrom = 4096;
  static constexpr size_t kMax = ~size_t{0} / 2 - 3 * kSlack;

  static size_t RoomOf(size_t capacity) { return capacity + 2 * kSlack; }
  // Requires: extra <= kMax - size_.
  size_t CapacityWith(size_t extra) const {
    const size_t wanted = size_ + extra;
    return wanted < capacity_ * 2 && capacity_ * 2 <= kMax ? capacity_ * 2
                                                           : wanted;
  }
  bool Grow(size_t extra) {
    if (extra > kMax - size_) return false;
    const size_t wanted = CapacityWith(extra);
    // Otherwise, realloc would copy what is of no use any more.
    if (size_ == 0) {
      data_.reset();
      capacity_ = 0;
    }
    void* const grown =
        data_ == nullptr && wanted >= kAlignedFrom
            ? std::aligned_alloc(kSlack, (wanted / kSlack + 2) * kSlack)
            : std::realloc(data_.get(), wanted + kSlack);
    if (grown == nullptr) return false;
    static_cast<void>(data_.release());
    data_.reset(static_cast<char*>(grown));
    capacity_ = wanted;
    return true;
  }

  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_BUFFER_H_
