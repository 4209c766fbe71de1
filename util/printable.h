// Printable text: what a message may carry of a name that somebody else chose.
//
// Used by Status, which passes each message through it, and by programs that
// print names from files. Pure; any number of threads.
#ifndef ASHLAR_UTIL_PRINTABLE_H_
#define ASHLAR_UTIL_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"

namespace ashlar {

// Returns the number of bytes of the well-formed UTF-8 character that `text`
// begins with; 0 where it begins with none.
ASHLAR_EXPORT size_t Utf8CharacterBytes(std::string_view text);

// Whether a character, as Utf8CharacterBytes delimits it, is one of U+0000 to
// U+001F or U+007F to U+009F. U+0080 and above are two bytes, of which the last
// is the number.
ASHLAR_EXPORT bool IsControlCharacter(std::string_view character);

// Returns `text` with `\xHH` in place of each byte that is not part of
// well-formed UTF-8, and of each byte of a control character. So a name from a
// file can neither begin a line of its own nor steer a terminal. Everything
// else is kept, backslashes too.
ASHLAR_EXPORT std::string PrintableText(std::string_view text);

namespace internal {

// The same without an allocation: writes to `out`, unless that is null, and
// returns the number of bytes.
size_t WritePrintable(std::string_view text, char* out);

}  // namespace internal

}  // namespace ashlar

#endif  // ASHLAR_UTIL_PRINTABLE_H_
