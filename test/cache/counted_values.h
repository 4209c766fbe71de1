// Values for caches that count how often they were ended.
//
// A CountedValues owns all its values until the end of the test. So a value
// that is ended twice or used after its end is reported, not only undefined.
// One thread makes the values of a CountedValues; any thread may end them.
#ifndef ASHLAR_TEST_CACHE_COUNTED_VALUES_H_
#define ASHLAR_TEST_CACHE_COUNTED_VALUES_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "ashlar/cache/cache.h"

namespace ashlar::testing {

struct CountedValue {
  CountedValue(uint64_t its_id, CacheKey its_key, size_t its_charge)
      : id(its_id), key(its_key), charge(its_charge) {}

  const uint64_t id;
  const CacheKey key;
  const size_t charge;
  std::atomic<int> times_ended = 0;
  MemoryAllocator* ended_with = nullptr;

  static CountedValue* Of(void* value) {
    return static_cast<CountedValue*>(value);
  }
  static CountedValue* Of(const CacheHandle* handle) {
    return Of(handle->value());
  }
};

inline void EndCounted(void* value, MemoryAllocator* allocator) {
  CountedValue* const counted = CountedValue::Of(value);
  counted->ended_with = allocator;
  ++counted->times_ended;
}
inline constexpr size_t kCountedBytes = 7;  // returned by `size`
inline size_t CountedSize(const void* /*value*/) { return kCountedBytes; }

inline constexpr CacheItemOps kCountedOps = {CacheEntryRole::kDataBlock,
                                             EndCounted, CountedSize};

class CountedValues {
 public:
  CountedValue* Make(const CacheKey& key, size_t charge) {
    return &values_.emplace_back(values_.size(), key, charge);
  }

  const std::deque<CountedValue>& all() const { return values_; }
  size_t Ended() const {
    return static_cast<size_t>(std::count_if(
        values_.begin(), values_.end(),
        [](const CountedValue& value) { return value.times_ended > 0; }));
  }
  bool EachEndedOnce() const {
    return std::all_of(
        values_.begin(), values_.end(),
        [](const CountedValue& value) { return value.times_ended == 1; });
  }

 private:
  std::deque<CountedValue> values_;
};

// Returns keys like those of the blocks of one file.
inline CacheKey TestKey(uint64_t n) {
  return CacheKey{0x1234567890abcdef, 0xfedcba0987654321}.AtOffset(n * 4096);
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_COUNTED_VALUES_H_
