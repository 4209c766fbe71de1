// Measures the space that tables take, by ranges of keys or by prefixes, as the
// flags ask.
//
// For `space`. For ranges, the index is enough; for prefixes, all entries are
// read.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_FILE_SPACE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_FILE_SPACE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/util/comparator.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/measure/key_ranges.h"
#include "tools/ashlar/measure/prefix_space.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// The space of one file, or of several.
struct FileSpace {
  // The data blocks in the order of their keys. Filled in only for ranges.
  std::vector<KeySpaceRange> blocks;
  PrefixSpace prefixes;
  // The data blocks that may have keys of the range.
  uint64_t data_blocks = 0;
  uint64_t data_bytes = 0;
  uint64_t file_bytes = 0;
  // The order of the stored keys, or null if it is unknown.
  const Comparator* order = nullptr;
};

// Measures a file. Returns false if there is nothing to show. Adds faults to
// the report.
bool ReadFileSpace(const std::string& path, const KeyRange& range,
                   FileSpace* space, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_FILE_SPACE_H_
