#include "tools/ashlar/print_json.h"

#include <cstdio>
#include <string>

#include "tools/ashlar/print_text.h"

namespace ashlar::tool {
namespace {

// Bytes of the well-formed UTF-8 character that `text` begins with, or 0.
size_t CharacterBytes(std::string_view text) {
  const auto byte = [text](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  size_t length;
  // Not every continuation is allowed behind these: no overlong forms, no
  // surrogates, nothing above U+10FFFF.
  unsigned low = 0x80;
  unsigned high = 0xbf;
  if (first >= 0xc2 && first <= 0xdf) {
    length = 2;
  } else if (first >= 0xe0 && first <= 0xef) {
    length = 3;
    if (first == 0xe0) low = 0xa0;
    if (first == 0xed) high = 0x9f;
  } else if (first >= 0xf0 && first <= 0xf4) {
    length = 4;
    if (first == 0xf0) low = 0x90;
    if (first == 0xf4) high = 0x8f;
  } else {
    return 0;
  }
  if (byte(1) < low || byte(1) > high) return 0;
  for (size_t i = 2; i < length; ++i) {
    if (byte(i) < 0x80 || byte(i) > 0xbf) return 0;
  }
  return length;
}

}  // namespace

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
