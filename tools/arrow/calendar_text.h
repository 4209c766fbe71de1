// Dates, times and durations as text of ISO 8601. Pure functions: thread-safe.
//
// A fraction of a second has as many digits as the unit has, also zeros, so
// that texts of one column are equally long.
#ifndef ASHLAR_TOOLS_ARROW_CALENDAR_TEXT_H_
#define ASHLAR_TOOLS_ARROW_CALENDAR_TEXT_H_

#include <cstdint>
#include <string>

namespace ashlar::arrow {

// All append to *text. A second has 10^unit_digits units, and unit_digits is at
// most 9.

// `days` since 1970-01-01, in the Gregorian calendar: 2024-01-31. Years have at
// least four digits; those before the year 0 begin with '-'.
void AppendDate(int64_t days, std::string* text);

// `units` since 1970, without leap seconds: 2024-01-31T12:34:56.789.
void AppendTimestamp(int64_t units, int unit_digits, std::string* text);

// `units` since midnight: 12:34:56.789. Returns false, and appends nothing, if
// they are not of one day.
bool AppendTime(int64_t units, int unit_digits, std::string* text);

// -PT12.345S
void AppendDuration(int64_t units, int unit_digits, std::string* text);

// Returns the days of a date in such units, and rounds down.
int64_t DaysOf(int64_t units, int unit_digits);

}  // namespace ashlar::arrow

#endif  // ASHLAR_TOOLS_ARROW_CALENDAR_TEXT_H_
