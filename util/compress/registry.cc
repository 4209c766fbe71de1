#include "util/compress/registry.h"

#include <algorithm>
#include <iterator>

#include "util/compress/codecs.h"

namespace ashlar::internal {

namespace {

// Four bytes can stand for a block of 128 KiB of one repeated byte.
[[maybe_unused]] constexpr uint32_t kZstdMaxExpansion = (128 << 10) / 4;

constexpr Codec kCodecs[] = {
    {.type = CompressionType::kNoCompression,
     .max_expansion = 1,
     .levels = &NoneLevels,
     .read_size = &ReadNoneSize,
     .new_compressor = nullptr,
     .new_decoder = &NewNoneDecoder},
#if ASHLAR_HAVE_SNAPPY
    // A copy of 64 bytes takes three bytes.
    {.type = CompressionType::kSnappyCompression,
     .max_expansion = 22,
     .levels = &SnappyLevels,
     .read_size = &ReadSnappySize,
     .new_compressor = &NewSnappyCompressor,
     .new_decoder = &NewSnappyDecoder,
     .version = &SnappyVersion},
#endif
#if ASHLAR_HAVE_ZLIB
    // A match of 258 bytes takes at least two bits.
    {.type = CompressionType::kZlibCompression,
     .max_expansion = 1032,
     .levels = &ZlibLevels,
     .read_size = &ReadZlibSize,
     .new_compressor = &NewZlibCompressor,
     .new_decoder = &NewZlibDecoder,
     .version = &ZlibVersion,
     .decodes_unsized = true},
#endif
#if ASHLAR_HAVE_BZIP2
    // A block takes at least 19 bytes and stands for 900,000 symbols. Five of
    // these make a run of up to 259 bytes.
    {.type = CompressionType::kBZip2Compression,
     .max_expansion = 900'000 / 5 * 259 / 19,
     .levels = &BZip2Levels,
     .read_size = &ReadBZip2Size,
     .new_compressor = &NewBZip2Compressor,
     .new_decoder = &NewBZip2Decoder,
     .version = &BZip2Version,
     .decodes_unsized = true},
#endif
#if ASHLAR_HAVE_LZ4
    // Each further byte of a match length adds 255.
    {.type = CompressionType::kLZ4Compression,
     .max_expansion = 255,
     .levels = &Lz4Levels,
     .read_size = &ReadLz4Size,
     .new_compressor = &NewLz4Compressor,
     .new_decoder = &NewLz4Decoder,
     .version = &Lz4Version},
    {.type = CompressionType::kLZ4HCCompression,
     .max_expansion = 255,
     .levels = &Lz4HcLevels,
     .read_size = &ReadLz4Size,
     .new_compressor = &NewLz4HcCompressor,
     .new_decoder = &NewLz4Decoder,
     .version = &Lz4Version},
#endif
#if ASHLAR_HAVE_ZSTD
    {.type = CompressionType::kZSTD,
     .max_expansion = kZstdMaxExpansion,
     .levels = &ZstdLevels,
     .read_size = &ReadZstdSize,
     .new_compressor = &NewZstdCompressor,
     .new_decoder = &NewZstdDecoder,
     .version = &ZstdVersion,
     .digest = &DigestZstdDictionary,
     .train = &TrainZstdDictionary},
    {.type = CompressionType::kZSTDNotFinalCompression,
     .max_expansion = kZstdMaxExpansion,
     .levels = &NoneLevels,
     .read_size = &ReadZstdSize,
     .new_compressor = nullptr,
     .new_decoder = &NewZstdDecoder,
     .version = &ZstdVersion,
     .digest = &DigestZstdDictionary},
#endif
};

#if ASHLAR_HAVE_ZSTD
constexpr Codec kLevelDbZstd = {.type = CompressionType::kZSTD,
                                .max_expansion = kZstdMaxExpansion,
                                .levels = &NoneLevels,
                                .read_size = &ReadZstdFrameSize,
                                .new_compressor = nullptr,
                                .new_decoder = &NewZstdDecoder,
                                .version = &ZstdVersion};
#endif

constexpr bool ComesBefore(const Codec& a, const Codec& b) {
  return a.type < b.type;
}
static_assert(std::adjacent_find(std::begin(kCodecs), std::end(kCodecs),
                                 [](const Codec& a, const Codec& b) {
                                   return !ComesBefore(a, b);
                                 }) == std::end(kCodecs),
              "one row for each type, in order");
static_assert(std::size(kCodecs) <= kMostCodecs, "raise kMostCodecs");

}  // namespace

Status BlockDecoder::DecodeUnsized(const Slice& /*body*/,
                                   const CodecDictionary& /*dictionary*/,
                                   size_t /*limit*/, Buffer* /*out*/) {
  return Status::NotSupported("this codec needs to know the size");
}

std::span<const Codec> BuiltInCodecs() { return kCodecs; }

const Codec* FindCodec(CompressionType type) {
  for (const Codec& codec : kCodecs) {
    if (codec.type == type) return &codec;
  }
  return nullptr;
}

const Codec* FindLevelDbZstd() {
#if ASHLAR_HAVE_ZSTD
  return &kLevelDbZstd;
#else
  return nullptr;
#endif
}

}  // namespace ashlar::internal
