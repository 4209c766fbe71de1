// BadRows: counts malformed rows, and ends the run if there are more of them
// than --max_bad_rows allows. With --bad_rows, it writes them into a file.
//
// The file has escaped text (tools/escaped_text.h) in four columns with TABs
// between them: input, line, reason, row. Its first line has these names. It is
// written however the run ends, because it says what to correct. For one thread
// at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_BAD_ROWS_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_BAD_ROWS_H_

#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/file.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/print/output.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

class BadRows {
 public:
  // `most` rows are allowed. `path` is the file, or empty.
  BadRows(uint64_t most, std::string path);
  BadRows(const BadRows&) = delete;
  BadRows& operator=(const BadRows&) = delete;
  ~BadRows();

  // Creates the file, if there is one. An existing file is an error, unless
  // --overwrite is given.
  Status Open();
  // Gives the file its name. Returns ok if there is no file.
  Status Close();
  const std::string& path() const { return path_; }

  // Takes a malformed row, whose text is `line` if keeps_lines(). Returns
  // InvalidArgument, and sets *error_line, if this is one row too many, or if
  // it `ends_run` in any case. Returns errors of the file.
  Status Take(const RowPlace& place, const std::string& reason,
              const std::string& line, bool ends_run, FaultText* error_line);

  uint64_t count() const { return count_; }
  uint64_t most() const { return most_; }
  bool keeps_lines() const { return file_ != nullptr; }

 private:
  const uint64_t most_;
  const std::string path_;
  uint64_t count_ = 0;
  std::unique_ptr<AtomicFile> file_;
  std::unique_ptr<Output> out_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_BAD_ROWS_H_
