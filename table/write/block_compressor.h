// BlockCompressor: decides whether a block is stored compressed; and proves, if
// the options ask for it, that it can be decompressed.
//
// The codec is built in, or one of the application's (CustomBlocks). Each
// thread that compresses blocks of a table has a BlockCompressor of its own:
// one thread at a time.
#ifndef ASHLAR_TABLE_WRITE_BLOCK_COMPRESSOR_H_
#define ASHLAR_TABLE_WRITE_BLOCK_COMPRESSOR_H_

#include <algorithm>
#include <bitset>
#include <memory>
#include <string>

#include "ashlar/table/options.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "table/counters/read_counters.h"
#include "table/write/compression_verifier.h"
#include "util/compress/codec.h"
#include "util/compress/custom_blocks.h"
#include "util/compress/known_types.h"
#include "util/compress/registry.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class BlockCompressor {
 public:
  // `codec` is null if nothing is to be compressed, `verifier` if nothing is to
  // be verified.
  BlockCompressor(std::unique_ptr<Compressor> codec, CompressionType type,
                  int max_compressed_bytes_per_kb,
                  std::unique_ptr<CompressionVerifier> verifier = nullptr)
      : codec_(std::move(codec)),
        type_(type),
        has_size_prefix_(FindKnownType(type)->has_size_prefix),
        per_kb_(
            static_cast<size_t>(std::min(max_compressed_bytes_per_kb, 1023))),
        verifier_(std::move(verifier)) {}

  // Compresses by a codec of the application.
  BlockCompressor(std::shared_ptr<const CustomBlocks> custom,
                  std::unique_ptr<CustomCompressor> compressor,
                  CompressionType type, int max_compressed_bytes_per_kb,
                  std::unique_ptr<CompressionVerifier> verifier)
      : custom_(std::move(custom)),
        custom_compressor_(std::move(compressor)),
        type_(type),
        has_size_prefix_(false),
        per_kb_(
            static_cast<size_t>(std::min(max_compressed_bytes_per_kb, 1023))),
        verifier_(std::move(verifier)) {}

  // From then on the times of Compress are added to these statistics. Null:
  // they are not taken.
  void CountTo(const Statistics* statistics) { statistics_ = statistics; }

  bool active() const {
    return (codec_ != nullptr || custom_ != nullptr) && per_kb_ != 0;
  }
  CompressionType type() const { return type_; }

  // Appends the payload to *out, and sets *compressed to true. If the payload
  // would not be small enough to be worth it, sets *compressed to false, and
  // leaves *out alone: the block is stored raw. The codec gets no more room
  // than that, so that it can stop early.
  //
  // Returns the error of the verifier, or of a codec of the application, if
  // there is one, without the block's place: LocateUnverified adds that. A
  // payload that is then in *out must not get into the file.
  Status Compress(const Slice& raw, Buffer* out, bool* compressed) {
    size_t size = 0;
    {
      const HistogramTimer timer(statistics_,
                                 Histogram::kCompressionTimesNanos);
      if (custom_ == nullptr) [[likely]] {
        size = Append(raw, out);
      } else {
        Status status = AppendCustom(raw, out, &size);
        if (!status.ok()) {
          *compressed = false;
          return status;
        }
      }
    }
    *compressed = size != 0;
    if (verifier_ == nullptr || size == 0) [[likely]] {
      return {};
    }
    return verifier_->Verify(type_, raw, Slice(out->end() - size, size));
  }

 private:
  // Returns the size of the payload; 0: the block is stored raw.
  size_t Append(const Slice& raw, Buffer* out) {
    // Below this there is no room for a size and anything after it.
    constexpr size_t kLeastRoom = 6;
    if (raw.size() > kMaxCompressibleBytes) return 0;
    const size_t room = (raw.size() * per_kb_) >> 10;
    const size_t least = has_size_prefix_ ? kLeastRoom : 1;
    if (room < least) return 0;
    out->Reserve(room);
    const size_t size = codec_->Compress(raw, out->end(), room);
    out->Advance(size);
    return size;
  }

  Status AppendCustom(const Slice& raw, Buffer* out, size_t* size) {
    const size_t room = (raw.size() * per_kb_) >> 10;
    return room == 0 ? Status()
                     : custom_->Compress(custom_compressor_.get(), raw, room,
                                         out, size);
  }

  std::unique_ptr<Compressor> codec_;
  // Null unless the codec is the application's. The compressor refers to it.
  std::shared_ptr<const CustomBlocks> custom_;
  std::unique_ptr<CustomCompressor> custom_compressor_;
  CompressionType type_;
  bool has_size_prefix_;
  size_t per_kb_;
  std::unique_ptr<CompressionVerifier> verifier_;
  const Statistics* statistics_ = nullptr;
};

// The dictionary that all data blocks are compressed with.
struct BlockDictionary {
  std::string bytes;  // empty: there is none
  // As verifiers need it; null if nothing is verified.
  std::shared_ptr<const DecompressionDictionary> digested;
  // The application's codec, which has the dictionary; null: there is none.
  std::shared_ptr<const CustomBlocks> custom;
};

inline std::shared_ptr<CustomBlocks> CustomBlocksFor(
    const TableOptions& options) {
  return std::make_shared<CustomBlocks>(
      std::string(options.codec->CompatibilityName()), options.codec);
}

// Returns an error if the application's codec cannot use the dictionary.
inline Result<BlockDictionary> BlockDictionaryFor(const TableOptions& options,
                                                  std::string bytes) {
  BlockDictionary dictionary{std::move(bytes), nullptr, nullptr};
  if (options.codec != nullptr) {
    std::shared_ptr<CustomBlocks> custom = CustomBlocksFor(options);
    if (!dictionary.bytes.empty()) {
      Status status = custom->TakeDictionary(dictionary.bytes);
      if (!status.ok()) return status;
    }
    dictionary.custom = std::move(custom);
  } else if (options.verify_compression && !dictionary.bytes.empty()) {
    std::bitset<256> types;
    types.set(static_cast<uint8_t>(options.compression));
    dictionary.digested =
        std::make_shared<DecompressionDictionary>(dictionary.bytes, types);
  }
  return dictionary;
}

inline Result<BlockCompressor> CustomCompressorFor(
    const TableOptions& options, const BlockDictionary& dictionary) {
  std::shared_ptr<const CustomBlocks> custom = dictionary.custom;
  if (custom == nullptr) custom = CustomBlocksFor(options);
  Result<std::unique_ptr<CustomCompressor>> made =
      custom->NewCompressor(options.compression, options.compression_opts);
  if (!made.ok()) return made.status();
  std::unique_ptr<CompressionVerifier> verifier;
  if (options.verify_compression) {
    verifier = std::make_unique<CompressionVerifier>(custom);
  }
  return BlockCompressor(std::move(custom), std::move(made).value(),
                         options.compression,
                         options.compression_opts.max_compressed_bytes_per_kb,
                         std::move(verifier));
}

// Returns a BlockCompressor for one thread that builds a table with these
// options.
inline Result<BlockCompressor> BlockCompressorFor(
    const TableOptions& options, const BlockDictionary& dictionary = {}) {
  if (options.codec != nullptr) return CustomCompressorFor(options, dictionary);
  std::unique_ptr<Compressor> codec;
  std::unique_ptr<CompressionVerifier> verifier;
  if (options.compression != CompressionType::kNoCompression) {
    Result<std::unique_ptr<Compressor>> made = NewCompressor(
        options.compression, options.compression_opts, dictionary.bytes);
    if (!made.ok()) return made.status();
    codec = std::move(made).value();
    if (options.verify_compression) {
      verifier = std::make_unique<CompressionVerifier>(dictionary.digested);
    }
  }
  return BlockCompressor(std::move(codec), options.compression,
                         options.compression_opts.max_compressed_bytes_per_kb,
                         std::move(verifier));
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_BLOCK_COMPRESSOR_H_
