// How bytes, entries and types look in text (names: PrintableText), and how
// hexadecimal is read back.
// Pure but for the Output that is written to.
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
// Of either case, with or without "0x". Nothing when it is malformed.
std::optional<std::string> FromHex(std::string_view text);

// Bytes outside printable ASCII as \xHH.
std::string Escape(const Slice& bytes);

// How keys and values are shown.
enum class ByteStyle : uint8_t { kRaw, kEscaped, kHex };
// What --output_hex, --escape and the terminal ask for.
ByteStyle ChosenByteStyle();
// The same for names, which --output_hex leaves as they are.
ByteStyle ChosenNameStyle();

void PrintBytes(const Slice& bytes, ByteStyle style, Output* out);
std::string BytesText(const Slice& bytes, ByteStyle style);

// '<key>' seq:<n>, type:<n> => <value>, and a line's end.
void PrintEntry(const Slice& user_key, SequenceNumber sequence, ValueType type,
                const Slice& value, ByteStyle style, Output* out);

// The same with a value that is text already, printed as it is.
void PrintDecodedEntry(const Slice& user_key, SequenceNumber sequence,
                       ValueType type, const std::string& text, ByteStyle style,
                       Output* out);

// <hex key> <seq> <type> <hex value>, and a line's end: the canonical dump.
void PrintCanonicalEntry(const Slice& user_key, SequenceNumber sequence,
                         ValueType type, const Slice& value, Output* out);

// The words of JSON: "put", "delete", ...; a number for types without a name.
std::string TypeWord(ValueType type);
// Reads them back, and numbers.
std::optional<ValueType> ParseTypeWord(std::string_view word);

// Digits only. Nothing when malformed or above 2^64 - 1.
std::optional<uint64_t> ParseNumber(std::string_view text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_TEXT_H_
