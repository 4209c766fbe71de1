// What a table takes, by range of keys or by prefix, as the flags ask.
//
// For `space`. Of ranges the index tells all; for prefixes entries are read.
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

// Of a file, or of several.
struct FileSpace {
  // In the order of keys; where ranges are asked for.
  std::vector<KeySpaceRange> blocks;
  PrefixSpace prefixes;
  // Of the blocks that may have keys of the range.
  uint64_t data_blocks = 0;
  uint64_t data_bytes = 0;
  uint64_t file_bytes = 0;
  // Of keys as they are stored; null: nobody knows it.
  const Comparator* order = nullptr;
};

// False where there is nothing to tell. The report has the faults.
bool ReadFileSpace(const std::string& path, const KeyRange& range,
                   FileSpace* space, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_FILE_SPACE_H_
