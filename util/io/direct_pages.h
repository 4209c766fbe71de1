// DirectPages: memory that begins at a page, as direct I/O wants it.
//
// Used by the files that read and write past the page cache. Move-only. Not
// thread-safe.
#ifndef ASHLAR_UTIL_IO_DIRECT_PAGES_H_
#define ASHLAR_UTIL_IO_DIRECT_PAGES_H_

#include <cstddef>
#include <cstdlib>
#include <memory>

#include "port/posix_io.h"

namespace ashlar::internal {

class DirectPages {
 public:
  // Returns memory for n bytes, whose contents are not set; null if there is
  // none. Requires: n is a multiple of port::kDirectPage.
  char* Take(size_t n) {
    if (n > size_) {
      memory_.reset(
          static_cast<char*>(std::aligned_alloc(port::kDirectPage, n)));
      size_ = memory_ == nullptr ? 0 : n;
    }
    return memory_.get();
  }
  // A thread must not keep the memory of one huge read for ever.
  void Trim() {
    constexpr size_t kMostKept = size_t{1} << 20;
    if (size_ > kMostKept) *this = DirectPages();
  }
  char* data() { return memory_.get(); }

 private:
  struct Free {
    void operator()(char* p) const { std::free(p); }
  };
  std::unique_ptr<char, Free> memory_;
  size_t size_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_IO_DIRECT_PAGES_H_
