// Decompression for the reference reader: plain calls of the libraries, one
// payload at a time, with no state kept. FORMAT.md, "Compression".
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_CODECS_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_CODECS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::testing {

// `version` is the format version. An empty dictionary means none. Throws an
// error that says what is wrong. It begins with "not supported:" if the payload
// may be sound.
std::string ReferenceDecompress(uint8_t type, std::string_view stored,
                                uint32_t version, std::string_view dictionary);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_CODECS_H_
