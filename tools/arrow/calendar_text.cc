#include "tools/arrow/calendar_text.h"

#include <chrono>

namespace ashlar::arrow {
namespace {

constexpr int64_t kSecondsOfDay = 86400;
// The calendar repeats after 400 years.
constexpr int64_t kDaysOfCycle = 146097;
constexpr int64_t kYearsOfCycle = 400;

int64_t UnitsOfSecond(int unit_digits) {
  int64_t units = 1;
  for (int i = 0; i < unit_digits; ++i) units *= 10;
  return units;
}

// Divides, and rounds down. Sets *rest, which is at least 0.
int64_t FloorDivide(int64_t number, int64_t by, int64_t* rest) {
  int64_t quotient = number / by;
  *rest = number % by;
  if (*rest < 0) {
    *rest += by;
    --quotient;
  }
  return quotient;
}

// Appends the number with at least `digits` digits.
void AppendDigits(uint64_t number, int digits, std::string* text) {
  const std::string plain = std::to_string(number);
  const auto wanted = static_cast<size_t>(digits);
  if (plain.size() < wanted) text->append(wanted - plain.size(), '0');
  *text += plain;
}

void AppendFraction(int64_t units, int unit_digits, std::string* text) {
  if (unit_digits == 0) return;
  *text += '.';
  AppendDigits(static_cast<uint64_t>(units), unit_digits, text);
}

void AppendSeconds(int64_t seconds, std::string* text) {
  const auto all = static_cast<uint64_t>(seconds);
  AppendDigits(all / 3600, 2, text);
  *text += ':';
  AppendDigits(all / 60 % 60, 2, text);
  *text += ':';
  AppendDigits(all % 60, 2, text);
}

}  // namespace

int64_t DaysOf(int64_t units, int unit_digits) {
  int64_t rest;
  return FloorDivide(units, UnitsOfSecond(unit_digits) * kSecondsOfDay, &rest);
}

void AppendDate(int64_t days, std::string* text) {
  // std::chrono knows years of 16 bits only.
  int64_t day_of_cycle;
  const int64_t cycle = FloorDivide(days, kDaysOfCycle, &day_of_cycle);
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(day_of_cycle)}}};
  const int64_t year = int{date.year()} + cycle * kYearsOfCycle;
  if (year < 0) *text += '-';
  AppendDigits(static_cast<uint64_t>(year < 0 ? -year : year), 4, text);
  *text += '-';
  AppendDigits(unsigned{date.month()}, 2, text);
  *text += '-';
  AppendDigits(unsigned{date.day()}, 2, text);
}

void AppendTimestamp(int64_t units, int unit_digits, std::string* text) {
  int64_t fraction;
  int64_t second_of_day;
  const int64_t seconds =
      FloorDivide(units, UnitsOfSecond(unit_digits), &fraction);
  AppendDate(FloorDivide(seconds, kSecondsOfDay, &second_of_day), text);
  *text += 'T';
  AppendSeconds(second_of_day, text);
  AppendFraction(fraction, unit_digits, text);
}

bool AppendTime(int64_t units, int unit_digits, std::string* text) {
  const int64_t of_second = UnitsOfSecond(unit_digits);
  if (units < 0 || units / of_second >= kSecondsOfDay) return false;
  AppendSeconds(units / of_second, text);
  AppendFraction(units % of_second, unit_digits, text);
  return true;
}

void AppendDuration(int64_t units, int unit_digits, std::string* text) {
  // Both parts have the sign, and the smallest number has no positive one.
  const int64_t of_second = UnitsOfSecond(unit_digits);
  const int64_t seconds = units / of_second;
  const int64_t fraction = units % of_second;
  if (units < 0) *text += '-';
  *text += "PT";
  *text += std::to_string(seconds < 0 ? 0 - static_cast<uint64_t>(seconds)
                                      : static_cast<uint64_t>(seconds));
  AppendFraction(fraction < 0 ? -fraction : fraction, unit_digits, text);
  *text += 'S';
}

}  // namespace ashlar::arrow
