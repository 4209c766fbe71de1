// Files that fail at chosen operations.
//
// A FaultPlan counts the operations of all files that share it and decides
// which of them fail. Run a scenario once without faults to learn its number of
// operations, then once for each of them. One thread at a time.
#ifndef ASHLAR_TEST_SUPPORT_FAULTY_FILE_H_
#define ASHLAR_TEST_SUPPORT_FAULTY_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/file.h"

namespace ashlar::testing {

struct FaultPlan {
  enum class Kind : uint8_t {
    kError,     // an I/O error
    kNothing,   // a read gives no bytes
    kOneByte,   // a read gives one byte
    kOneShort,  // a read gives all but one byte
  };
  // The operation that fails, counted from 1. 0: none.
  uint64_t fail_at = 0;
  // If true, all later operations fail too.
  bool persistent = false;
  Kind kind = Kind::kError;

  uint64_t operations = 0;
  uint64_t faults = 0;

  // Counts an operation. Returns true if it must fail.
  bool Next() {
    ++operations;
    const bool fails = fail_at != 0 && (operations == fail_at ||
                                        (persistent && operations > fail_at));
    if (fails) ++faults;
    return fails;
  }
};

// The end of an injected error's message: "<operation> <name>: injected".
inline constexpr const char* kInjected = "injected";

// Appends to *contents the bytes that the plan lets through.
std::unique_ptr<WritableFile> NewFaultyWritableFile(std::string name,
                                                    std::string* contents,
                                                    FaultPlan* plan);

// Reads from `contents` into the caller's scratch memory.
std::unique_ptr<RandomAccessFile> NewFaultyFile(std::string name,
                                                std::string contents,
                                                FaultPlan* plan);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_FAULTY_FILE_H_
