// LineBatch: some lines of an input, one after the other, and the bytes that
// they are in. A plain value.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_LINE_BATCH_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_LINE_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ashlar::tool {

struct Line {
  char* text = nullptr;
  size_t size = 0;      // without the LF
  uint64_t number = 0;  // in the input, from 1
};

struct LineBatch {
  // How many bytes after `capacity` there are: who looks for a byte in a line
  // may read as many of them, whatever they are.
  static constexpr size_t kSpare = 64;

  std::unique_ptr<char[]> bytes;
  size_t capacity = 0;
  std::vector<Line> lines;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_LINE_BATCH_H_
