// Compressing and decompressing blocks, with any codec.
//
// Used by the table builder, the table reader and the compressed cache tier.
// One thread at a time uses an object, which keeps the codec's working area
// between calls. Not a stream interface. It does not handle the type byte or
// the checksum: a payload is exactly the stored bytes of one block, before its
// trailer.

#ifndef ASHLAR_UTIL_COMPRESS_CODEC_H_
#define ASHLAR_UTIL_COMPRESS_CODEC_H_

#include <array>
#include <cstddef>
#include <memory>

#include "ashlar/util/compression.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/compress/size_prefix.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// One codec with one working area, for one thread at a time.
class Compressor {
 public:
  virtual ~Compressor() = default;

  // Writes the payload to out[0..capacity) and returns its length, in the form
  // of format version 2 and later, including the size prefix. Returns 0 if it
  // does not fit: the block is then better stored uncompressed. Never writes
  // beyond `capacity`. The payload depends on `raw`, the capacity and the
  // options, not on what this object compressed before. A codec may need a few
  // bytes more room than its payload has in the end.
  virtual size_t Compress(const Slice& raw, char* out, size_t capacity) = 0;
};

// Makes a compressor. Returns InvalidArgument for kNoCompression, and for a
// level or an option of zlib outside the codec's range. Returns NotSupported
// for a codec that is not built in. If there is a dictionary, the payloads can
// only be read with it. Codecs that know no dictionaries ignore it.
Result<std::unique_ptr<Compressor>> NewCompressor(
    CompressionType type, const CompressionOptions& options,
    const Slice& dictionary = {});

struct DecompressLimits {
  // No block may claim to be larger than this when decompressed, in bytes.
  size_t max_uncompressed_bytes = size_t{1} << 30;
};

class BlockDecoder;
class DecompressionDictionary;
struct Codec;

// The most rows that the registry may have, which checks that.
inline constexpr size_t kMostCodecs = 12;

// All codecs that are built in, for one thread at a time. The context of each
// is made when it is first needed. Any payload may be passed, even a hostile
// one.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // Appends the uncompressed bytes to `out`. On error, appends nothing.
  // `compress_format` is 1 in files of format version 0 and 1, else 2.
  // `dictionary` may be null. Before memory is allocated, the size that the
  // payload declares is checked against the limits, and against what the codec
  // could make of so few bytes. Returns Corruption for a bad payload,
  // NotSupported for a codec that is not built in, MemoryLimit if there is no
  // memory.
  Status Decompress(CompressionType type, int compress_format,
                    const Slice& payload, const DecompressLimits& limits,
                    Buffer* out,
                    const DecompressionDictionary* dictionary = nullptr);

  // The same in two steps, for callers that choose where the bytes go.

  // A payload that passed the checks of Decompress.
  struct Begun {
    const Codec* codec = nullptr;
    BlockDecoder* decoder = nullptr;
    SizedPayload sized;
    // Whether sized.raw_size is known, and small enough for the payload that
    // memory may be allocated for it.
    bool is_sized = false;

    size_t raw_size() const { return static_cast<size_t>(sized.raw_size); }
  };
  // Does the checks, and makes the codec's context. Returns the errors of
  // Decompress. *begun is of use until the payload or this object goes.
  Status Begin(CompressionType type, int compress_format, const Slice& payload,
               const DecompressLimits& limits, Begun* begun);
  // Writes the uncompressed bytes to out[0..raw_size), or fails. Never writes
  // beyond that. Requires: begun.is_sized, and `out` is not null.
  static Status DecodeTo(const Begun& begun,
                         const DecompressionDictionary* dictionary, char* out);

 private:
  // By registry row. An object that was moved from makes them again.
  std::array<std::unique_ptr<BlockDecoder>, kMostCodecs> decoders_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_CODEC_H_
