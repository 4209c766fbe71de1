// Makes text for HTML pages: escaped and shortened text, and readable numbers.
// Pure functions.
//
// The pages are also valid XML, so that any XML parser can check them.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_HTML_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_HTML_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/util/slice.h"
#include "tools/ashlar/print/print_text.h"

namespace ashlar::tool {

// Escapes bytes for text and for attributes in quotes. Bytes that are not
// printable ASCII, and might end a line or change its direction, are shown as
// \xHH. The exception is U+FFFD, which JSON has in place of bytes that are not
// UTF-8.
std::string HtmlText(const Slice& bytes);
// Does the same with the first `most` bytes, and adds the number of all bytes.
std::string ShortText(const Slice& bytes, size_t most);

std::string Count(uint64_t number);  // 1,234,567
std::string Bytes(uint64_t bytes);   // 1.23 MB
// Returns seconds since 1970 as "2026-11-18 09:27:51 UTC", 0 as "unknown", and
// times after the year 9999 as the number.
std::string DateText(uint64_t seconds);
// Returns a coordinate in a drawing.
std::string Coordinate(double number);
// Returns a table cell with a bar as wide as the share, which is 0 to 1.
std::string BarCell(double share);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_HTML_TEXT_H_
