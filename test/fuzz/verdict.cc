// Fuzz target: if an inspection finds no fault in a table, every reader must
// read it to its end, in both directions and by every key
// (test/support/verdict_check.h). Checksums are corrected first.
#include <cstdio>
#include <string>

#include "test/fuzz/fuzz_input.h"
#include "test/fuzz/sign_table.h"
#include "test/support/verdict_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // The time of a check grows with the number of entries, and a small file can
  // have many.
  constexpr uint64_t kMostEntries = 1024;
  const ashlar::fuzz::FuzzInput input(data, size);
  std::string table = input.rest().ToString();
  ashlar::fuzz::SignTable(&table);
  const ashlar::testing::VerdictCheck check = ashlar::testing::CheckVerdict(
      table, {.max_uncompressed_block_bytes = ashlar::fuzz::kMaxBlockBytes,
              .most_entries = kMostEntries});
  if (!check.broken_promise.empty()) {
    std::fprintf(stderr, "%s\n", check.broken_promise.c_str());
  }
  FUZZ_CHECK(check.broken_promise.empty());
  return 0;
}
