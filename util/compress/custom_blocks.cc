#include "util/compress/custom_blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "util/mem/memory_limit.h"

namespace ashlar::internal {

namespace {

constexpr std::string_view kBuiltInName = "BuiltinV2";
constexpr size_t kGuardBytes = 16;
static_assert(kGuardBytes <= Buffer::kSlack);
constexpr char kGuard = '\x5a';

void SetGuard(char* behind) { std::memset(behind, kGuard, kGuardBytes); }
bool GuardHolds(const char* behind) {
  return std::all_of(behind, behind + kGuardBytes,
                     [](char c) { return c == kGuard; });
}

std::string HexByte(CompressionType type) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto byte = static_cast<uint8_t>(type);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

bool IsNameByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

Status CheckCodecName(const CustomCodec& codec) {
  constexpr size_t kMostBytes = 255;
  const std::string_view name = codec.CompatibilityName();
  if (!name.empty() && name.size() <= kMostBytes && name != kBuiltInName &&
      std::all_of(name.begin(), name.end(), IsNameByte)) {
    return {};
  }
  return Status::InvalidArgument(
      "codec '" + std::string(name.substr(0, kMostBytes)) +
      "': expected a name of 1 to 255 letters, digits and underscores, other "
      "than BuiltinV2");
}

Status CheckCodecs(std::span<const std::shared_ptr<const CustomCodec>> codecs) {
  for (size_t i = 0; i < codecs.size(); ++i) {
    if (codecs[i] == nullptr) {
      return Status::InvalidArgument("codecs has a null pointer");
    }
    Status status = CheckCodecName(*codecs[i]);
    if (!status.ok()) return status;
    const std::string_view name = codecs[i]->CompatibilityName();
    if (FindCustomCodec(codecs.first(i), name) != nullptr) {
      return Status::InvalidArgument("codecs has two of the name '" +
                                     std::string(name) + "'");
    }
  }
  return {};
}

std::shared_ptr<const CustomCodec> FindCustomCodec(
    std::span<const std::shared_ptr<const CustomCodec>> codecs,
    std::string_view name) {
  for (const std::shared_ptr<const CustomCodec>& codec : codecs) {
    if (codec->CompatibilityName() == name) return codec;
  }
  return nullptr;
}

// Names the codec in its own error. Codes that mean something else in a read,
// such as NotFound, must not get out.
Status CustomBlocks::Failed(const Status& cause) const {
  const std::string name = "codec '" + name_ + "'";
  if (cause.IsNotSupported() || cause.IsAborted() || cause.IsIOError() ||
      cause.IsMemoryLimit()) {
    return cause.WithPrefix(name);
  }
  return Status::Corruption(cause.message(), Status::SubCode::kCodecFailed)
      .WithPrefix(name);
}

// The codec broke its contract.
Status CustomBlocks::Broken(std::string what) const {
  return Status::Corruption("codec '" + name_ + "' " + std::move(what),
                            Status::SubCode::kCodecFailed);
}

Status CustomBlocks::TakeDictionary(const Slice& bytes) {
  if (codec_ == nullptr) return {};
  Result<std::unique_ptr<const CustomDictionary>> prepared =
      codec_->PrepareDictionary(bytes);
  if (!prepared.ok()) {
    return Failed(prepared.status().WithPrefix("cannot use a dictionary"));
  }
  dictionary_ = std::move(prepared).value();
  return dictionary_ == nullptr ? Broken("made no dictionary") : Status();
}

Result<std::unique_ptr<CustomCompressor>> CustomBlocks::NewCompressor(
    CompressionType type, const CompressionOptions& options) const {
  Result<std::unique_ptr<CustomCompressor>> made =
      codec_->NewCompressor(type, options, dictionary_.get());
  if (!made.ok()) return Failed(made.status());
  if (made.value() == nullptr) return Broken("made no compressor");
  return made;
}

Status CustomBlocks::Compress(CustomCompressor* compressor, const Slice& raw,
                              size_t room, Buffer* out, size_t* size) const {
  *size = 0;
  out->Reserve(room);
  char* const behind = out->end() + room;
  SetGuard(behind);
  size_t made = 0;
  Status status = compressor->Compress(raw, out->end(), room, &made);
  if (!GuardHolds(behind)) {
    return Broken("wrote beyond its room of " + std::to_string(room) +
                  " bytes to compress " + std::to_string(raw.size()));
  }
  if (status.IsMemoryLimit()) return Failed(status);
  if (!status.ok()) {
    return Status::Aborted(status.message())
        .WithPrefix("codec '" + name_ + "'");
  }
  if (made > room) {
    return Broken("made " + std::to_string(made) + " bytes of " +
                  std::to_string(raw.size()) + ", expected at most " +
                  std::to_string(room));
  }
  out->Advance(made);
  *size = made;
  return {};
}

Result<std::unique_ptr<CustomDecompressor>> CustomBlocks::Take() const {
  {
    const MutexLock lock(&mutex_);
    if (!free_.empty()) {
      std::unique_ptr<CustomDecompressor> taken = std::move(free_.back());
      free_.pop_back();
      return taken;
    }
  }
  Result<std::unique_ptr<CustomDecompressor>> made = codec_->NewDecompressor();
  if (!made.ok()) return Failed(made.status());
  if (made.value() == nullptr) return Broken("made no decompressor");
  return made;
}

// Ends the decompressor if there is no memory to keep it.
void CustomBlocks::PutBack(
    std::unique_ptr<CustomDecompressor> decompressor) const noexcept {
  try {
    const MutexLock lock(&mutex_);
    free_.push_back(std::move(decompressor));
  } catch (const std::bad_alloc&) {
    // push_back has left it where it was.
  }
}

Status CustomBlocks::Decompress(CompressionType type, const Slice& payload,
                                const DecompressLimits& limits,
                                bool with_dictionary, Buffer* out) const {
  return OrMemoryLimit([&]() -> Status {
    if (codec_ == nullptr) {
      return Status::NotSupported("compression manager '" + name_ + "' (type " +
                                      HexByte(type) +
                                      "): no codec of that name was given",
                                  Status::SubCode::kCustomCompression);
    }
    Result<std::unique_ptr<CustomDecompressor>> taken = Take();
    if (!taken.ok()) return taken.status();
    const size_t before = out->size();
    Status status =
        DecompressBy(taken->get(), type, payload, limits, with_dictionary, out);
    if (!status.ok()) {
      // What a failed call left in the working area is not to be trusted.
      out->Truncate(before);
      return status;
    }
    PutBack(std::move(taken).value());
    return {};
  });
}

Status CustomBlocks::DecompressBy(CustomDecompressor* decompressor,
                                  CompressionType type, const Slice& payload,
                                  const DecompressLimits& limits,
                                  bool with_dictionary, Buffer* out) const {
  uint64_t declared = 0;
  Slice body;
  Status status = decompressor->ReadSize(type, payload, &declared, &body);
  if (!status.ok()) return Failed(status);
  if (declared > limits.max_uncompressed_bytes) {
    return Status::Corruption("codec '" + name_ + "': block declares " +
                                  std::to_string(declared) +
                                  " uncompressed bytes, above the limit of " +
                                  std::to_string(limits.max_uncompressed_bytes),
                              Status::SubCode::kAboveSizeLimit);
  }
  const auto size = static_cast<size_t>(declared);
  if (!out->TryReserve(std::max<size_t>(size, 1))) {
    return Status::MemoryLimit("out of memory for " + std::to_string(size) +
                               " bytes");
  }
  char* const behind = out->end() + size;
  SetGuard(behind);
  size_t made = 0;
  status = decompressor->Decompress(
      type, body, with_dictionary ? dictionary_.get() : nullptr, out->end(),
      size, &made);
  if (!GuardHolds(behind)) {
    return Broken("wrote beyond its room of " + std::to_string(size) +
                  " bytes to decompress " + std::to_string(payload.size()));
  }
  if (!status.ok()) return Failed(status);
  if (made != size) {
    return Broken("made " + std::to_string(made) +
                  " uncompressed bytes, expected " + std::to_string(size));
  }
  out->Advance(size);
  return {};
}

}  // namespace ashlar::internal
