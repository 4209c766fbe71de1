// Table properties as text, with RocksDB's labels, and as JSON.
#ifndef ASHLAR_TOOLS_ASHLAR_PROPERTIES_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PROPERTIES_TEXT_H_

#include <string>

#include "table/dump.h"
#include "tools/ashlar/report.h"

namespace ashlar::tool {

// All of it, line by line. Only when the inspection has properties.
std::string PropertiesText(const TableInspection& inspection);

// Prints that text, or the member "properties". Only when the inspection has
// properties.
void PrintProperties(const TableInspection& inspection, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PROPERTIES_TEXT_H_
