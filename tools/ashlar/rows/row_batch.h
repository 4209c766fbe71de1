// RowBatch: some lines of an input, and what a parser makes of them.
//
// For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BATCH_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tools/ashlar/rows/line_batch.h"
#include "tools/ashlar/rows/row.h"
#include "tools/ashlar/rows/row_bytes.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

// A line that is no row.
struct BadLine {
  size_t rows_before = 0;  // in its batch
  RowPlace place;
  std::string reason;
  std::string text;  // before it was parsed, if that is asked for
  bool ends_run = false;
};

struct RowBatch {
  LineBatch lines;
  // What was made of the lines, in their order.
  std::vector<Row> rows;
  std::vector<BadLine> bad;
  RowBytes room;  // for the rows
};

// Parses the lines of the batch, and changes them. Stops after a line that ends
// the run, and after more than `most_bad` bad ones.
void ParseLines(RowParser* parser, const std::string* input, bool keeps_text,
                uint64_t most_bad, RowBatch* batch);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BATCH_H_
