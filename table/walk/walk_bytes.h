// WalkBytes: the bytes of a file, for a walk that looks for blocks.
//
// The walk moves forward, and looks at headers far ahead now and then. So there
// are two windows: a large one that moves with the walk, and a small one for
// the looks ahead. What the file cannot read is zeros here, since a walk goes
// on after damage of any kind. Memory: the large window, or the largest piece
// that was asked for. One thread at a time.
#ifndef ASHLAR_TABLE_WALK_WALK_BYTES_H_
#define ASHLAR_TABLE_WALK_WALK_BYTES_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "ashlar/util/file.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

class WalkBytes {
 public:
  // Requires: the file outlives this.
  WalkBytes(const RandomAccessFile* file, uint64_t window_bytes)
      : file_(file), size_(file->Size()), window_bytes_(window_bytes) {}

  uint64_t size() const { return size_; }
  // Returns the bytes [offset, offset + n), fewer if the file ends. They live
  // until the next call of any function.
  Slice Get(uint64_t offset, uint64_t n);
  // Returns the bytes from `offset` on: n or more, fewer if the file ends. For
  // looks ahead: n is small.
  Slice Peek(uint64_t offset, uint64_t n);

 private:
  struct Window {
    uint64_t begin = 0;
    Slice bytes;
    std::unique_ptr<char[]> buffer;
    uint64_t capacity = 0;

    bool Has(uint64_t offset, uint64_t n) const {
      return offset >= begin && offset - begin <= bytes.size() &&
             n <= bytes.size() - (offset - begin);
    }
    Slice From(uint64_t offset) const {
      return {bytes.data() + (offset - begin),
              static_cast<size_t>(bytes.size() - (offset - begin))};
    }
  };

  void Fill(uint64_t offset, uint64_t n, Window* window);
  void FillInPieces(uint64_t offset, uint64_t n, Window* window);

  static constexpr uint64_t kSmallBytes = 4096;

  const RandomAccessFile* const file_;
  const uint64_t size_;
  const uint64_t window_bytes_;
  Window large_;
  Window small_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WALK_WALK_BYTES_H_
