// BlockCompressor: decides whether a block is stored compressed.
#ifndef ASHLAR_TABLE_BUILD_BLOCK_COMPRESSOR_H_
#define ASHLAR_TABLE_BUILD_BLOCK_COMPRESSOR_H_

#include <algorithm>
#include <cstddef>
#include <memory>

#include "table/options.h"
#include "util/compress/codec.h"
#include "util/compress/registry.h"
#include "util/compression.h"
#include "util/mem/buffer.h"
#include "util/result.h"
#include "util/slice.h"

namespace ashlar::internal {

class BlockCompressor {
 public:
  // `codec` is null where nothing is to be compressed.
  BlockCompressor(std::unique_ptr<Compressor> codec, CompressionType type,
                  int max_compressed_bytes_per_kb)
      : codec_(std::move(codec)),
        type_(type),
        per_kb_(
            static_cast<size_t>(std::min(max_compressed_bytes_per_kb, 1023))) {}

  bool active() const { return codec_ != nullptr && per_kb_ != 0; }
  CompressionType type() const { return type_; }

  // Appends the payload to *out and is true; false, and *out as it was, where
  // it would not be small enough to be worth it: the block goes raw. The codec
  // gets no more room than that, so that it can stop early.
  bool Compress(const Slice& raw, Buffer* out) {
    // Below this there is no room for a size and anything behind it.
    constexpr size_t kLeastRoom = 6;
    if (raw.size() > kMaxCompressibleBytes) return false;
    const size_t room = (raw.size() * per_kb_) >> 10;
    const size_t least =
        type_ == CompressionType::kSnappyCompression ? 1 : kLeastRoom;
    if (room < least) return false;
    out->Reserve(room);
    const size_t size = codec_->Compress(raw, out->end(), room);
    out->Advance(size);
    return size != 0;
  }

 private:
  std::unique_ptr<Compressor> codec_;
  CompressionType type_;
  size_t per_kb_;
};

// For one thread that builds a table with these options. An empty dictionary
// is none.
inline Result<BlockCompressor> BlockCompressorFor(
    const TableOptions& options, const Slice& dictionary = {}) {
  std::unique_ptr<Compressor> codec;
  if (options.compression != CompressionType::kNoCompression) {
    Result<std::unique_ptr<Compressor>> made = NewCompressor(
        options.compression, options.compression_opts, dictionary);
    if (!made.ok()) return made.status();
    codec = std::move(made).value();
  }
  return BlockCompressor(std::move(codec), options.compression,
                         options.compression_opts.max_compressed_bytes_per_kb);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BUILD_BLOCK_COMPRESSOR_H_
