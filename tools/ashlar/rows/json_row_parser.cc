#include "tools/ashlar/rows/json_row_parser.h"

#include <optional>
#include <string_view>
#include <utility>

#include "ashlar/util/printable.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/rows/json_text.h"

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
                                        std::string* reason) {
  const std::optional<json> object = ParseJsonObject({line, size}, reason);
  if (!object) return Outcome::kMalformed;
  if (!object->contains("key") && !object->contains("key_text")) {
    // Skips the lines that `scan --jsonl` prints before and after the entries.
    for (const char* name : {"schema", "path", "summary"}) {
      if (object->contains(name)) return Outcome::kSkip;
    }
    *reason = "no key: expected a member 'key' or 'key_text'";
    return Outcome::kMalformed;
  }
  return ReadRow(*object, row, reason) ? Outcome::kRow : Outcome::kMalformed;
}

bool JsonRowParser::ReadRow(const json& object, Row* row, std::string* reason) {
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
  row->key = key_;
  row->value = value_;
  return true;
}

}  // namespace ashlar::tool
