// Writes correct checksums into any bytes in which blocks can be found, so that
// checksums do not stop the fuzzer. test/support/resign.h does the same for a
// block that the caller knows.
#ifndef ASHLAR_TEST_FUZZ_SIGN_TABLE_H_
#define ASHLAR_TEST_FUZZ_SIGN_TABLE_H_

#include <cstdint>
#include <string>

namespace ashlar::fuzz {

// `footer` points to kFooterSize bytes, which are at `offset` in their file.
void SignFooter(uint64_t offset, char* footer);

// Corrects the footer, the blocks that it refers to, and so on. Of blocks that
// overlap, not all can be corrected.
void SignTable(std::string* table);

}  // namespace ashlar::fuzz

#endif  // ASHLAR_TEST_FUZZ_SIGN_TABLE_H_
