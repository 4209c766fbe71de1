// Table properties as text, with RocksDB's labels, and as JSON.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// What every table has.
struct LabelledProperty {
  std::string label;
  std::string text;  // any bytes: names are as the file has them
};
std::vector<LabelledProperty> LabelledProperties(
    const TableProperties& properties);
// The same as lines.
std::string PropertyLines(const TableProperties& properties, ByteStyle style);

// All of it, line by line. Only when the inspection has properties.
std::string PropertiesText(const TableInspection& inspection, ByteStyle style);

// Prints that text, or the member "properties". Only when the inspection has
// properties.
void PrintProperties(const TableInspection& inspection, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_
