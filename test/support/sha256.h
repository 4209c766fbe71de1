// SHA-256, for comparing with the sums of test/golden/golden.tsv.
#ifndef ASHLAR_TEST_SUPPORT_SHA256_H_
#define ASHLAR_TEST_SUPPORT_SHA256_H_

#include <string>
#include <string_view>

namespace ashlar::testing {

// 64 lower-case hexadecimal digits.
std::string Sha256Hex(std::string_view bytes);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_SHA256_H_
