// The options that the flags of `recompress` ask for.
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
    // The levels that the codec has; empty if it is not in this build.
    std::vector<int> levels;
  };
  std::vector<Codec> codecs;
  TableOptions table;  // without codec and level
  BuildOptions build;
  uint64_t sample = 0;  // data blocks; 0: all
  // The number of threads, the calling one included, for the heading.
  uint32_t threads = 1;
};

// Sets *options. Returns what is wrong with the flags, or an empty string.
std::string RecompressOptionsFromFlags(const CommandLine& line,
                                       RecompressOptions* options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_RECOMPRESS_OPTIONS_H_
