// AlignedBytes: a copy of bytes that begins at a cache line.
//
// For bytes that are read by the line, such as filters: otherwise nearly every
// line that is read would be in two lines of memory. Move-only. Not
// thread-safe.
#ifndef ASHLAR_UTIL_MEM_ALIGNED_BYTES_H_
#define ASHLAR_UTIL_MEM_ALIGNED_BYTES_H_

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "ashlar/util/slice.h"

namespace ashlar::internal {

class AlignedBytes {
 public:
  static constexpr size_t kAlignment = 64;

  // Copies the bytes. Returns false if there is no memory: it is empty then.
  [[nodiscard]] bool Assign(const Slice& bytes) {
    size_ = 0;
    data_.reset(
        static_cast<char*>(std::aligned_alloc(kAlignment, RoomFor(bytes))));
    if (data_ == nullptr) return false;
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
    size_ = bytes.size();
    return true;
  }

  Slice slice() const { return {data_.get(), size_}; }
  size_t size() const { return size_; }
  // Returns the bytes of memory that the copy takes.
  size_t room() const { return data_ == nullptr ? 0 : RoomFor(slice()); }

 private:
  static size_t RoomFor(const Slice& bytes) {
    return (bytes.size() / kAlignment + 1) * kAlignment;
  }
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_ALIGNED_BYTES_H_
