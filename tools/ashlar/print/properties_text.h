// Table properties as text, with RocksDB's labels, and as JSON.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_

#include <functional>
#include <string>
#include <string_view>
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
// Does the same, where `text` returns the text of a property by its name in
// JSON, or "N/A".
using TextOfProperty = std::function<std::string(std::string_view json_name)>;
std::vector<LabelledProperty> LabelledProperties(const TextOfProperty& text);
// Returns these as lines of text.
std::string PropertyLines(const TableProperties& properties, ByteStyle style);

// Returns all properties as lines of text. Requires: the inspection has
// properties.
std::string PropertiesText(const TableInspection& inspection, ByteStyle style);

// Writes the member "properties". In it, "user" has the properties that users
// collected, and those of RocksDB's own for which IsCollectedToo is true.
void WriteProperties(const TableProperties& properties, JsonWriter* json);
bool IsCollectedToo(std::string_view name);
// Returns the name of a property whose name in "user" is `name`.
std::string NameOfJson(const std::string& name);

// Prints that text, or in JSON the member "properties". Requires: the
// inspection has properties.
void PrintProperties(const TableInspection& inspection, Report* report);

// Prints the entries of the metaindex, or in JSON the member "meta_blocks".
void PrintMetaBlocks(const TableInspection& inspection, Report* report);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PROPERTIES_TEXT_H_
