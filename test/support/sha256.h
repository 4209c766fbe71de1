// SHA-256, to compare with the hashes in test/golden/golden.tsv.
#ifndef ASHLAR_TEST_SUPPORT_SHA256_H_
#define ASHLAR_TEST_SUPPORT_SHA256_H_

#include <string>
#include <string_view>

namespace ashlar::testing {

// Returns 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SHA256_H_
