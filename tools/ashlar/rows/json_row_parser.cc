#include "tools/ashlar/rows/json_row_parser.h"

#include <optional>

#include "third-party/json_lib.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

using nlohmann::json;

const json* Member(const json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

// Reads the member `name` (hexadecimal) or `name`_text. If both are absent,
// sets *bytes to an empty string. Returns false if the member is malformed.
bool ReadBytes(const json& object, const std::string& name,
               std::string* bytes) {
  bytes->clear();
  const json* const hex = Member(object, name.c_str());
  const json* const text = Member(object, (name + "_text").c_str());
  if (hex != nullptr) {
    const std::string* const digits = hex->get_ptr<const std::string*>();
    if (digits == nullptr) return false;
    std::optional<std::string> decoded = FromHex(*digits);
    if (!decoded) return false;
    *bytes = std::move(*decoded);
  } else if (text != nullptr) {
    const std::string* const plain = text->get_ptr<const std::string*>();
    if (plain == nullptr) return false;
    *bytes = *plain;
  }
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

}  // namespace

RowParser::Outcome JsonRowParser::Parse(char* line, size_t size, Row* row,
                                        std::string* reason) {
  const json object = json::parse(line, line + size, nullptr, false);
  if (!object.is_object()) {
    *reason = "not a JSON object";
    return Outcome::kMalformed;
  }
  if (!object.contains("key") && !object.contains("key_text")) {
    // Skips the lines that `scan --jsonl` prints before and after the entries.
    for (const char* name : {"schema", "path", "summary"}) {
      if (object.contains(name)) return Outcome::kSkip;
    }
    *reason = "neither key nor key_text";
    return Outcome::kMalformed;
  }
  if (!ReadBytes(object, "key", &key_) ||
      !ReadBytes(object, "value", &value_)) {
    *reason =
        "key and value must be strings of hexadecimal digits; key_text and "
        "value_text must be strings";
    return Outcome::kMalformed;
  }
  if (const json* const sequence = Member(object, "seq")) {
    const std::optional<uint64_t> number = ReadUnsigned(*sequence);
    if (!number || *number > kMaxSequenceNumber) {
      *reason = "seq is not a number from 0 to 2^56 - 1";
      return Outcome::kMalformed;
    }
    row->sequence = *number;
    row->has_sequence = true;
  }
  if (const json* const type = Member(object, "type")) {
    const std::optional<ValueType> known = ReadType(*type);
    if (!known) {
      *reason = "type is neither a known word nor a number from 0 to 255";
      return Outcome::kMalformed;
    }
    row->type = *known;
  }
  row->key = key_;
  row->value = value_;
  return Outcome::kRow;
}

}  // namespace ashlar::tool
