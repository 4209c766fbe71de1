// Compressing and decompressing blocks, whatever the codec.
//
// Used by the table builder, the table reader and the compressed cache tier.
// One object serves one thread at a time and keeps the codec's working area
// between calls. Not a stream interface and not the place of the type byte or
// the checksum: a payload is exactly the stored bytes of one block, before
// its trailer.

#ifndef ASHLAR_UTIL_COMPRESS_CODEC_H_
#define ASHLAR_UTIL_COMPRESS_CODEC_H_

#include <array>
#include <cstddef>
#include <memory>

#include "ashlar/util/compression.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// One codec, one thread, one working area.
class Compressor {
 public:
  virtual ~Compressor() = default;

  // Writes the payload as files of format version 2 and later store it, size
  // prefix included, to out[0..capacity) and returns its length. 0: it does
  // not fit, and the block is better stored raw. Never writes beyond
  // capacity. The payload depends on `raw`, the capacity and the options, not
  // on what this object compressed before. A codec may need a few bytes more
  // room than its payload ends up having.
  virtual size_t Compress(const Slice& raw, char* out, size_t capacity) = 0;
};

// InvalidArgument for kNoCompression, or for a level outside the codec's
// range; NotSupported for a codec that is not built in. Where a dictionary is
// given, the payloads can be read with it only; codecs that know none ignore
// it.
Result<std::unique_ptr<Compressor>> NewCompressor(
    CompressionType type, const CompressionOptions& options,
    const Slice& dictionary = {});

struct DecompressLimits {
  // No block may claim to be larger than this when decompressed.
  size_t max_uncompressed_bytes = size_t{1} << 30;
};

class BlockDecoder;
class DecompressionDictionary;

// All codecs that are built in, for one thread; each one's context is made
// when first needed. Any payload may be passed, also a hostile one.
class Decompressor {
 public:
  Decompressor();
  ~Decompressor();
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;

  // Appends the uncompressed bytes to `out`; on error appends nothing.
  // `compress_format` is 1 in files of format version 0 and 1, else 2. The
  // size that the payload declares is checked against the limits, and against
  // what the codec could possibly make of so few bytes, before any memory is
  // taken for it. Null: no dictionary.
  Status Decompress(CompressionType type, int compress_format,
                    const Slice& payload, const DecompressLimits& limits,
                    Buffer* out,
                    const DecompressionDictionary* dictionary = nullptr);

 private:
  // As many as the registry may have rows.
  static constexpr size_t kMostCodecs = 8;

  // By registry row; what was moved from makes them anew.
  std::array<std::unique_ptr<BlockDecoder>, kMostCodecs> decoders_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_UTIL_COMPRESS_CODEC_H_
