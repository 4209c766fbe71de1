#include "tools/json_string.h"

namespace ashlar::tool {

void AppendJsonString(std::string_view text, std::string* json) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  *json += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      *json += '\\';
      *json += c;
    } else if (byte < ' ') {
      *json += "\\u00";
      *json += kDigits[byte >> 4];
      *json += kDigits[byte & 0xf];
    } else {
      *json += c;
    }
  }
  *json += '"';
}

}  // namespace ashlar::tool
