// LineReader: splits an input into lines, with large reads. For one thread at a
// time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ashlar/util/status.h"
#include "tools/ashlar/rows/input_bytes.h"

namespace ashlar::tool {

class LineReader {
 public:
  // `name` is the file's path; "-" is standard input. If `delimiter` is given,
  // the file is CSV with this character between columns: a line break in a
  // column that begins with '"' does not end the line before the column ends.
  LineReader(std::string name, std::optional<char> delimiter);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  Status Open();

  // Sets *line and *size to the next line, without its LF. The line is valid
  // until the next call, and the caller may change it. Returns false at the end
  // of the file and after an error. Skips a byte order mark of UTF-8 at the
  // start of the file, and refuses those of UTF-16.
  bool Next(char** line, size_t* size);
  const Status& status() const { return status_; }
  // Returns the number, from 1, at which the last line of Next starts.
  uint64_t line_number() const { return line_number_; }
  bool skipped_byte_order_mark() const { return skipped_byte_order_mark_; }
  const InputBytes& bytes() const { return bytes_; }

 private:
  // Returns the end of the line that starts at begin_, or null if it was not
  // read yet.
  const char* FindEnd();
  // Returns false if there is nothing more to read.
  bool ReadMore();
  bool Grow();
  // Returns false after an error.
  bool SkipByteOrderMark();
  const char* FindEndOfCsv();

  InputBytes bytes_;
  const std::optional<char> delimiter_;
  Status status_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;    // where the next line starts
  size_t scanned_ = 0;  // the line does not end before this
  size_t end_ = 0;      // of the bytes that were read
  // What the next byte of a line of CSV may be.
  enum class Place : uint8_t {
    kColumnStart,
    kPlain,
    kQuoted,
    kAfterQuote,  // after a quote in a quoted column: its end, or half a quote
  };
  Place place_ = Place::kColumnStart;
  bool at_end_ = false;
  bool at_start_ = true;
  bool skipped_byte_order_mark_ = false;
  uint64_t line_number_ = 0;
  uint64_t lines_inside_ = 0;  // line breaks within quotes
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
