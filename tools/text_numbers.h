// Writes and parses hexadecimal text, and parses numbers. Pure functions:
// thread-safe.
#ifndef ASHLAR_TOOLS_TEXT_NUMBERS_H_
#define ASHLAR_TOOLS_TEXT_NUMBERS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/util/slice.h"

namespace ashlar::tool {

enum class HexCase : uint8_t { kLower, kUpper };

// Writes two digits for each byte. Requires: `to` has room for them.
void WriteHex(const Slice& bytes, HexCase hex_case, char* to);
std::string ToHex(const Slice& bytes, HexCase hex_case);

// The value of a hexadecimal digit of either case, or -1.
int HexDigit(char c);
// Accepts digits of either case, with or without "0x". Returns nothing if the
// text is malformed.
std::optional<std::string> FromHex(std::string_view text);

// Accepts digits only. Returns nothing if the text is malformed, or if the
// number does not fit into 64 bits.
std::optional<uint64_t> ParseNumber(std::string_view text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_TEXT_NUMBERS_H_
