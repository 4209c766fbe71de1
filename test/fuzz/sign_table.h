// Right checksums for any bytes, as far as blocks can be found in them, so that
// the fuzzer is not stopped by the checksums. test/support/resign.h does the
// same for a block that the caller knows.
#ifndef ASHLAR_TEST_FUZZ_SIGN_TABLE_H_
#define ASHLAR_TEST_FUZZ_SIGN_TABLE_H_

#include <cstdint>
#include <string>

namespace ashlar::fuzz {

// `footer` is kFooterSize bytes that stand at `offset` of their file.
void SignFooter(uint64_t offset, char* footer);

// The footer, what it leads to, and so on. Blocks that lie over each other
// cannot all be put right.
void SignTable(std::string* table);

}  // namespace ashlar::fuzz

#endif  // ASHLAR_TEST_FUZZ_SIGN_TABLE_H_
