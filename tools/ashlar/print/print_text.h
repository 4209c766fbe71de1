// Prints bytes, entries and types as text.
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
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/printable.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/print/color.h"
#include "tools/ashlar/print/output.h"
#include "tools/text_numbers.h"

namespace ashlar::tool {

void PrintHex(const Slice& bytes, HexCase hex_case, Output* out);

// Returns a key that is part of a line. Raw bytes might break the line, so they
// are escaped or, with --output_hex, hexadecimal.
std::string KeyText(const Slice& key);

// Returns the number with this many digits after the point, or "-" if it is not
// finite.
std::string Fixed(double number, int digits);
// Returns the digits with a comma between each three: 1,020,000.
std::string Grouped(uint64_t number);
std::string Percent(double share, int digits);
// Returns part / whole, or 0 if `whole` is 0.
double Share(uint64_t part, uint64_t whole);

// Prints rows of cells as columns. The first row is the heading. `alignment`
// has 'l' or 'r' for each column except the last, which is not padded.
// `color_of` returns the color of a cell; if it is null, nothing is colored.
using TextRow = std::vector<std::string>;
void PrintColumns(const std::vector<TextRow>& rows, std::string_view alignment,
                  std::optional<Color> (*color_of)(const std::string& cell),
                  Output* out);

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

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PRINT_TEXT_H_
