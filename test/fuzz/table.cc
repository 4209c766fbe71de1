// Fuzz target: whole files, unchanged. Most inputs fail at a checksum.
// signed_table.cc reaches the code after the checksums.
#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/read_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::FuzzInput input(data, size);
  ashlar::fuzz::ReadTable(input.rest().ToString());
  return 0;
}
