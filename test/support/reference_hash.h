// Hashes for the reference reader: FORMAT.md, sections 5.5, 9.2 and 9.7.
// reference_reader.h declares H64 itself.
//
// Only the reference reader uses this. The functions are pure.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_HASH_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_HASH_H_

#include <cstdint>
#include <string_view>

namespace ashlar::testing::reference {

// How H32 reads the last one to three bytes: as signed or unsigned chars.
enum class Tail : uint8_t { kSigned, kUnsigned };

uint32_t Hash32(std::string_view s, uint32_t seed, Tail tail);

// The upper and lower half of a product.
struct Product {
  uint64_t high;
  uint64_t low;
};
Product Multiply(uint64_t a, uint64_t b);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_HASH_H_
