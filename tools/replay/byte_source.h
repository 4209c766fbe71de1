// ByteSource: reads a file's bytes in order. Decompresses the file if it begins
// as a zstd frame does, or if its name ends with .zst.
//
// Used by the readers of traces. For one thread at a time.
#ifndef ASHLAR_TOOLS_REPLAY_BYTE_SOURCE_H_
#define ASHLAR_TOOLS_REPLAY_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar::sim {

class ByteSource {
 public:
  static Result<std::unique_ptr<ByteSource>> Open(const std::string& path);
  virtual ~ByteSource() = default;

  // Fills `out`. *got is less than n only at the end of the file. Errors name
  // the file and the offset.
  virtual Status Read(char* out, size_t n, size_t* got) = 0;
  // Returns how many bytes of the file, as it is on disk, have been read.
  [[nodiscard]] virtual uint64_t file_offset() const = 0;
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_REPLAY_BYTE_SOURCE_H_
