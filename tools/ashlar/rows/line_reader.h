// LineReader: splits a file into lines, with large reads. For one thread at a
// time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/status.h"

namespace ashlar::tool {

class LineReader {
 public:
  // `name` is the file's path; "-" is standard input. With `quotes`, a line
  // break between two '"' does not end the line, as in CSV.
  LineReader(std::string name, bool quotes);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  Status Open();

  // Sets *line and *size to the next line, without its LF. The line is valid
  // until the next call, and the caller may change it. Returns false at the end
  // of the file and after an error.
  bool Next(char** line, size_t* size);
  const Status& status() const { return status_; }
  // Returns the number, from 1, at which the last line of Next starts.
  uint64_t line_number() const { return line_number_; }

 private:
  // Returns the end of the line that starts at begin_, or null if it was not
  // read yet.
  const char* FindEnd();
  // Returns false if there is nothing more to read.
  bool ReadMore();
  bool Grow();

  const std::string name_;
  const bool quotes_;
  int descriptor_ = -1;
  Status status_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;    // where the next line starts
  size_t scanned_ = 0;  // the line does not end before this
  size_t end_ = 0;      // of the bytes that were read
  bool in_quotes_ = false;
  bool at_end_ = false;
  uint64_t line_number_ = 0;
  uint64_t lines_inside_ = 0;  // line breaks within quotes
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
