// PackedSlices: numbered byte strings, stored one after another.
//
//   ends    a fixed32 each, or a fixed64 if the bytes are 4 GiB or more
//   bytes   of all strings
//
// A view of memory that the caller keeps. Thread-safe to read.
#ifndef ASHLAR_TABLE_INDEX_PACKED_SLICES_H_
#define ASHLAR_TABLE_INDEX_PACKED_SLICES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#include "ashlar/util/slice.h"
#include "table/index/memory_plan.h"
#include "util/coding/coding.h"

namespace ashlar::internal {

class PackedSlices {
 public:
  Slice operator[](size_t i) const {
    const uint64_t begin = i == 0 ? 0 : End(i - 1);
    return Slice(bytes_ + begin, static_cast<size_t>(End(i) - begin));
  }

  // Takes room for n strings with `bytes` bytes in all. If there is memory,
  // Append must then be called n times.
  void Plan(size_t n, uint64_t bytes, MemoryPlan* plan) {
    wide_ = bytes > std::numeric_limits<uint32_t>::max();
    ends_ = plan->Take<char>(n * Width(), sizeof(uint64_t));
    bytes_ = plan->Take<char>(static_cast<size_t>(bytes));
    filled_ = 0;
    end_ = 0;
  }
  void Append(const Slice& bytes) {
    AppendPart(bytes);
    EndString();
  }
  // The same for a string that comes in parts.
  void AppendPart(const Slice& bytes) {
    if (bytes.empty()) return;
    std::memcpy(bytes_ + end_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }
  void EndString() {
    char* const to = ends_ + filled_++ * Width();
    if (wide_) {
      StoreFixed64(to, end_);
    } else {
      StoreFixed32(to, static_cast<uint32_t>(end_));
    }
  }

 private:
  size_t Width() const { return wide_ ? sizeof(uint64_t) : sizeof(uint32_t); }
  uint64_t End(size_t i) const {
    return wide_ ? LoadFixed64(ends_ + i * sizeof(uint64_t))
                 : LoadFixed32(ends_ + i * sizeof(uint32_t));
  }

  char* ends_ = nullptr;
  char* bytes_ = nullptr;
  bool wide_ = false;
  // While strings are appended.
  size_t filled_ = 0;
  uint64_t end_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_PACKED_SLICES_H_
