// Reads a table in every way that the public interface offers, for the fuzz
// targets of whole files.
#ifndef ASHLAR_TEST_FUZZ_READ_TABLE_H_
#define ASHLAR_TEST_FUZZ_READ_TABLE_H_

#include <string>

namespace ashlar::fuzz {

// `bytes` may be anything. Aborts the process if answers contradict each other:
// forward and backward iteration, and, if the whole file is sound, our reader
// and the naive one of test/support.
void ReadTable(const std::string& bytes);

}  // namespace ashlar::fuzz

#endif  // ASHLAR_TEST_FUZZ_READ_TABLE_H_
