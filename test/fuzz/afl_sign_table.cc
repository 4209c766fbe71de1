// What AFL++ calls before each run of the program: corrects the checksums of
// the input, so that most of them do not end at a checksum (sign_table.h).
//
// One input of eight stays as it is, by its last byte: wrong checksums are
// inputs, too. Loaded by AFL_CUSTOM_MUTATOR_LIBRARY (test/fuzz/afl).
#include <string>

#include "test/fuzz/sign_table.h"

extern "C" {

[[gnu::visibility("default")]] void* afl_custom_init(void* /*fuzzer*/,
                                                     unsigned /*seed*/) {
  return new std::string;
}

[[gnu::visibility("default")]] void afl_custom_deinit(void* table) {
  delete static_cast<std::string*>(table);
}

// Returns the size of what `out` points to then. It is valid until the next
// call.
[[gnu::visibility("default")]] size_t afl_custom_post_process(
    void* kept, unsigned char* bytes, size_t size, unsigned char** out) {
  *out = bytes;
  if (size == 0 || bytes[size - 1] % 8 == 7) return size;
  auto* const table = static_cast<std::string*>(kept);
  table->assign(reinterpret_cast<const char*>(bytes), size);
  ashlar::fuzz::SignTable(table);
  *out = reinterpret_cast<unsigned char*>(table->data());
  return table->size();
}

}  // extern "C"
