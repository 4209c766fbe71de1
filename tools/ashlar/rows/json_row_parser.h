// JsonRowParser: reads rows of JSON lines, as `scan --jsonl` writes them.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_JSON_ROW_PARSER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_JSON_ROW_PARSER_H_

#include <string>

#include "third-party/json_lib.h"
#include "tools/ashlar/rows/row_parser.h"

namespace ashlar::tool {

class JsonRowParser : public RowParser {
 public:
  Outcome Parse(char* line, size_t size, Row* row,
                std::string* reason) override;

 private:
  bool ReadRow(const nlohmann::json& object, Row* row, std::string* reason);

  // The bytes that the row's slices refer to.
  std::string key_;
  std::string value_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_JSON_ROW_PARSER_H_
