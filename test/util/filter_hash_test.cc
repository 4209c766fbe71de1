// Compares the frozen filter hash with the values in FORMAT.md.
#include "util/hash/filter_hash.h"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <set>
#include <string>

#include "test/support/hash_vectors.h"

namespace ashlar::internal {
namespace {

using testing::Pattern;

TEST(FilterHash, HasTheFrozenValues) {
  for (const auto& vector : testing::kFilterHashVectors) {
    const std::string bytes = Pattern(vector.n);
    EXPECT_EQ(FilterHash(bytes.data(), bytes.size()), vector.hash)
        << "length " << vector.n;
  }
}

// With an allocation of exactly n bytes, the address sanitizer reports reads
// outside. The odd start address shows any need for alignment.
TEST(FilterHash, ReadsNothingElseAndNeedsNoAlignment) {
  for (size_t n = 0; n <= 2200; ++n) {
    const std::string bytes = Pattern(n);
    const auto exact = std::make_unique<char[]>(n + 1);
    if (n != 0) std::memcpy(exact.get() + 1, bytes.data(), n);
    EXPECT_EQ(FilterHash(exact.get() + 1, n), FilterHash(bytes.data(), n));
  }
}

TEST(FilterHash, DependsOnEveryByteAndOnTheLength) {
  for (const size_t n : std::initializer_list<size_t>{
           1,  3,  4,   5,   8,   9,   15,  16,  17,   32,
           40, 64, 100, 128, 129, 200, 240, 241, 1024, 1100}) {
    std::string bytes = Pattern(n);
    std::set<uint64_t> seen = {FilterHash(bytes.data(), n)};
    for (size_t i = 0; i < n; ++i) {
      bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
      seen.insert(FilterHash(bytes.data(), n));
      bytes[i] = static_cast<char>(bytes[i] ^ 0x10);
    }
    EXPECT_EQ(seen.size(), n + 1) << "length " << n;
  }
  const std::string zeros(300, '\0');
  std::set<uint64_t> seen;
  for (size_t n = 0; n <= zeros.size(); ++n) {
    seen.insert(FilterHash(zeros.data(), n));
  }
  EXPECT_EQ(seen.size(), zeros.size() + 1);
}

}  // namespace
}  // namespace ashlar::internal
