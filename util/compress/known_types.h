// What is known of each compression type byte, whether or not its codec is
// built in.
//
// For util/compression.cc, the messages of util/compress/, and code of tables
// that must know a fact of a codec that it may be unable to run. Constants
// only: thread-safe.

#ifndef ASHLAR_UTIL_COMPRESS_KNOWN_TYPES_H_
#define ASHLAR_UTIL_COMPRESS_KNOWN_TYPES_H_

#include <string_view>

#include "ashlar/util/compression.h"

namespace ashlar::internal {

struct KnownCompressionType {
  CompressionType type;
  std::string_view enumerator;
  // The word in the property rocksdb.compression.
  std::string_view property;
  // The word on command lines and in messages.
  std::string_view word;
  // Blocks of a file with a dictionary are compressed with it.
  bool uses_dictionary = true;
  // Payloads of format version 2 and later begin with the uncompressed size.
  // Snappy stores it in its own way.
  bool has_size_prefix = true;
  // CompressionOptions::checksum has an effect.
  bool has_frame_checksum = false;
};

// Ordered by byte.
inline constexpr KnownCompressionType kKnownCompressionTypes[] = {
    {.type = CompressionType::kNoCompression,
     .enumerator = "kNoCompression",
     .property = "NoCompression",
     .word = "none",
     .uses_dictionary = false,
     .has_size_prefix = false},
    {.type = CompressionType::kSnappyCompression,
     .enumerator = "kSnappyCompression",
     .property = "Snappy",
     .word = "snappy",
     .uses_dictionary = false,
     .has_size_prefix = false},
    {.type = CompressionType::kZlibCompression,
     .enumerator = "kZlibCompression",
     .property = "Zlib",
     .word = "zlib"},
    {.type = CompressionType::kBZip2Compression,
     .enumerator = "kBZip2Compression",
     .property = "BZip2",
     .word = "bzip2",
     .uses_dictionary = false},
    {.type = CompressionType::kLZ4Compression,
     .enumerator = "kLZ4Compression",
     .property = "LZ4",
     .word = "lz4"},
    {.type = CompressionType::kLZ4HCCompression,
     .enumerator = "kLZ4HCCompression",
     .property = "LZ4HC",
     .word = "lz4hc"},
    {.type = CompressionType::kXpressCompression,
     .enumerator = "kXpressCompression",
     .property = "Xpress",
     .word = "xpress",
     .has_size_prefix = false},
    {.type = CompressionType::kZSTD,
     .enumerator = "kZSTD",
     .property = "ZSTD",
     .word = "zstd",
     .has_frame_checksum = true},
    {.type = CompressionType::kZSTDNotFinalCompression,
     .enumerator = "kZSTDNotFinalCompression",
     .property = "ZSTDNotFinal",
     .word = "zstdnotfinal"},
};

// Returns null for a byte that is no known type.
constexpr const KnownCompressionType* FindKnownType(CompressionType type) {
  for (const KnownCompressionType& known : kKnownCompressionTypes) {
    if (known.type == type) return &known;
  }
  return nullptr;
}

// What CompressionOptions may have for zlib. RocksDB cannot read wider windows,
// and no positive number means a raw stream, which is all that is read.
struct ZlibOptionRange {
  int min;
  int max;
};
inline constexpr ZlibOptionRange kZlibWindowBits = {.min = -14, .max = -9};
inline constexpr ZlibOptionRange kZlibStrategies = {.min = 0, .max = 4};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_KNOWN_TYPES_H_
