// Escaped text: the one form in which the program writes bytes as text, and
// reads them back.
//
//   \\          a backslash
//   \t \n \r    TAB, LF and CR
//   \xHH        the byte with this hexadecimal number, of either case
//
// Every other byte stands for itself. A backslash before anything else is an
// error, so no text has two meanings. Escape writes \\ and \xHH only, and
// leaves no byte outside printable ASCII. Rows of tsv, --key, --from, --to,
// --prefix and --keys_file are read in this form. Pure functions: thread-safe.
#ifndef ASHLAR_TOOLS_ESCAPED_TEXT_H_
#define ASHLAR_TOOLS_ESCAPED_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/util/slice.h"

namespace ashlar::tool {

// What the text must have after a backslash, for messages.
inline constexpr std::string_view kExpectedEscape =
    "a backslash must begin \\t, \\n, \\r, \\\\ or \\xHH";

// Returns the bytes as escaped text.
std::string Escape(const Slice& bytes);

// Returns the bytes that the text stands for, or nothing if an escape is
// invalid.
std::optional<std::string> Unescape(std::string_view text);

// Replaces the escapes in [begin, begin + *size) in place, and sets *size to
// the number of bytes. If an escape is invalid, returns its offset in the text,
// and *size and the bytes have no meaning.
std::optional<size_t> UnescapeInPlace(char* begin, size_t* size);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ESCAPED_TEXT_H_
