// A file that discards everything, to measure building without writing.
// Thread-safe.
#ifndef ASHLAR_TOOLS_BENCH_NULL_FILE_H_
#define ASHLAR_TOOLS_BENCH_NULL_FILE_H_

#include <string>

#include "ashlar/util/file.h"

namespace ashlar::bench {

class NullFile final : public WritableFile {
 public:
  Status Append(const Slice&) override { return {}; }
  Status Sync() override { return {}; }
  Status Close() override { return {}; }
  std::string name() const override { return "(null)"; }
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_NULL_FILE_H_
