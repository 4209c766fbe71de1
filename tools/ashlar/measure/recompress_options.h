// What the flags of `recompress` ask for.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_RECOMPRESS_OPTIONS_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_RECOMPRESS_OPTIONS_H_

#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

struct RecompressOptions {
  struct Codec {
    CompressionType type = CompressionType::kNoCompression;
    // That the codec has; empty: it is not in this build.
    std::vector<int> levels;
  };
  std::vector<Codec> codecs;
  TableOptions table;  // but for codec and level
  BuildOptions build;
  uint64_t sample = 0;  // data blocks; 0: all
  // With the caller: for the heading.
  uint32_t threads = 1;
};

// What is wrong with the flags; empty when nothing is.
std::string RecompressOptionsFromFlags(const CommandLine& line,
                                       RecompressOptions* options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_RECOMPRESS_OPTIONS_H_
