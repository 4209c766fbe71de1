// What the classes of util/custom_codec.h have by default.
#include "ashlar/util/custom_codec.h"

#include <string>

#include "util/compress/size_prefix.h"

namespace ashlar {

CustomDictionary::~CustomDictionary() = default;
CustomCompressor::~CustomCompressor() = default;
CustomDecompressor::~CustomDecompressor() = default;
CustomCodec::~CustomCodec() = default;

Status CustomDecompressor::ReadSize(CompressionType /*type*/,
                                    const Slice& payload, uint64_t* size,
                                    Slice* body) const {
  internal::SizedPayload sized;
  if (!internal::ReadVarintPrefix(payload, &sized)) {
    return Status::Corruption("block of " + std::to_string(payload.size()) +
                              " bytes: expected its uncompressed size first");
  }
  *size = sized.raw_size;
  *body = sized.body;
  return {};
}

Result<std::unique_ptr<const CustomDictionary>> CustomCodec::PrepareDictionary(
    const Slice& /*bytes*/) const {
  return Status::NotSupported("it has no dictionaries");
}

}  // namespace ashlar
