#include "util/compress/dictionary.h"

#include <utility>

namespace ashlar::internal {

namespace {

bool IsTrained(CompressionType type, const CompressionOptions& options) {
  const Codec* const codec = FindCodec(type);
  return codec != nullptr && codec->train != nullptr &&
         options.zstd_max_train_bytes != 0;
}

}  // namespace

size_t SampleBytesFor(CompressionType type, const CompressionOptions& options) {
  if (options.max_dict_bytes == 0) return 0;
  return IsTrained(type, options) ? options.zstd_max_train_bytes
                                  : options.max_dict_bytes;
}

std::string MakeDictionary(CompressionType type,
                           const CompressionOptions& options,
                           DictionarySamples samples) {
  if (samples.bytes.empty() || !IsTrained(type, options)) {
    return std::move(samples.bytes);
  }
  return FindCodec(type)->train(options, samples);
}

DecompressionDictionary::DecompressionDictionary(const Slice& bytes,
                                                 const std::bitset<256>& types)
    : bytes_(bytes.ToString()) {
  for (const Codec& codec : BuiltInCodecs()) {
    if (codec.digest == nullptr || !types[static_cast<uint8_t>(codec.type)] ||
        For(codec).digested != nullptr) {
      continue;
    }
    digested_.push_back({codec.digest, codec.digest(bytes_)});
  }
}

size_t DecompressionDictionary::memory_usage() const {
  size_t bytes = bytes_.capacity() + digested_.capacity() * sizeof(Digested);
  for (const Digested& digested : digested_) {
    if (digested.dictionary != nullptr) {
      bytes += digested.dictionary->memory_usage();
    }
  }
  return bytes;
}

CodecDictionary DecompressionDictionary::For(const Codec& codec) const {
  for (const Digested& digested : digested_) {
    if (digested.made_by == codec.digest) {
      return {bytes_, digested.dictionary.get()};
    }
  }
  return {bytes_, nullptr};
}

}  // namespace ashlar::internal
