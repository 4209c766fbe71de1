// MemoryPlan: lays out several arrays in one allocation.
//
// The same code runs twice. The first run, without memory, only adds up sizes.
// The second has memory of that size and gets the addresses.
//
// One thread uses each object.
#ifndef ASHLAR_TABLE_INDEX_MEMORY_PLAN_H_
#define ASHLAR_TABLE_INDEX_MEMORY_PLAN_H_

#include <cassert>
#include <cstddef>

namespace ashlar::internal {

class MemoryPlan {
 public:
  static constexpr size_t kAlignment = 64;

  // Only adds up.
  MemoryPlan() = default;
  // Requires: `memory` begins at a multiple of kAlignment.
  explicit MemoryPlan(char* memory) : memory_(memory) {}

  bool has_memory() const { return memory_ != nullptr; }
  size_t bytes() const { return bytes_; }
  // Returns room for n objects; null while there is no memory.
  template <typename T>
  T* Take(size_t n, size_t alignment = alignof(T)) {
    assert(alignment <= kAlignment);
    bytes_ = (bytes_ + alignment - 1) / alignment * alignment;
    char* const taken = memory_ == nullptr ? nullptr : memory_ + bytes_;
    bytes_ += n * sizeof(T);
    return reinterpret_cast<T*>(taken);
  }

 private:
  char* memory_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_MEMORY_PLAN_H_
