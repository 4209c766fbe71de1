// The grammar of option strings: pairs, lists and plain values. It knows no
// option.
//
// All results are views of the text that was given, so that the place of each
// is known. Text is untrusted: the depth of braces is bounded, and nothing
// recurses by it. Thread-safe.
#ifndef ASHLAR_TABLE_OPTIONS_OPTION_TEXT_H_
#define ASHLAR_TABLE_OPTIONS_OPTION_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/option_table.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// RocksDB's own strings have 3.
inline constexpr size_t kMostNestedBraces = 16;

std::string_view Trimmed(std::string_view text);

// name=value, both trimmed, and the value without braces around all of it.
struct OptionPair {
  std::string_view name;
  std::string_view value;
};

// Splits the text into its pairs. Returns InvalidArgument that says what is
// wrong; *at is then where, as a view of the text.
Status SplitPairs(std::string_view text, std::vector<OptionPair>* pairs,
                  std::string_view* at);

// Returns the elements of a list such as "kZSTD:kNoCompression".
std::vector<std::string_view> SplitList(std::string_view text);

// Returns what the text is as a value of an option with this kind and these
// bounds. Returns nothing if it is no such value. Does not check the bounds.
std::optional<OptionValue> ParseOptionValue(OptionKind kind,
                                            const OptionBounds& bounds,
                                            std::string_view text);

// For parts of values: "10" in "fixed:10". Digits only, without a suffix.
std::optional<uint64_t> ParseDigits(std::string_view text);
std::optional<double> ParseDouble(std::string_view text);

// Undoes RocksDB's escapes: a backslash and r or n is the end of a line, and a
// backslash with any other byte is that byte.
std::string Unescaped(std::string_view text);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_OPTIONS_OPTION_TEXT_H_
