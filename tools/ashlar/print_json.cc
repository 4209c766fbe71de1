#include "tools/ashlar/print_json.h"

#include <cstdio>
#include <string>

#include "tools/ashlar/print_text.h"

namespace ashlar::tool {
bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = CharacterBytes(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

void JsonWriter::EndLine() {
  out_->Append("\n");
  needs_comma_ = false;
}

void JsonWriter::Key(std::string_view name) {
  Separate();
  Quote(name);
  out_->Append(":");
  needs_comma_ = false;
}

void JsonWriter::String(std::string_view text) {
  Separate();
  Quote(text);
}

void JsonWriter::Hex(const Slice& bytes) {
  Separate();
  out_->Append("\"");
  PrintHex(bytes, HexCase::kUpper, out_);
  out_->Append("\"");
}

void JsonWriter::Number(uint64_t number) {
  Separate();
  out_->Append(std::to_string(number));
}

void JsonWriter::Integer(int64_t number) {
  Separate();
  out_->Append(std::to_string(number));
}

void JsonWriter::Decimal(double number) {
  Separate();
  char text[40];
  std::snprintf(text, sizeof text, "%.6f", number);
  out_->Append(text);
}

void JsonWriter::Bool(bool value) {
  Separate();
  out_->Append(value ? "true" : "false");
}

void JsonWriter::Begin(char bracket) {
  Separate();
  out_->Append(std::string_view(&bracket, 1));
  needs_comma_ = false;
}

void JsonWriter::End(char bracket) {
  out_->Append(std::string_view(&bracket, 1));
  needs_comma_ = true;
}

void JsonWriter::Separate() {
  if (needs_comma_) out_->Append(",");
  needs_comma_ = true;
}

void JsonWriter::Quote(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const size_t length = CharacterBytes(text);
    const char c = text[0];
    if (length == 0) {
      quoted += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (length == 1 && static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
      quoted += escape;
    } else {
      quoted.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  quoted += '"';
  out_->Append(quoted);
}

}  // namespace ashlar::tool
