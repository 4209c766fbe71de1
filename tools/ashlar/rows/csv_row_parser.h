// CsvRowParser: reads rows of CSV (RFC 4180).
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_PARSER_H_

#include <cstddef>
#include <string>
#include <vector>

#include "ashlar/util/slice.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

// Reads the key and the value from the first two columns, or from the columns
// that --key_column and --value_column name. In the second case, the first line
// of each input has the names of the columns.
class CsvRowParser : public RowParser {
 public:
  CsvRowParser();

  void BeginInput() override { header_due_ = has_header_; }
  Outcome Parse(char* line, size_t size, Row* row,
                std::string* reason) override;

 private:
  // Returns false if the line is malformed.
  bool Split(char* line, size_t size);
  bool ReadHeader(std::string* reason);

  const bool has_header_;
  bool header_due_ = false;
  size_t key_column_ = 0;
  size_t value_column_ = 1;
  std::vector<Slice> fields_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_PARSER_H_
