// RowParser: parses a line into a Row. There is one for each --input_format.
//
// For one thread at a time. Lines of one input are parsed by several threads
// with a copy of the parser for each, as soon as it is settled.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>

#include "tools/ashlar/rows/row_bytes.h"
#include "tools/ashlar/rows/row_format.h"
#include "tools/columns/row.h"

namespace ashlar::tool {

class RowParser {
 public:
  enum class Outcome : uint8_t {
    kRow,
    kSkip,  // a header or the like
    kMalformed,
    // The line is malformed, and so are all others: the header is not what the
    // flags say.
    kUnusable,
  };

  RowParser() = default;
  RowParser& operator=(const RowParser&) = delete;
  virtual ~RowParser();

  // To be called at the start and at the end of each input. EndInput returns
  // false, with a reason, if the input lacks something.
  virtual void BeginInput() {}
  virtual bool EndInput(std::string* /*reason*/) { return true; }
  // Parses the line, and may change it in place. The row's slices point into
  // the line and into *room. If it returns kMalformed or kUnusable, *reason
  // says in which column, why, and what was expected. Requires: after the line
  // there are LineBatch::kSpare more bytes of any kind, which it may read.
  virtual Outcome Parse(char* line, size_t size, Row* row, RowBytes* room,
                        std::string* reason) = 0;

  // Returns whether no further line of the input changes what the parser knows,
  // such as the columns' names. Then a copy does the same with these lines.
  virtual bool IsSettled() const { return true; }
  virtual std::unique_ptr<RowParser> Copy() const = 0;

 protected:
  // For Copy.
  RowParser(const RowParser&) = default;
};

// `format` must outlive the parser.
std::unique_ptr<RowParser> NewRowParser(const RowFormat* format);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_ROW_PARSER_H_
