// The printers of `diff`.
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {

void PrintText(const DifferentEntry& entry, Output* out) {
  out->Append(std::string{entry.sign, ' '});
  PrintEntry(entry.user_key, entry.sequence, entry.type, entry.value,
             ChosenByteStyle(), out);
}

void PrintText(const Differences& tables, Output* out) {
  if (tables.entries_not_shown != 0) {
    out->Append(std::to_string(tables.entries_not_shown) +
                " more entries not shown (--max_errors)\n");
  }
  for (const Differences::Property& property : tables.properties) {
    const std::string name = PrintableText(property.name);
    std::string lines = "- ";
    lines.append(name).append(": ").append(PrintableText(property.first));
    lines.append("\n+ ").append(name).append(": ");
    out->Append(lines.append(PrintableText(property.second)).append("\n"));
  }
  if (FLAGS_quiet) return;
  out->Append(
      "only in the first: " + std::to_string(tables.only_in_first) +
      ", only in the second: " + std::to_string(tables.only_in_second) +
      ", other values: " + std::to_string(tables.other_values) +
      ", other properties: " + std::to_string(tables.properties.size()) + "\n");
}

void WriteJson(const Differences& tables, JsonWriter* json) {
  json->BoolMember("equal", tables.none());
  json->NumberMember("only_in_first", tables.only_in_first);
  json->NumberMember("only_in_second", tables.only_in_second);
  json->NumberMember("other_values", tables.other_values);
  json->ObjectsMember("other_properties", tables.properties,
                      [&](const Differences::Property& property) {
                        json->Member("name", property.name);
                        json->Member("first", property.first);
                        json->Member("second", property.second);
                      });
}

}  // namespace ashlar::tool
