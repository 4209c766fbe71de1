// AlignedBytes: bytes that begin at a cache line.
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
#include "port/new_pages.h"

namespace ashlar::internal {

class AlignedBytes {
 public:
  static constexpr size_t kAlignment = 64;

  // Makes room for n bytes, which are not set. Returns false if there is no
  // memory: it is empty then.
  [[nodiscard]] bool Resize(size_t n) {
    size_ = 0;
    room_ = 0;
    const size_t room = (n / kAlignment + 1) * kAlignment;
    data_.reset(static_cast<char*>(std::aligned_alloc(kAlignment, room)));
    if (data_ == nullptr) return false;
    port::TouchNewPages(data_.get(), room);
    size_ = n;
    room_ = room;
    return true;
  }
  // Copies the bytes. Returns false if there is no memory: it is empty then.
  [[nodiscard]] bool Assign(const Slice& bytes) {
    if (!Resize(bytes.size())) return false;
    if (!bytes.empty()) std::memcpy(data_.get(), bytes.data(), bytes.size());
    return true;
  }
  // Drops the bytes from n on; their memory stays. Requires: n <= size().
  void Truncate(size_t n) { size_ = n; }

  char* data() { return data_.get(); }
  Slice slice() const { return {data_.get(), size_}; }
  size_t size() const { return size_; }
  // Returns the bytes of memory that it takes.
  size_t room() const { return room_; }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };

  std::unique_ptr<char, Free> data_;
  size_t size_ = 0;
  size_t room_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_MEM_ALIGNED_BYTES_H_
