// Table properties as text, with RocksDB's labels, and as JSON.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_

#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// Returns the properties that every table has.
struct LabelledProperty {
  std::string label;
  std::string text;  // any bytes: names are as the file has them
};
std::vector<LabelledProperty> LabelledProperties(
    const TableProperties& properties);
// Returns these as lines of text.
std::string PropertyLines(const TableProperties& properties, ByteStyle style);

// Returns all properties as lines of text. Requires: the inspection has
// properties.
std::string PropertiesText(const TableInspection& inspection, ByteStyle style);

// Prints that text, or in JSON the member "properties". Requires: the
// inspection has properties.
void PrintProperties(const TableInspection& inspection, Report* report);

// Prints the entries of the metaindex, or in JSON the member "meta_blocks".
void PrintMetaBlocks(const TableInspection& inspection, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_
