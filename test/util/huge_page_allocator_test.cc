// Objects of all sizes, freed in any order: they are aligned, do not overlap,
// and have the size that UsableSize returns.

#include "ashlar/util/huge_page_allocator.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "test/support/random.h"

namespace ashlar::testing {
namespace {

struct Object {
  unsigned char* memory;
  size_t size;
  unsigned char filler;
};

bool IsFilled(const Object& object) {
  for (size_t i = 0; i < object.size; ++i) {
    if (object.memory[i] != object.filler) return false;
  }
  return true;
}

size_t AnySize(Random* random) {
  switch (random->Below(4)) {
    case 0:
      return random->Below(600);
    case 1:
      return random->Below(70000);
    case 2:
      return random->OneIn(10) ? random->Below(600000) : 4400;
    default:
      return 4096 + random->Below(600);
  }
}

TEST(HugePageAllocator, ObjectsAreApart) {
  ForEachSeed(1, 4, [](uint64_t seed) {
    Random random(seed);
    const std::shared_ptr<MemoryAllocator> allocator = NewHugePageAllocator();
    std::vector<Object> objects;
    for (int i = 0; i < 6000; ++i) {
      // The number of objects grows, stays level, and shrinks to nearly none.
      const bool takes = i < 2000   ? !random.OneIn(4)
                         : i < 4000 ? random.OneIn(2)
                                    : random.OneIn(4);
      if (takes || objects.empty()) {
        const size_t size = AnySize(&random);
        auto* const memory =
            static_cast<unsigned char*>(allocator->Allocate(size));
        ASSERT_NE(memory, nullptr);
        ASSERT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
        const size_t usable = allocator->UsableSize(memory, size);
        ASSERT_GE(usable, size);
        ASSERT_LE(usable, 512 + (size + 64) * 9 / 8);
        const auto filler = static_cast<unsigned char>(random.Next());
        std::memset(memory, filler, size);
        objects.push_back({memory, size, filler});
        continue;
      }
      std::swap(objects[random.Below(objects.size())], objects.back());
      ASSERT_TRUE(IsFilled(objects.back()));
      allocator->Deallocate(objects.back().memory);
      objects.pop_back();
    }
    for (const Object& object : objects) {
      ASSERT_TRUE(IsFilled(object));
      allocator->Deallocate(object.memory);
    }
  });
}

// Slabs become full, get room again in any order, and go when they are empty:
// the destructor asserts that one is left.
TEST(HugePageAllocator, SlabsComeAndGo) {
  constexpr size_t kSize = 200'000;
  constexpr size_t kObjects = 60;  // of several slabs
  ForEachSeed(1, 10, [](uint64_t seed) {
    Random random(seed);
    const std::shared_ptr<MemoryAllocator> allocator = NewHugePageAllocator();
    std::vector<Object> objects;
    for (int round = 0; round < 3; ++round) {
      while (objects.size() < kObjects) {
        auto* const memory =
            static_cast<unsigned char*>(allocator->Allocate(kSize));
        ASSERT_NE(memory, nullptr);
        const auto filler = static_cast<unsigned char>(random.Next());
        std::memset(memory, filler, kSize);
        objects.push_back({memory, kSize, filler});
      }
      const size_t left = round == 2 ? 0 : random.Below(kObjects);
      while (objects.size() > left) {
        std::swap(objects[random.Below(objects.size())], objects.back());
        ASSERT_TRUE(IsFilled(objects.back()));
        allocator->Deallocate(objects.back().memory);
        objects.pop_back();
      }
    }
  });
}

// Another allocator may have an equal name.
TEST(HugePageAllocator, IsKnownByItsKind) {
  EXPECT_TRUE(IsHugePageAllocator(NewHugePageAllocator().get()));
  EXPECT_FALSE(IsHugePageAllocator(nullptr));
  class Other final : public MemoryAllocator {
   public:
    const char* Name() const override { return name_.c_str(); }
    void* Allocate(size_t) override { return nullptr; }
    void Deallocate(void*) override {}

   private:
    const std::string name_ = NewHugePageAllocator()->Name();
  };
  const Other other;
  EXPECT_FALSE(IsHugePageAllocator(&other));
}

// The allocator reuses freed memory first.
TEST(HugePageAllocator, UsesMemoryAgain) {
  const std::shared_ptr<MemoryAllocator> allocator = NewHugePageAllocator();
  void* const kept = allocator->Allocate(4400);
  void* const first = allocator->Allocate(4400);
  allocator->Deallocate(first);
  EXPECT_EQ(allocator->Allocate(4400), first);
  allocator->Deallocate(first);
  allocator->Deallocate(kept);
  allocator->Deallocate(nullptr);
}

TEST(HugePageAllocator, ThereIsNotAnyAmount) {
  const std::shared_ptr<MemoryAllocator> allocator = NewHugePageAllocator();
  EXPECT_EQ(allocator->Allocate(std::numeric_limits<size_t>::max()), nullptr);
}

}  // namespace
}  // namespace ashlar::testing
