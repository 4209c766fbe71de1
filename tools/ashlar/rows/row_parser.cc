#include "tools/ashlar/rows/row_parser.h"

#include "tools/ashlar/rows/csv_row_parser.h"
#include "tools/ashlar/rows/hex_row_parser.h"
#include "tools/ashlar/rows/json_row_parser.h"
#include "tools/ashlar/rows/tsv_row_parser.h"

namespace ashlar::tool {

RowParser::~RowParser() = default;

std::unique_ptr<RowParser> NewRowParser(const RowFormat* format) {
  if (format->Is("csv")) return std::make_unique<CsvRowParser>(format);
  if (format->Is("hex")) return std::make_unique<HexRowParser>(format);
  if (format->Is("jsonl")) return std::make_unique<JsonRowParser>(format);
  return std::make_unique<TsvRowParser>(format);
}

}  // namespace ashlar::tool
