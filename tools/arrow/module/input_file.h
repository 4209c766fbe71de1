// The bytes of a file, or of standard input, as Arrow's library reads them.
//
// Both count what was read, and remember whether a read failed, because Arrow
// reports damage as an error of input too. For one thread at a time.
#ifndef ASHLAR_TOOLS_ARROW_MODULE_INPUT_FILE_H_
#define ASHLAR_TOOLS_ARROW_MODULE_INPUT_FILE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "third-party/arrow_lib.h"

namespace ashlar::arrow {

// How reading went.
struct ReadState {
  uint64_t bytes = 0;
  uint64_t size = 0;  // of the file; 0 if unknown
  bool failed = false;
  bool interrupted = false;
};

// Opens the file for reads at any place.
::arrow::Result<std::shared_ptr<::arrow::io::RandomAccessFile>> OpenInputFile(
    const std::string& path, ReadState* state);

// Reads the descriptor from front to back, and leaves it open. Calls
// `wait_for_input` before each read (module_abi.h).
std::shared_ptr<::arrow::io::InputStream> NewPipeInput(
    int descriptor, int (*wait_for_input)(int), ReadState* state);

}  // namespace ashlar::arrow

#endif  // ASHLAR_TOOLS_ARROW_MODULE_INPUT_FILE_H_
