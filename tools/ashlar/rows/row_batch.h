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
#include "tools/ashlar/rows/row_bytes.h"
#include "tools/ashlar/rows/row_parser.h"
#include "tools/columns/row.h"

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
  bool IsParsed() const { return parsed == lines.lines.size(); }
  bool EndsRun() const { return !bad.empty() && bad.back().ends_run; }

  LineBatch lines;
  size_t parsed = 0;  // how many of the lines were parsed
  // What was made of those of them that the last call has parsed, in their
  // order.
  std::vector<Row> rows;
  std::vector<BadLine> bad;
  RowBytes room;  // for the rows
};

// Small lines may make much. Once what ParseLines made takes this many bytes,
// it leaves the rest of the lines.
inline constexpr size_t kMostMadeBytes = size_t{2} << 20;

// Parses the lines of the batch that are not parsed yet, and changes them.
// Stops after a line that ends the run, after more than `most_bad` bad ones,
// and when rows, bad lines and what they refer to take kMostMadeBytes.
void ParseLines(RowParser* parser, const std::string* input, bool keeps_text,
                uint64_t most_bad, RowBatch* batch);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_BATCH_H_
