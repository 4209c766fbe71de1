// Bytes as text that JSON can hold: hexadecimal for keys, which people read,
// and base64 for what is opaque. Pure functions: thread-safe.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_BYTE_TEXT_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_BYTE_TEXT_H_

#include <string>
#include <string_view>

namespace ashlar_rocksdb {

// Returns two lower-case digits per byte.
std::string ToHex(std::string_view bytes);
// Sets *bytes to what the digits, of either case, stand for. Returns false, and
// leaves *bytes undefined, if the text is something else.
bool FromHex(std::string_view text, std::string* bytes);

// The alphabet of RFC 4648, section 4, with padding.
std::string ToBase64(std::string_view bytes);
// Accepts only what ToBase64 returns for some bytes: padding must be there, and
// bits that stand for nothing must be 0.
bool FromBase64(std::string_view text, std::string* bytes);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_BYTE_TEXT_H_
