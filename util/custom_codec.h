// CustomCodec: a compression codec of an application's own.
//
// An application derives from CustomCodec and the classes that it makes, and
// gives it to TableOptions::codec to write, and to ReaderOptions::codecs and
// InspectOptions::codecs to read. The file records the codec's
// CompatibilityName in the property rocksdb.compression, and a byte of the
// codec's own with each block. A reader finds the codec by that name. Such
// files have format version 7. RocksDB reads and writes them with a
// "CompressionManager" of the same name, whose payloads are the same bytes.
//
//   ashlar::TableOptions options;
//   options.codec = my_codec;
//   options.compression = ashlar::CustomCompressionType(0x8A);
//   options.format_version = 7;
//
// Not for files of other format versions, and not for caches.
//
// Thread safety: any number of threads call a CustomCodec at once, and read a
// CustomDictionary. One thread at a time uses a compressor or decompressor, so
// these may keep a working area.
//
// None of these functions may throw anything but std::bad_alloc, and none may
// write beyond the room that it gets. What a codec does wrong is found where
// that is possible:
//
//   Compress returns an error            the build fails with Aborted
//   ... or too large a size              the build fails with Corruption
//   ReadSize or Decompress returns an    the read fails with that error if it
//   error                                is NotSupported, Aborted or IOError,
//                                        else with Corruption
//   Decompress makes fewer or more bytes the read fails with Corruption
//   either writes a little beyond its    the build or read fails with
//   room                                 Corruption
//   any of them returns MemoryLimit or   MemoryLimit
//   throws std::bad_alloc
//
// These errors name the codec, and such a Corruption has the subcode
// kCodecFailed. Wrong bytes of the right size are not found, unless
// TableOptions::verify_compression is set when the table is built.
#ifndef ASHLAR_UTIL_CUSTOM_CODEC_H_
#define ASHLAR_UTIL_CUSTOM_CODEC_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "ashlar/util/compression.h"
#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// The bytes that belong to codecs of applications, both ends included.
// RocksDB's names are "kCustomCompression80" to "kCustomCompressionFE".
inline constexpr uint8_t kFirstCustomCompression = 0x80;
inline constexpr uint8_t kLastCustomCompression = 0xFE;

// Returns the type with this byte. Requires: the byte is one of the above.
constexpr CompressionType CustomCompressionType(uint8_t byte) {
  return static_cast<CompressionType>(byte);
}
// Returns whether the type belongs to codecs of applications.
constexpr bool IsCustomCompressionType(CompressionType type) {
  const auto byte = static_cast<uint8_t>(type);
  return byte >= kFirstCustomCompression && byte <= kLastCustomCompression;
}

// What a codec has made of a table's dictionary, once, for all blocks and all
// threads. An application derives from it.
class ASHLAR_EXPORT CustomDictionary {
 public:
  CustomDictionary() = default;
  CustomDictionary(const CustomDictionary&) = delete;
  CustomDictionary& operator=(const CustomDictionary&) = delete;
  virtual ~CustomDictionary();
};

// Compresses blocks, on one thread at a time. An application derives from it.
class ASHLAR_EXPORT CustomCompressor {
 public:
  CustomCompressor() = default;
  CustomCompressor(const CustomCompressor&) = delete;
  CustomCompressor& operator=(const CustomCompressor&) = delete;
  virtual ~CustomCompressor();

  // Writes the payload of `raw` to out[0..capacity), and sets *size to its
  // length. Sets *size to 0 if it does not fit: the block is then stored
  // uncompressed. `capacity` is less than the size of `raw`.
  // CustomDecompressor::ReadSize must find the size of `raw` in the payload.
  // The payload must depend on nothing but `raw`, the capacity and what the
  // compressor was made of: tables do not depend on the number of threads.
  virtual Status Compress(const Slice& raw, char* out, size_t capacity,
                          size_t* size) = 0;
};

// Decompresses blocks, on one thread at a time. An application derives from it.
class ASHLAR_EXPORT CustomDecompressor {
 public:
  CustomDecompressor() = default;
  CustomDecompressor(const CustomDecompressor&) = delete;
  CustomDecompressor& operator=(const CustomDecompressor&) = delete;
  virtual ~CustomDecompressor();

  // Sets *size to the number of uncompressed bytes that the payload stands for,
  // and *body to what Decompress gets of it. The payload may be any bytes, even
  // hostile ones. The caller compares *size with the limit of the reader
  // (ReaderOptions::max_uncompressed_block_bytes) before it takes memory. The
  // default reads a varint32 at the front of the payload, as RocksDB's does,
  // and returns Corruption if there is none.
  virtual Status ReadSize(CompressionType type, const Slice& payload,
                          uint64_t* size, Slice* body) const;

  // Writes the `size` uncompressed bytes to `out`, and sets *made to the number
  // of bytes that it wrote. `type` is the byte of the block, one that
  // CustomCodec::Supports. `dictionary` is what CustomCodec::PrepareDictionary
  // returned, or null if the block was compressed without a dictionary. The
  // body may be any bytes, even hostile ones.
  virtual Status Decompress(CompressionType type, const Slice& body,
                            const CustomDictionary* dictionary, char* out,
                            size_t size, size_t* made) = 0;
};

class ASHLAR_EXPORT CustomCodec {
 public:
  CustomCodec() = default;
  CustomCodec(const CustomCodec&) = delete;
  CustomCodec& operator=(const CustomCodec&) = delete;
  virtual ~CustomCodec();

  // Returns the name that files record. Codecs of one name must be able to read
  // each other's blocks. Letters, digits and underscores; at most 255 bytes;
  // not "BuiltinV2", which stands for the built-in codecs. It must live as long
  // as the codec, and never change.
  virtual std::string_view CompatibilityName() const = 0;

  // Returns whether blocks with this byte are the codec's. If the codec's files
  // also have blocks of other types, those are read by the built-in codecs.
  virtual bool Supports(CompressionType type) const = 0;

  // Returns a compressor whose blocks get this type, which is supported.
  // `options` are the table's, and the codec decides which of them it heeds.
  // `dictionary` is null, or what PrepareDictionary returned; it outlives the
  // compressor. Called once per thread and table, and again if there is a
  // dictionary. Must not return null.
  virtual Result<std::unique_ptr<CustomCompressor>> NewCompressor(
      CompressionType type, const CompressionOptions& options,
      const CustomDictionary* dictionary) const = 0;

  // Returns a decompressor. A reader makes as many as threads decompress at
  // once. Must not return null.
  virtual Result<std::unique_ptr<CustomDecompressor>> NewDecompressor()
      const = 0;

  // Prepares a dictionary, whose bytes need not outlive the call. Writers make
  // dictionaries of samples as CompressionOptions::max_dict_bytes says. Called
  // once for each table that has one. The default returns NotSupported, which
  // fails builds with a dictionary, and reads of such blocks. Must not return
  // null.
  virtual Result<std::unique_ptr<const CustomDictionary>> PrepareDictionary(
      const Slice& bytes) const;
};

}  // namespace ashlar

#endif  // ASHLAR_UTIL_CUSTOM_CODEC_H_
