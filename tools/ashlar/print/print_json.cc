#include "tools/ashlar/print/print_json.h"

#include <cassert>
#include <charconv>
#include <cstdio>

#include "ashlar/util/printable.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {
namespace {

template <typename Number>
void AppendNumber(Number number, Output* out) {
  char text[24];
  const auto [end, error] = std::to_chars(text, text + sizeof text, number);
  assert(error == std::errc());
  out->Append(std::string_view(text, static_cast<size_t>(end - text)));
}

}  // namespace

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = Utf8CharacterBytes(text);
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
  has_key_ = true;
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
  AppendNumber(number, out_);
}

void JsonWriter::Integer(int64_t number) {
  Separate();
  AppendNumber(number, out_);
}

void JsonWriter::Decimal(double number, int digits) {
  Separate();
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
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
  assert(depth_ < kMostDepth);
  open_[depth_++] = bracket == '{' ? '}' : ']';
}

void JsonWriter::End(char bracket) {
  assert(depth_ > 0 && open_[depth_ - 1] == bracket);
  --depth_;
  out_->Append(std::string_view(&bracket, 1));
  needs_comma_ = true;
}

void JsonWriter::EndDownTo(size_t depth) {
  if (has_key_) {
    Separate();
    out_->Append("null");
  }
  while (depth_ > depth) End(open_[depth_ - 1]);
}

void JsonWriter::Separate() {
  if (needs_comma_) out_->Append(",");
  needs_comma_ = true;
  has_key_ = false;
}

// Writes piece by piece, so that it needs no memory.
void JsonWriter::Quote(std::string_view text) {
  out_->Append("\"");
  while (!text.empty()) {
    const size_t length = Utf8CharacterBytes(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    const auto first = static_cast<unsigned char>(character[0]);
    if (length == 0) {
      out_->Append("\\ufffd");
    } else if (first == '"' || first == '\\') {
      out_->Append("\\");
      out_->Append(character);
    } else if (IsControlCharacter(character)) {
      char escape[8];
      std::snprintf(
          escape, sizeof escape, "\\u%04x",
          static_cast<unsigned>(static_cast<unsigned char>(character.back())));
      out_->Append(escape);
    } else {
      out_->Append(character);
    }
    text.remove_prefix(character.size());
  }
  out_->Append("\"");
}

}  // namespace ashlar::tool
