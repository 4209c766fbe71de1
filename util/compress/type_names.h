// The names of each known compression type byte, built in or not.
//
// For util/compression.cc and the messages of util/compress/. Constants only:
// thread-safe.

#ifndef ASHLAR_UTIL_COMPRESS_TYPE_NAMES_H_
#define ASHLAR_UTIL_COMPRESS_TYPE_NAMES_H_

#include <string_view>

#include "ashlar/util/compression.h"

namespace ashlar::internal {

struct CompressionTypeNames {
  CompressionType type;
  std::string_view enumerator;
  // The word in the property rocksdb.compression.
  std::string_view property;
  // The word on command lines and in messages.
  std::string_view word;
};

// Ordered by byte.
inline constexpr CompressionTypeNames kCompressionTypeNames[] = {
    {CompressionType::kNoCompression, "kNoCompression", "NoCompression",
     "none"},
    {CompressionType::kSnappyCompression, "kSnappyCompression", "Snappy",
     "snappy"},
    {CompressionType::kZlibCompression, "kZlibCompression", "Zlib", "zlib"},
    {CompressionType::kBZip2Compression, "kBZip2Compression", "BZip2", "bzip2"},
    {CompressionType::kLZ4Compression, "kLZ4Compression", "LZ4", "lz4"},
    {CompressionType::kLZ4HCCompression, "kLZ4HCCompression", "LZ4HC", "lz4hc"},
    {CompressionType::kXpressCompression, "kXpressCompression", "Xpress",
     "xpress"},
    {CompressionType::kZSTD, "kZSTD", "ZSTD", "zstd"},
    {CompressionType::kZSTDNotFinalCompression, "kZSTDNotFinalCompression",
     "ZSTDNotFinal", "zstdnotfinal"},
};

// Returns null for a byte that is no known type.
constexpr const CompressionTypeNames* FindTypeNames(CompressionType type) {
  for (const CompressionTypeNames& names : kCompressionTypeNames) {
    if (names.type == type) return &names;
  }
  return nullptr;
}

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_TYPE_NAMES_H_
