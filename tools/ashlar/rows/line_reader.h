// LineReader: cuts a file into lines, in large reads. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/status.h"

namespace ashlar::tool {

class LineReader {
 public:
  // `name` is for messages; "-" is standard input. With `quotes` a line break
  // between two '"' does not end the line, as in CSV.
  LineReader(std::string name, bool quotes);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;
  ~LineReader();

  Status Open();

  // The next line, without its LF. It may be changed in place and lives until
  // the next call. False at the end and after an error.
  bool Next(char** line, size_t* size);
  const Status& status() const { return status_; }
  // Of the line that Next gave, counted from 1: where it starts.
  uint64_t line_number() const { return line_number_; }

 private:
  // Where the line ends that starts at begin_, or nowhere yet.
  const char* FindEnd();
  // False when there is nothing more.
  bool ReadMore();
  bool Grow();

  const std::string name_;
  const bool quotes_;
  int descriptor_ = -1;
  Status status_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  size_t begin_ = 0;    // of the line
  size_t scanned_ = 0;  // no end of the line before this
  size_t end_ = 0;      // of what was read
  bool in_quotes_ = false;
  bool at_end_ = false;
  uint64_t line_number_ = 0;
  uint64_t lines_inside_ = 0;  // line breaks within quotes
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_LINE_READER_H_
