// Printable text: how messages show names that somebody else chose.
//
// Status passes each message through PrintableText, and programs use it to
// print names from files. Pure functions: thread-safe. Not an encoding to be
// reversed: backslashes of the text are kept as they are.
#ifndef ASHLAR_UTIL_PRINTABLE_H_
#define ASHLAR_UTIL_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

// Returns the length in bytes of the well-formed UTF-8 character that `text`
// begins with, or 0 if it does not begin with one.
ASHLAR_EXPORT size_t Utf8CharacterBytes(std::string_view text);

// Returns whether `character` is one of U+0000 to U+001F or U+007F to U+009F.
// Requires: it is one character as Utf8CharacterBytes delimits it. (U+0080 and
// above have two bytes, of which the last is the number.)
ASHLAR_EXPORT bool IsControlCharacter(std::string_view character);

// Returns `text` with `\xHH` in place of each byte that is not part of
// well-formed UTF-8, and of each byte of a control character. So a name from a
// file can neither begin a new line nor control a terminal. Everything else is
// kept, also backslashes. May throw std::bad_alloc.
ASHLAR_EXPORT std::string PrintableText(std::string_view text);

namespace internal {

// Does the same without allocating: writes to `out`, unless that is null, and
// returns the number of bytes.
size_t WritePrintable(std::string_view text, char* out);

}  // namespace internal

}  // namespace ashlar

#endif  // ASHLAR_UTIL_PRINTABLE_H_
