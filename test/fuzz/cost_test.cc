// What fuzz targets measure of the memory that hostile bytes take.

#include "test/fuzz/cost.h"

#include <gtest/gtest.h>

#include <memory>

#include "port/sanitizers.h"

namespace ashlar::fuzz {
namespace {

constexpr CostLimit kLimit = {
    .what = "test", .bytes = 1000, .bytes_per_byte = 10, .seconds = 100};

void Allocate(size_t bytes) {
  const auto memory = std::make_unique<volatile char[]>(bytes);
  memory[bytes - 1] = 1;
}

TEST(FuzzCost, IsWhatIsAllocatedAtOneMoment) {
  const auto before = std::make_unique<volatile char[]>(10'000);
  const Cost cost(kLimit, 100);
  for (int i = 0; i < 3; ++i) Allocate(2000);
}

#if ASHLAR_UNDER_ADDRESS_SANITIZER
TEST(FuzzCost, EndsTheProcessBeyondItsLimit) {
  const auto spend = [](size_t bytes) {
    const Cost cost(kLimit, 100);
    Allocate(bytes);
  };
  EXPECT_DEATH(spend(2001), "memory 2001 for 100 bytes of input; at most 2000");
}
#endif

}  // namespace
}  // namespace ashlar::fuzz
