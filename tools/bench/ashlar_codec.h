// BareCodec: what the codec alone takes for the data blocks of tables of this
// library.
//
// Used by the engine, as `ashlar:codec`, so that a report can say what a
// library adds to it. One thread at a time.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_CODEC_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_CODEC_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/bench/engine.h"

namespace ashlar::bench {

class BareCodec {
 public:
  bool empty() const { return payloads_.empty(); }
  // Adds the data blocks of the table.
  Status Add(const std::string& path);
  // Decompresses `n` blocks that are drawn evenly from all, or each block once
  // if `n` is 0. A payload is in the processor's cache, as it is after a read,
  // and its bytes always go to the same place. Measures only decompressing.
  Status Run(uint64_t n, uint64_t seed, RunResult* result) const;

 private:
  struct Payload {
    Slice bytes;
    CompressionType type;
  };

  std::vector<std::string> files_;
  std::vector<Payload> payloads_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_CODEC_H_
