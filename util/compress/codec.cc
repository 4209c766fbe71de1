#include "util/compress/codec.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "util/compress/dictionary.h"
#include "util/compress/known_types.h"
#include "util/compress/registry.h"

namespace ashlar::internal {

namespace {

std::string HexByte(CompressionType type) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<uint8_t>(type);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

// Returns "zstd", or "0x33" for a type that has no name.
std::string Word(CompressionType type) {
  const KnownCompressionType* names = FindKnownType(type);
  return names != nullptr ? std::string(names->word) : HexByte(type);
}

// Returns why there is no row for this type.
Status Unavailable(CompressionType type) {
  constexpr auto kFirstCustom = static_cast<CompressionType>(0x80);
  constexpr auto kNeverStored = static_cast<CompressionType>(0xFF);
  if (FindKnownType(type) != nullptr) {
    return Status::NotSupported("compression type " + Word(type) + " (" +
                                    HexByte(type) + ") is not built in",
                                Status::SubCode::kNotBuiltIn);
  }
  if (type >= kFirstCustom && type != kNeverStored) {
    return Status::NotSupported("custom compression type " + HexByte(type),
                                Status::SubCode::kCustomCompression);
  }
  return Status::Corruption("unknown compression type " + HexByte(type));
}

Status OutOfMemory(CompressionType type, std::string_view what) {
  std::string message = "out of memory for ";
  message += what;
  return Status::MemoryLimit(message).WithPrefix(Word(type));
}

Status CheckLevel(const Codec& codec, int level) {
  if (level == CompressionOptions::kDefaultLevel) return Status::OK();
  const CompressionLevelRange range = codec.levels();
  if (level >= range.min && level <= range.max) return Status::OK();
  return Status::InvalidArgument(
      "compression level " + std::to_string(level) + " for " +
      Word(codec.type) + ": expected " + std::to_string(range.min) + " to " +
      std::to_string(range.max) + ", or " +
      std::to_string(CompressionOptions::kDefaultLevel) + " for the default");
}

Status CheckZlibOption(std::string_view name, int value,
                       const ZlibOptionRange& range) {
  if (value >= range.min && value <= range.max) return Status::OK();
  return Status::InvalidArgument(
      std::string(name) + " " + std::to_string(value) + " for zlib: expected " +
      std::to_string(range.min) + " to " + std::to_string(range.max));
}

Status CheckOptions(const Codec& codec, const CompressionOptions& options) {
  Status status = CheckLevel(codec, options.level);
  if (codec.type != CompressionType::kZlibCompression) return status;
  if (status.ok()) {
    status =
        CheckZlibOption("window_bits", options.window_bits, kZlibWindowBits);
  }
  if (status.ok()) {
    status = CheckZlibOption("strategy", options.strategy, kZlibStrategies);
  }
  return status;
}

// Called before memory is allocated for it.
Status CheckDeclaredSize(const Codec& codec, const SizedPayload& sized,
                         const DecompressLimits& limits) {
  const uint64_t size = sized.raw_size;
  if (size > limits.max_uncompressed_bytes) {
    return Status::Corruption(Word(codec.type) + " block declares " +
                                  std::to_string(size) +
                                  " uncompressed bytes, above the limit of " +
                                  std::to_string(limits.max_uncompressed_bytes),
                              Status::SubCode::kAboveSizeLimit);
  }
  // Rounded up, so that an empty body stands for nothing.
  const uint64_t least_body =
      size / codec.max_expansion + (size % codec.max_expansion != 0 ? 1 : 0);
  if (least_body > sized.body.size()) {
    return Status::Corruption(
        Word(codec.type) + " block declares " + std::to_string(size) +
        " uncompressed bytes, which take at least " +
        std::to_string(least_body) + " compressed bytes; found " +
        std::to_string(sized.body.size()));
  }
  return Status::OK();
}

// LevelDB writes zstd with zlib's byte. No deflate stream begins like a zstd
// frame, so the two cannot be confused.
const Codec* FindCodecOf(CompressionType type, int compress_format,
                         const Slice& payload) {
  constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
  if (type == CompressionType::kZlibCompression && compress_format == 1 &&
      payload.starts_with(kZstdMagic)) {
    return FindLevelDbZstd();
  }
  return FindCodec(type);
}

// Returns false if the size is unknown, or so far above what the body usually
// stands for that memory is allocated only as the bytes come.
bool IsPlausible(const Codec& codec, const SizedPayload& sized) {
  constexpr uint64_t kUsualExpansion = 1032;
  if (!codec.decodes_unsized) return true;
  return sized.has_size &&
         sized.raw_size / kUsualExpansion <= sized.body.size();
}

Status DecodeAsItComes(const SizedPayload& sized,
                       const CodecDictionary& dictionary,
                       const DecompressLimits& limits, BlockDecoder* decoder,
                       Buffer* out) {
  const size_t limit = sized.has_size ? static_cast<size_t>(sized.raw_size)
                                      : limits.max_uncompressed_bytes;
  const size_t before = out->size();
  Status s = decoder->DecodeUnsized(sized.body, dictionary, limit, out);
  if (sized.has_size && s.subcode() == Status::SubCode::kAboveSizeLimit) {
    // Not the caller's limit, but the size that the block declares.
    return Status::Corruption(s.message());
  }
  const size_t produced = out->size() - before;
  if (!s.ok() || !sized.has_size || produced == limit) return s;
  out->Truncate(before);
  return Status::Corruption("declared " + std::to_string(limit) +
                            " uncompressed bytes, produced " +
                            std::to_string(produced));
}

CodecDictionary DictionaryFor(const Codec& codec,
                              const DecompressionDictionary* dictionary) {
  return dictionary == nullptr ? CodecDictionary() : dictionary->For(codec);
}

}  // namespace

Result<std::unique_ptr<Compressor>> NewCompressor(
    CompressionType type, const CompressionOptions& options,
    const Slice& dictionary) {
  const Codec* codec = FindCodec(type);
  if (codec == nullptr) return Unavailable(type);
  if (codec->new_compressor == nullptr) {
    return Status::InvalidArgument("compression type " + Word(type) +
                                   " has no compressor");
  }
  Status options_ok = CheckOptions(*codec, options);
  if (!options_ok.ok()) return options_ok;
  std::unique_ptr<Compressor> compressor =
      codec->new_compressor(options, dictionary);
  if (compressor == nullptr) return OutOfMemory(type, "a compressor");
  return compressor;
}

Decompressor::Decompressor() = default;
Decompressor::~Decompressor() = default;
Decompressor::Decompressor(Decompressor&&) noexcept = default;
Decompressor& Decompressor::operator=(Decompressor&&) noexcept = default;

Status Decompressor::Begin(CompressionType type, int compress_format,
                           const Slice& payload, const DecompressLimits& limits,
                           Begun* begun) {
  assert(compress_format == 1 || compress_format == 2);
  const Codec* codec = FindCodecOf(type, compress_format, payload);
  if (codec == nullptr) return Unavailable(type);
  SizedPayload sized;
  Status s = codec->read_size(compress_format, payload, &sized);
  if (s.ok() && sized.has_size) s = CheckDeclaredSize(*codec, sized, limits);
  if (!s.ok()) return s;

  const auto row =
      static_cast<size_t>(FindCodec(codec->type) - BuiltInCodecs().data());
  assert(row < decoders_.size());
  std::unique_ptr<BlockDecoder>& decoder = decoders_[row];
  if (decoder == nullptr) decoder = codec->new_decoder();
  if (decoder == nullptr) return OutOfMemory(type, "a decompressor");
  *begun = {codec, decoder.get(), sized, IsPlausible(*codec, sized)};
  return Status::OK();
}

Status Decompressor::DecodeTo(const Begun& begun,
                              const DecompressionDictionary* dictionary,
                              char* out) {
  assert(begun.is_sized);
  return begun.decoder->Decode(begun.sized.body,
                               DictionaryFor(*begun.codec, dictionary), out,
                               begun.raw_size());
}

Status Decompressor::Decompress(CompressionType type, int compress_format,
                                const Slice& payload,
                                const DecompressLimits& limits, Buffer* out,
                                const DecompressionDictionary* dictionary) {
  Begun begun;
  Status s = Begin(type, compress_format, payload, limits, &begun);
  if (!s.ok()) return s;
  if (!begun.is_sized) {
    return DecodeAsItComes(begun.sized, DictionaryFor(*begun.codec, dictionary),
                           limits, begun.decoder, out);
  }
  // At least one byte: libraries dislike a null destination.
  if (!out->TryReserve(std::max<size_t>(begun.raw_size(), 1))) {
    return OutOfMemory(type, std::to_string(begun.raw_size()) + " bytes");
  }
  s = DecodeTo(begun, dictionary, out->end());
  if (s.ok()) out->Advance(begun.raw_size());
  return s;
}

}  // namespace ashlar::internal
