// Sizes and counts as people write them: "128M", "16KiB", "5M".
//
// Used by all programs of tools/ for flags that take a number of bytes or of
// things. Pure.
#ifndef ASHLAR_TOOLS_QUANTITY_H_
#define ASHLAR_TOOLS_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar::tool {

// A number of bytes: digits, and perhaps one unit. K, M, G and T, also written
// KiB, MiB, GiB and TiB, are powers of 1024; KB, MB, GB and TB are powers of
// 1000; B is one byte. Either case. Nothing for anything else, and for what is
// above 2^64 - 1.
std::optional<uint64_t> ParseBytes(std::string_view text);

// A number of things: digits, and perhaps K, M, G or T, which are powers of
// 1000. Either case. Nothing as above.
std::optional<uint64_t> ParseCount(std::string_view text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_QUANTITY_H_
