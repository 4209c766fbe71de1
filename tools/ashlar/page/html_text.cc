#include "tools/ashlar/page/html_text.h"

#include <algorithm>
#include <chrono>
#include <iterator>

#include "tools/escaped_text.h"

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

std::string DateText(uint64_t seconds) {
  if (seconds == 0) return "unknown";
  constexpr uint64_t kAfterYear9999 = 253402300800;
  if (seconds >= kAfterYear9999) return std::to_string(seconds);
  constexpr uint64_t kSecondsOfDay = 86400;
  const std::chrono::year_month_day date(std::chrono::sys_days(
      std::chrono::days(static_cast<int>(seconds / kSecondsOfDay))));
  const uint64_t time = seconds % kSecondsOfDay;
  const auto two_digits = [](uint64_t number) {
    return (number < 10 ? "0" : "") + std::to_string(number);
  };
  return std::to_string(static_cast<int>(date.year())) + "-" +
         two_digits(static_cast<unsigned>(date.month())) + "-" +
         two_digits(static_cast<unsigned>(date.day())) + " " +
         two_digits(time / 3600) + ":" + two_digits(time / 60 % 60) + ":" +
         two_digits(time % 60) + " UTC";
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
