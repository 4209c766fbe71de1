// Text for HTML pages: escaped, shortened, and numbers as people read them.
// Pure functions.
//
// Pages are XML too, so that any parser of it can check them.
#ifndef ASHLAR_TOOLS_ASHLAR_PAGE_HTML_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PAGE_HTML_TEXT_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ashlar/util/slice.h"

namespace ashlar::tool {

// For text and for attributes in quotes. What is not printable ASCII, and could
// end a line or turn its direction, is shown as \xHH.
std::string HtmlText(const Slice& bytes);
// The same of their first `most` bytes, and how many there are.
std::string ShortText(const Slice& bytes, size_t most);

std::string Count(uint64_t number);  // 1,234,567
std::string Bytes(uint64_t bytes);   // 1.23 MB
std::string Fixed(double number, int digits);
std::string Percent(double share, int digits);
// For places in drawings.
std::string Coordinate(double number);
// A cell of a table with a bar as wide as the share, which is 0 to 1.
std::string BarCell(double share);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PAGE_HTML_TEXT_H_
