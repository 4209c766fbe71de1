// Recognizes inputs of `build` that are files of Arrow IPC or Parquet. Pure
// functions of the files: thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_COLUMN_FILE_FORM_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_COLUMN_FILE_FORM_H_

#include <string>
#include <vector>

namespace ashlar::tool {

// Sets *format to "arrow" or "parquet" if all inputs are such files, and leaves
// it alone if none is. Otherwise returns what is wrong. What a file begins with
// counts first, and then its name: a damaged or empty file x.parquet is not to
// be taken for lines. Looks at regular files only.
std::string RecognizeColumnFiles(const std::vector<std::string>& inputs,
                                 std::string* format);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_COLUMN_FILE_FORM_H_
