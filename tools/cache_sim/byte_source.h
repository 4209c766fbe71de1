// ByteSource: reads a file's bytes in order. Decompresses the file if its name
// ends with .zst.
//
// Used by the readers of traces. For one thread at a time.
#ifndef ASHLAR_TOOLS_CACHE_SIM_BYTE_SOURCE_H_
#define ASHLAR_TOOLS_CACHE_SIM_BYTE_SOURCE_H_

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
};

}  // namespace ashlar::sim

#endif  // ASHLAR_TOOLS_CACHE_SIM_BYTE_SOURCE_H_
