// Decompressing for the reference reader: plain calls of the libraries, one
// payload after the other, nothing kept. FORMAT.md, "Compression".
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_CODECS_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_CODECS_H_

#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar::testing {

// `version`: of the format. An empty dictionary is none. Throws what is wrong,
// "not supported: .." where it may be right.
std::string ReferenceDecompress(uint8_t type, std::string_view stored,
                                uint32_t version, std::string_view dictionary);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_CODECS_H_
