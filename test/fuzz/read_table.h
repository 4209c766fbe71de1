// Reads a table in every way that the public interface offers; for the fuzz
// targets of whole files.
#ifndef ASHLAR_TEST_FUZZ_READ_TABLE_H_
#define ASHLAR_TEST_FUZZ_READ_TABLE_H_

#include <string>

namespace ashlar::fuzz {

// Any bytes may be passed. Ends the process where answers contradict each
// other: walks forward and backward, and, where the whole file is sound, the
// naive reader of test/support.
void ReadTable(const std::string& bytes);

}  // namespace ashlar::fuzz

#endif  // ASHLAR_TEST_FUZZ_READ_TABLE_H_
