// LineReader: reads an input as batches of lines, mostly with one read each.
// For one thread at a time; what it has read belongs to the batch.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_

#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/util/status.h"
#include "tools/ashlar/rows/csv_row_ends.h"
#include "tools/ashlar/rows/input_bytes.h"
#include "tools/ashlar/rows/line_batch.h"

namespace ashlar::tool {

class LineReader {
 public:
  // The bytes of a batch, unless one line needs more.
  static constexpr size_t kBatchBytes = size_t{128} << 10;

  // `name` is the file's path; "-" is standard input. If `delimiter` is given,
  // the file is CSV with this character between columns: a line break in a
  // column that begins with '"' does not end the line before the column ends.
  // A line of more than `most_bytes` is an error: otherwise a quote that is
  // never closed would bring a whole input into memory. A batch has about
  // kBatchBytes more at most.
  LineReader(std::string name, std::optional<char> delimiter,
             uint64_t most_bytes);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  Status Open();

  // Makes *batch the next lines: at least one. The caller may change their
  // bytes. Returns false at the end of the file and after an error. Skips a
  // byte order mark of UTF-8 at the start of the file, and refuses those of
  // UTF-16.
  bool Next(LineBatch* batch);
  // Returns whether Next can read something without waiting, and the last batch
  // needed no more memory than usual. Next may wait for the rest of a line all
  // the same.
  bool MayReadAhead() const;
  const Status& status() const { return status_; }
  // Returns the number, from 1, of the line that is the next one.
  uint64_t line_number() const { return line_number_; }
  bool skipped_byte_order_mark() const { return skipped_byte_order_mark_; }
  const InputBytes& bytes() const { return bytes_; }

 private:
  // Adds the lines of batch->bytes that end before the offset.
  void FindLines(size_t end, LineBatch* batch);
  void AddLine(size_t end, uint64_t breaks, LineBatch* batch);
  bool MayGoOn(size_t end);
  void RefuseLine();
  // Reads once, to after the offset *end. Returns false if there is nothing
  // more to read, and after an error.
  bool ReadMore(LineBatch* batch, size_t* end);
  bool Grow(size_t used, LineBatch* batch);
  // Returns false after an error.
  bool SkipByteOrderMark(LineBatch* batch, size_t* end);

  InputBytes bytes_;
  const std::optional<char> delimiter_;
  const uint64_t most_bytes_;
  CsvRowEnds csv_ends_;
  Status status_;
  size_t last_capacity_ = 0;  // of the last batch
  std::string rest_;          // of the last batch: the begin of the next line
  size_t begin_ = 0;          // where the next line of the batch starts
  size_t scanned_ = 0;        // it does not end before this; not of csv
  bool at_end_ = false;
  bool at_start_ = true;
  bool skipped_byte_order_mark_ = false;
  uint64_t line_number_ = 1;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
