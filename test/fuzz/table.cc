// Fuzz target: whole files as they are. Most inputs end at a checksum; see
// signed_table.cc for what lies behind them.
#include <string>

#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/read_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::FuzzInput input(data, size);
  ashlar::fuzz::ReadTable(input.rest().ToString());
  return 0;
}
