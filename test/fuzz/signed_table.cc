// Fuzz target: whole files, with their checksums corrected first.
#include <string>

#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/read_table.h"
#include "test/fuzz/sign_table.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const ashlar::fuzz::FuzzInput input(data, size);
  std::string table = input.rest().ToString();
  ashlar::fuzz::SignTable(&table);
  ashlar::fuzz::ReadTable(table);
  return 0;
}
