#include "tools/ashlar/page/html_text.h"

#include <algorithm>
#include <iterator>

#include "tools/ashlar/print/escaped_text.h"

namespace ashlar::tool {

std::string HtmlText(const Slice& bytes) {
  std::string text;
  for (const char c : Escape(bytes)) {
    switch (c) {
      case '&':
        text += "&amp;";
        break;
      case '<':
        text += "&lt;";
        break;
      case '>':
        text += "&gt;";
        break;
      case '"':
        text += "&quot;";
        break;
      case '\'':
        text += "&#39;";
        break;
      default:
        text += c;
    }
  }
  constexpr std::string_view kReplacement = "\\xEF\\xBF\\xBD";
  for (size_t at = text.find(kReplacement); at != std::string::npos;
       at = text.find(kReplacement, at)) {
    text.replace(at, kReplacement.size(), "&#xFFFD;");
  }
  return text;
}

std::string ShortText(const Slice& bytes, size_t most) {
  if (bytes.size() <= most) return HtmlText(bytes);
  return HtmlText(Slice(bytes.data(), most)) + "... (" + Count(bytes.size()) +
         " bytes)";
}

std::string Count(uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i != 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string Bytes(uint64_t bytes) {
  constexpr const char* kUnits[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  constexpr double kStep = 1000;
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double number = static_cast<double>(bytes) / kStep;
  size_t unit = 0;
  while (number >= kStep && unit + 1 < std::size(kUnits)) {
    number /= kStep;
    ++unit;
  }
  return Fixed(number, number < 10    ? 2
                       : number < 100 ? 1
                                      : 0) +
         " " + kUnits[unit];
}

std::string Coordinate(double number) {
  std::string text = Fixed(number, 2);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

std::string BarCell(double share) {
  return "<td class=\"bar\"><i style=\"width:" +
         Coordinate(100 * std::clamp(share, 0.0, 1.0)) + "%\"></i></td>";
}

}  // namespace ashlar::tool
