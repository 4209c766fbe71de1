// The printers of `get`.
#include "ashlar/table/entry/wide_columns.h"
#include "tools/ashlar/print/decoded_value.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string_view FilterWord(GetResult::Filter filter) {
  switch (filter) {
    case GetResult::Filter::kNone:
      return "none";
    case GetResult::Filter::kAbsent:
      return "absent";
    case GetResult::Filter::kMaybe:
      return "maybe";
  }
  return "none";
}

// Prints a line for each version, below what decides.
void PrintVersions(const LookedUp& found, Output* out) {
  for (const LookedUp::Version& version : found.versions) {
    out->Append("  level ");
    out->Append(std::to_string(version.level));
    out->Append(", ");
    out->Append(PrintableText(version.file));
    out->Append(": seq:");
    out->Append(std::to_string(version.sequence));
    out->Append(", ");
    out->Append(TypeWord(version.type));
    out->Append(", ");
    out->Append(std::to_string(version.value_size));
    out->Append(" bytes\n");
  }
}

bool HasBase(const GetResult& result) {
  return result.state == GetResult::State::kFound ||
         result.state == GetResult::State::kDeleted;
}

// Writes the columns of an entity, including the default one.
void WriteColumns(const Slice& entity, JsonWriter* json) {
  std::vector<WideColumn> columns;
  // This cannot fail, since MultiGet has decoded them already.
  static_cast<void>(DecodeWideColumns(entity, &columns));
  json->ObjectsMember("columns", columns, [&](const WideColumn& column) {
    json->HexMember("name", column.name);
    json->HexMember("value", column.value);
  });
}

// Prints the value or the deletion that decides, if any does.
void PrintBase(const LookedUp& found, ByteStyle style, Output* out) {
  const GetResult& result = found.result;
  if (!HasBase(result)) return;
  // As in scan, keys end in their timestamps, if they have any.
  const std::string whole_key = found.key + result.timestamp;
  if (result.type == ValueType::kTypeWideColumnEntity) {
    PrintDecodedEntry(whole_key, result.sequence, result.type,
                      DescribeWideColumns(result.entity, style).value_or(""),
                      style, out);
    return;
  }
  PrintEntry(whole_key, result.sequence, result.type, result.value.slice(),
             style, out);
}

}  // namespace

void PrintText(const LookedUp& found, Output* out) {
  const ByteStyle style = ChosenByteStyle();
  for (const LookedUp::Operand& operand : found.operands) {
    PrintEntry(found.key, operand.sequence, ValueType::kTypeMerge,
               operand.value, style, out);
  }
  PrintBase(found, style, out);
  PrintVersions(found, out);
}

void WriteJson(const LookedUp& found, JsonWriter* json) {
  const GetResult& result = found.result;
  json->BeginObject();
  json->HexMember("key", found.key);
  json->BoolMember("found", result.state != GetResult::State::kNotFound);
  if (result.state != GetResult::State::kNotFound) {
    json->Member("type", TypeWord(result.type));
    json->NumberMember("seq", result.sequence);
  }
  if (!result.timestamp.empty()) {
    json->HexMember("timestamp", result.timestamp);
  }
  if (HasBase(result)) json->HexMember("value", result.value.slice());
  if (result.type == ValueType::kTypeWideColumnEntity) {
    WriteColumns(result.entity, json);
  }
  if (!found.operands.empty()) {
    json->ObjectsMember("operands", found.operands, [&](const auto& operand) {
      json->NumberMember("seq", operand.sequence);
      json->HexMember("value", operand.value);
    });
  }
  if (found.has_versions) {
    json->ObjectsMember("versions", found.versions, [&](const auto& version) {
      json->Member("file", version.file);
      json->NumberMember("level", version.level);
      json->NumberMember("seq", version.sequence);
      json->Member("type", TypeWord(version.type));
      json->NumberMember("value_size", version.value_size);
    });
  }
  json->Member("filter", FilterWord(result.filter));
  json->NumberMember("data_blocks_read", result.data_blocks_read);
  json->EndObject();
}

}  // namespace ashlar::tool
