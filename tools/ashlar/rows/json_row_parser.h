// JsonRowParser: reads rows of JSON lines, as `scan --jsonl` writes them.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_JSON_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_JSON_ROW_PARSER_H_

#include <memory>
#include <string>

#include "third-party/json_lib.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

// Without columns in `format`, an object is an entry, as `scan` prints it. With
// columns, members and JSON pointers are the columns.
class JsonRowParser : public RowParser {
 public:
  // `format` must outlive this.
  explicit JsonRowParser(const RowFormat* format) : format_(format) {}

  Outcome Parse(char* line, size_t size, Row* row, RowBytes* room,
                std::string* reason) override;
  std::unique_ptr<RowParser> Copy() const override {
    return std::make_unique<JsonRowParser>(*this);
  }

 private:
  bool ReadRow(const nlohmann::json& object, Row* row, RowBytes* room,
               std::string* reason);
  bool ReadColumns(const nlohmann::json& object, Row* row, RowBytes* room,
                   std::string* reason);

  const RowFormat* const format_;

  // Of the last line; kept for their memory.
  std::string key_;
  std::string value_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_JSON_ROW_PARSER_H_
