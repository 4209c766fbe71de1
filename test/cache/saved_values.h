// Counted values that a second tier can save and create again.
#ifndef ASHLAR_TEST_CACHE_SAVED_VALUES_H_
#define ASHLAR_TEST_CACHE_SAVED_VALUES_H_

#include <algorithm>
#include <cstring>
#include <string>

#include "test/cache/counted_values.h"

namespace ashlar::testing {

// Returns what every value of a key saves: bytes that identify the key and
// compress well.
inline std::string SavedBytesOf(const CacheKey& key) {
  std::string bytes(sizeof key, '\0');
  std::memcpy(bytes.data(), &key, sizeof key);
  const size_t more = 100 + (key.block >> 3) % 300;
  for (size_t i = 0; i < more; ++i) {
    bytes.push_back(static_cast<char>('a' + i % 7));
  }
  return bytes;
}

// The context of a lookup: where it creates values, and whether it does.
struct CreateCounted {
  enum class Answer { kMake, kRefuse, kNotNow };

  CountedValues* values;
  size_t charge = 1000;
  Answer answer = Answer::kMake;
  int times_called = 0;
};

inline size_t SavedSizeOfCounted(const void* value) {
  return SavedBytesOf(static_cast<const CountedValue*>(value)->key).size();
}
inline void SaveCounted(const void* value, char* out) {
  const auto* const counted = static_cast<const CountedValue*>(value);
  EXPECT_EQ(counted->times_ended, 0);
  const std::string bytes = SavedBytesOf(counted->key);
  std::copy(bytes.begin(), bytes.end(), out);
}
inline Status CreateCountedValue(const Slice& saved, const void* context,
                                 MemoryAllocator* /*allocator*/, void** value,
                                 size_t* charge) {
  auto* const create =
      const_cast<CreateCounted*>(static_cast<const CreateCounted*>(context));
  ++create->times_called;
  if (create->answer == CreateCounted::Answer::kRefuse) {
    return Status::Corruption("refused");
  }
  if (create->answer == CreateCounted::Answer::kNotNow) return {};
  CacheKey key;
  EXPECT_GE(saved.size(), sizeof key);
  std::memcpy(&key, saved.data(), sizeof key);
  EXPECT_EQ(saved.ToString(), SavedBytesOf(key));
  *value = create->values->Make(key, create->charge);
  *charge = create->charge;
  return {};
}

inline constexpr CacheItemOps kSavedOps = {
    CacheEntryRole::kDataBlock, EndCounted,  CountedSize,
    SavedSizeOfCounted,         SaveCounted, CreateCountedValue};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_CACHE_SAVED_VALUES_H_
