// Prints bytes, entries and types as text, and parses hexadecimal text.
// (PrintableText is for names.)
//
// The functions depend only on the flags and their arguments, and write only to
// the Output.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_TEXT_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/printable.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/print/output.h"

namespace ashlar::tool {

enum class HexCase : uint8_t { kLower, kUpper };

std::string ToHex(const Slice& bytes, HexCase hex_case);
void PrintHex(const Slice& bytes, HexCase hex_case, Output* out);

// The value of a hexadecimal digit of either case, or -1.
int HexDigit(char c);
// Accepts digits of either case, with or without "0x". Returns nothing if the
// text is malformed.
std::optional<std::string> FromHex(std::string_view text);

// Returns the text, with bytes outside printable ASCII as \xHH.
std::string Escape(const Slice& bytes);

// How keys and values are shown.
enum class ByteStyle : uint8_t { kRaw, kEscaped, kHex };
// Returns the style that --output_hex, --escape and the terminal select.
ByteStyle ChosenByteStyle();
// Does the same for names, which --output_hex does not change.
ByteStyle ChosenNameStyle();

void PrintBytes(const Slice& bytes, ByteStyle style, Output* out);
std::string BytesText(const Slice& bytes, ByteStyle style);

// Prints a line: '<key>' seq:<n>, type:<n> => <value>
void PrintEntry(const Slice& user_key, SequenceNumber sequence, ValueType type,
                const Slice& value, ByteStyle style, Output* out);

// Does the same with a value that is already text, and is printed as it is.
void PrintDecodedEntry(const Slice& user_key, SequenceNumber sequence,
                       ValueType type, const std::string& text, ByteStyle style,
                       Output* out);

// Prints a line of the canonical dump: <hex key> <seq> <type> <hex value>
void PrintCanonicalEntry(const Slice& user_key, SequenceNumber sequence,
                         ValueType type, const Slice& value, Output* out);

// Returns the word for JSON: "put", "delete" and so on, or a number if the type
// has no name.
std::string TypeWord(ValueType type);
// Parses these words, and numbers.
std::optional<ValueType> ParseTypeWord(std::string_view word);

// Accepts digits only. Returns nothing if the text is malformed, or if the
// number does not fit into 64 bits.
std::optional<uint64_t> ParseNumber(std::string_view text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_TEXT_H_
