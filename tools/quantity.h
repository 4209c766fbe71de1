// Parses sizes and counts as people write them: "128M", "16KiB", "5M".
//
// All programs in tools/ use it for flags that take a number of bytes or of
// things. Pure functions.
#ifndef ASHLAR_TOOLS_QUANTITY_H_
#define ASHLAR_TOOLS_QUANTITY_H_

#include <cstdint>
#include <optional>
#include <string_view>

namespace ashlar::tool {

// Parses a number of bytes: digits, and optionally one unit. K, M, G and T,
// also written KiB, MiB, GiB and TiB, are powers of 1024. KB, MB, GB and TB are
// powers of 1000. B is one byte. Case does not matter. Returns nothing for any
// other text, and for numbers above 2^64 - 1.
std::optional<uint64_t> ParseBytes(std::string_view text);

// Parses a number of things: digits, and optionally K, M, G or T, which are
// powers of 1000. Case does not matter. Returns nothing as above.
std::optional<uint64_t> ParseCount(std::string_view text);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_QUANTITY_H_
