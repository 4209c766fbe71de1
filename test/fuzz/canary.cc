// Fuzz target that is wrong on purpose: inputs that begin with "Ash" are fatal.
// If it passes, the harness is broken; see must_find_canary and run.
#include "test/fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  ashlar::fuzz::FuzzInput input(data, size);
  if (input.Byte() == 'A' && input.Byte() == 's') {
    FUZZ_CHECK(input.Byte() != 'h');
  }
  return 0;
}
