// RowBytes: room for bytes that rows refer to and that are not in their lines.
//
// Bytes stay where they are until Clear. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BYTES_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BYTES_H_

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

#include "ashlar/util/slice.h"

namespace ashlar::tool {

class RowBytes {
 public:
  // Returns a copy of the bytes.
  Slice Keep(const Slice& bytes) {
    if (bytes.size() > room_) AddBlock(bytes.size());
    char* const to = next_;
    if (!bytes.empty()) std::memcpy(to, bytes.data(), bytes.size());
    next_ += bytes.size();
    room_ -= bytes.size();
    bytes_ += bytes.size();
    return {to, bytes.size()};
  }

  // Returns how many bytes are kept.
  size_t bytes() const { return bytes_; }

  void Clear() {
    blocks_.clear();
    bytes_ = 0;
    next_ = nullptr;
    room_ = 0;
  }

 private:
  void AddBlock(size_t least) {
    constexpr size_t kBlockBytes = size_t{64} << 10;
    const size_t size = std::max(least, kBlockBytes);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(size));
    next_ = blocks_.back().get();
    room_ = size;
  }

  std::vector<std::unique_ptr<char[]>> blocks_;
  char* next_ = nullptr;
  size_t room_ = 0;  // in the last block
  size_t bytes_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BYTES_H_
