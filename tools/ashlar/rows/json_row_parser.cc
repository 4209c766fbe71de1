#include "tools/ashlar/rows/json_row_parser.h"

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/util/printable.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/rows/json_text.h"
#include "tools/columns/column_bytes.h"

namespace ashlar::tool {
namespace {

using nlohmann::json;

const json* Member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// Reads the member `name` (hexadecimal) or `name`_text into *bytes, and sets
// *found to whether there is one. Returns false, with a reason, if a member is
// malformed or if the two differ.
bool ReadBytes(const json& object, const std::string& name, std::string* bytes,
               bool* found, std::string* reason) {
  bytes->clear();
  const json* const hex = Member(object, name.c_str());
  const json* const text = Member(object, (name + "_text").c_str());
  *found = hex != nullptr || text != nullptr;
  if (hex != nullptr) {
    const std::string* const digits = hex->get_ptr<const std::string*>();
    std::optional<std::string> decoded;
    if (digits != nullptr) decoded = FromHex(*digits);
    if (!decoded) {
      *reason = "member '" + name +
                "': expected a string of hexadecimal digits of even length";
      return false;
    }
    *bytes = std::move(*decoded);
  }
  if (text == nullptr) return true;
  const std::string* const plain = text->get_ptr<const std::string*>();
  if (plain == nullptr) {
    *reason = "member '" + name + "_text': expected a string";
    return false;
  }
  if (hex != nullptr && *plain != *bytes) {
    *reason = "members '" + name + "' and '" + name + "_text' differ";
    return false;
  }
  *bytes = *plain;
  return true;
}

std::optional<uint64_t> ReadUnsigned(const json& value) {
  const auto* const number = value.get_ptr<const json::number_unsigned_t*>();
  if (number == nullptr) return std::nullopt;
  return *number;
}

std::optional<ValueType> ReadType(const json& value) {
  if (const auto* const word = value.get_ptr<const std::string*>()) {
    return ParseTypeWord(*word);
  }
  const std::optional<uint64_t> number = ReadUnsigned(value);
  if (!number || *number > 0xff) return std::nullopt;
  return static_cast<ValueType>(*number);
}

bool IsPointer(const PlannedColumn& column) {
  return column.name.starts_with('/');
}

// Returns the member of the column, or null if there is none. Requires: a
// pointer is well-formed.
const json* FindMember(const json& object, const PlannedColumn& column) {
  if (!IsPointer(column)) return Member(object, column.name.c_str());
  const json::json_pointer pointer(column.name);
  try {
    return object.contains(pointer) ? &object.at(pointer) : nullptr;
  } catch (const json::exception&) {
    return nullptr;  // the number of an element that no array can have
  }
}

bool RefuseMember(const PlannedColumn& column, std::string_view why,
                  std::string* reason) {
  *reason = "member '" + PrintableText(column.name) + "': ";
  *reason += why;
  return false;
}

// Appends the bytes of a string or of a number.
bool AppendMemberBytes(const json& object, const PlannedColumn& column,
                       std::string* bytes, std::string* reason) {
  const json* const member = FindMember(object, column);
  if (member == nullptr) return RefuseMember(column, "missing", reason);
  std::string number;
  Field field;
  if (const auto* const text = member->get_ptr<const std::string*>()) {
    field.text = *text;
  } else if (column.IsNumber() && member->is_number()) {
    number = member->dump();
    field.text = number;
  } else if (!member->is_null()) {
    return RefuseMember(column,
                        std::string("expected a string") +
                            (column.IsNumber() ? " or a number" : "") +
                            ", found " + member->type_name(),
                        reason);
  }
  field.is_null = member->is_null();
  std::string why;
  return AppendField(column, field, bytes, &why) ||
         RefuseMember(column, why, reason);
}

// Makes an object of these members, as they are.
bool JoinMembers(const json& object, const std::vector<PlannedColumn>& columns,
                 std::string* bytes, std::string* reason) {
  json joined = json::object();
  for (const PlannedColumn& column : columns) {
    const json* const member = FindMember(object, column);
    if (member == nullptr) return RefuseMember(column, "missing", reason);
    joined[column.name] = *member;
  }
  *bytes = joined.dump();
  return true;
}

json WithoutMembers(const json& object,
                    const std::vector<PlannedColumn>& columns) {
  json rest = object;
  for (const PlannedColumn& column : columns) {
    if (!IsPointer(column)) {
      rest.erase(column.name);
      continue;
    }
    // Another column may have had this one in it.
    if (FindMember(rest, column) == nullptr) continue;
    const json::json_pointer pointer(column.name);
    json& parent = rest.at(pointer.parent_pointer());
    if (parent.is_object()) parent.erase(pointer.back());
  }
  return rest;
}

// Returns whether entries of this type may have no value.
bool MayLackValue(ValueType type) {
  return type == ValueType::kTypeDeletion ||
         type == ValueType::kTypeSingleDeletion ||
         type == ValueType::kTypeDeletionWithTimestamp;
}

// Returns a reason if the object has a member that a row does not have.
std::string FindUnknownMember(const json& object) {
  for (const auto& [name, value] : object.items()) {
    bool known = false;
    for (const std::string_view row_member :
         {"key", "key_text", "value", "value_text", "seq", "type"}) {
      known = known || name == row_member;
    }
    if (!known) {
      return "unknown member '" + PrintableText(name) +
             "'; expected key, key_text, value, value_text, seq and type";
    }
  }
  return {};
}

}  // namespace

RowParser::Outcome JsonRowParser::Parse(char* line, size_t size, Row* row,
                                        RowBytes* room, std::string* reason) {
  const std::optional<json> object = ParseJsonObject({line, size}, reason);
  if (!object) return Outcome::kMalformed;
  if (!format_->columns.is_default) {
    return ReadColumns(*object, row, room, reason) ? Outcome::kRow
                                                   : Outcome::kMalformed;
  }
  if (!object->contains("key") && !object->contains("key_text")) {
    // Skips the lines that `scan --jsonl` prints before and after the entries.
    for (const char* name : {"schema", "path", "summary"}) {
      if (object->contains(name)) return Outcome::kSkip;
    }
    *reason = "no key: expected a member 'key' or 'key_text'";
    return Outcome::kMalformed;
  }
  return ReadRow(*object, row, room, reason) ? Outcome::kRow
                                             : Outcome::kMalformed;
}

bool JsonRowParser::ReadColumns(const json& object, Row* row, RowBytes* room,
                                std::string* reason) {
  const ColumnPlan& plan = format_->columns;
  key_.clear();
  for (const PlannedColumn& column : plan.key) {
    if (!AppendMemberBytes(object, column, &key_, reason)) return false;
  }
  value_.clear();
  switch (plan.value) {
    case ColumnPlan::Value::kColumn:
      if (!AppendMemberBytes(object, plan.values[0], &value_, reason)) {
        return false;
      }
      break;
    case ColumnPlan::Value::kJson:
      if (!JoinMembers(object, plan.values, &value_, reason)) return false;
      break;
    case ColumnPlan::Value::kOthers:
      value_ = WithoutMembers(object, plan.key).dump();
      break;
  }
  row->key = room->Keep(key_);
  row->value = room->Keep(value_);
  return true;
}

bool JsonRowParser::ReadRow(const json& object, Row* row, RowBytes* room,
                            std::string* reason) {
  *reason = FindUnknownMember(object);
  if (!reason->empty()) return false;
  bool has_key;
  bool has_value;
  if (!ReadBytes(object, "key", &key_, &has_key, reason) ||
      !ReadBytes(object, "value", &value_, &has_value, reason)) {
    return false;
  }
  if (const json* const sequence = Member(object, "seq")) {
    const std::optional<uint64_t> number = ReadUnsigned(*sequence);
    if (!number || *number > kMaxSequenceNumber) {
      *reason = "member 'seq': expected a number from 0 to 2^56 - 1";
      return false;
    }
    row->sequence = *number;
    row->has_sequence = true;
  }
  if (const json* const type = Member(object, "type")) {
    const std::optional<ValueType> known = ReadType(*type);
    if (!known) {
      *reason =
          "member 'type': expected a known word or a number from 0 to 255";
      return false;
    }
    row->type = *known;
  }
  if (!has_value && !MayLackValue(row->type)) {
    *reason = "no value: expected a member 'value' or 'value_text'";
    return false;
  }
  row->key = room->Keep(key_);
  row->value = room->Keep(value_);
  return true;
}

}  // namespace ashlar::tool
