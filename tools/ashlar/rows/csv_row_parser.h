// CsvRowParser: reads rows of CSV (RFC 4180).
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_PARSER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ashlar/rows/row_columns.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class CsvRowParser : public RowParser {
 public:
  // `format` must outlive this.
  explicit CsvRowParser(const RowFormat* format)
      : format_(format), columns_(format) {}

  void BeginInput() override { columns_.BeginInput(); }
  bool EndInput(std::string* reason) override {
    return columns_.EndInput(reason);
  }
  Outcome Parse(char* line, size_t size, Row* row, RowBytes* room,
                std::string* reason) override;
  bool IsSettled() const override { return columns_.IsSettled(); }
  std::unique_ptr<RowParser> Copy() const override {
    return std::make_unique<CsvRowParser>(*this);
  }

 private:
  // Returns an empty text, or what is wrong with the field that follows the
  // last one in fields_, and sets *bad to the byte.
  std::string_view Split(char* line, size_t size, const char** bad);
  std::string_view TakeQuoted(char** from, char* end, const char** bad);
  std::string_view TakePlain(char** from, char* end, const char** bad);

  const RowFormat* const format_;
  RowColumns columns_;
  std::vector<Field> fields_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_CSV_ROW_PARSER_H_
