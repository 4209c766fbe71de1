// Hashes for the reference reader: FORMAT.md, sections 5.5, 9.2 and 9.7. H64
// itself is declared in reference_reader.h.
//
// Used by the parts of the reference reader alone. Pure functions.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_HASH_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_HASH_H_

#include <cstdint>
#include <string_view>

namespace ashlar::testing::reference {

// How H32 takes the one to three bytes that are left.
enum class Tail : uint8_t { kSigned, kUnsigned };

uint32_t Hash32(std::string_view s, uint32_t seed, Tail tail);

// The upper and the lower half of a product.
struct Product {
  uint64_t high;
  uint64_t low;
};
Product Multiply(uint64_t a, uint64_t b);

}  // namespace ashlar::testing::reference

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_HASH_H_
