#include "table/write/compression_verifier.h"

#include <algorithm>
#include <string_view>

#include "util/compress/known_types.h"

namespace ashlar::internal {

namespace {

std::string HexByte(char c) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const auto byte = static_cast<uint8_t>(c);
  return {'0', 'x', kDigits[byte >> 4], kDigits[byte & 15]};
}

}  // namespace

Status CompressionVerifier::Verify(CompressionType type, const Slice& raw,
                                   const Slice& payload) {
  constexpr int kCompressFormat = 2;  // of all versions that we write
  decompressed_.clear();
  const DecompressLimits limits{.max_uncompressed_bytes = raw.size()};
  Status status =
      custom_ != nullptr
          ? custom_->Decompress(type, payload, limits, true, &decompressed_)
          : decompressor_.Decompress(type, kCompressFormat, payload, limits,
                                     &decompressed_, dictionary_.get());
  const auto codec = [type] {
    const KnownCompressionType* const known = FindKnownType(type);
    return known != nullptr ? std::string(known->word) : "the codec";
  };
  if (!status.ok()) return status.WithPrefix(codec() + " cannot read it back");
  const Slice found = decompressed_.slice();
  if (found == raw) return {};
  if (found.size() != raw.size()) {
    return Status::Corruption(codec() + " gives back " +
                              std::to_string(found.size()) +
                              " bytes, expected " + std::to_string(raw.size()));
  }
  const auto differs = std::mismatch(raw.begin(), raw.end(), found.begin());
  return Status::Corruption(codec() + " gives back other bytes: byte " +
                            std::to_string(differs.first - raw.begin()) +
                            " of " + std::to_string(raw.size()) + " is " +
                            HexByte(*differs.second) + ", expected " +
                            HexByte(*differs.first));
}

Status LocateUnverified(const Status& cause, const std::string& file_name,
                        const BlockPlace& place) {
  // A codec that cannot compress says so by Aborted, which no verifier does.
  if (cause.IsAborted() || cause.subcode() == Status::SubCode::kCodecFailed) {
    return place.Wrap("cannot compress", cause).WithPrefix(file_name);
  }
  constexpr std::string_view kWhat = "verify_compression failed";
  if (!cause.IsCorruption()) {
    return place.Wrap(kWhat, cause).WithPrefix(file_name);
  }
  // The cause may have a subcode of its own.
  return place
      .Corruption(kWhat, cause.message(),
                  Status::SubCode::kCompressionNotVerified)
      .WithPrefix(file_name);
}

}  // namespace ashlar::internal
