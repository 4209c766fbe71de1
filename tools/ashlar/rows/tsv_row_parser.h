// TsvRowParser: reads rows of tsv: columns with TABs between them, in which
// escapes (tools/escaped_text.h) stand for bytes.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_TSV_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_TSV_ROW_PARSER_H_

#include <memory>
#include <string>
#include <vector>

#include "tools/ashlar/rows/row_columns.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class TsvRowParser : public RowParser {
 public:
  // `format` must outlive this.
  explicit TsvRowParser(const RowFormat* format)
      : format_(format), columns_(format) {}

  void BeginInput() override { columns_.BeginInput(); }
  bool EndInput(std::string* reason) override {
    return columns_.EndInput(reason);
  }
  Outcome Parse(char* line, size_t size, Row* row, RowBytes* room,
                std::string* reason) override;
  bool IsSettled() const override { return columns_.IsSettled(); }
  std::unique_ptr<RowParser> Copy() const override {
    return std::make_unique<TsvRowParser>(*this);
  }

 private:
  const RowFormat* const format_;
  RowColumns columns_;
  std::vector<Field> fields_;
};

// For lines of tsv and hex. Takes a CR off the end of the line, if `format`
// says that lines may end in CR LF. Returns false, with a reason, if there is a
// CR all the same.
bool TakeOffCr(const RowFormat& format, const char* line, size_t* size,
               std::string* reason);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_TSV_ROW_PARSER_H_
