#include "ashlar/table/options.h"

#include "util/compress/known_types.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

Status OutOfRange(std::string_view field, const std::string& value,
                  std::string_view expected) {
  std::string text(field);
  text.append(" is ").append(value).append(", expected ").append(expected);
  return Status::InvalidArgument(std::move(text));
}

// Blocks must stay below 2 GiB, the limit of RocksDB's readers, even with the
// one entry that overfills them.
constexpr uint64_t kMaxBlockSize = uint64_t{1} << 28;
constexpr uint32_t kMaxDictionaryBytes = uint32_t{1} << 28;
constexpr double kMinBloomBits = 0.5;
constexpr double kMaxBloomBits = 100;

bool HasFrameChecksum(CompressionType type) {
  const auto* const known = internal::FindKnownType(type);
  return known != nullptr && known->has_frame_checksum;
}

Status ValidateBlocks(const TableOptions& o) {
  if (o.block_size < 1 || o.block_size > kMaxBlockSize) {
    return OutOfRange("block_size", std::to_string(o.block_size),
                      "1 to 268435456");
  }
  if (o.block_size_deviation < 0 || o.block_size_deviation > 100) {
    return OutOfRange("block_size_deviation",
                      std::to_string(o.block_size_deviation), "0 to 100");
  }
  if (o.block_restart_interval < 1) {
    return OutOfRange("block_restart_interval",
                      std::to_string(o.block_restart_interval), "1 or more");
  }
  if (o.index_block_restart_interval < 1) {
    return OutOfRange("index_block_restart_interval",
                      std::to_string(o.index_block_restart_interval),
                      "1 or more");
  }
  return {};
}

Status ValidateIndex(const TableOptions& o) {
  if (o.index_type > IndexType::kBinarySearchWithFirstKey) {
    return OutOfRange("index_type",
                      std::to_string(static_cast<int>(o.index_type)), "0 to 3");
  }
  if (o.index_type == IndexType::kHashSearch && o.prefix_extractor == nullptr) {
    return Status::InvalidArgument(
        "index_type is kHashSearch, but prefix_extractor is null");
  }
  if (o.index_type == IndexType::kHashSearch &&
      o.index_block_restart_interval != 1) {
    return Status::InvalidArgument(
        "index_type is kHashSearch, but index_block_restart_interval is " +
        std::to_string(o.index_block_restart_interval) + ", expected 1");
  }
  if (o.partition_filters && o.index_type != IndexType::kTwoLevelIndexSearch) {
    return Status::InvalidArgument(
        "partition_filters is true, but index_type is not "
        "kTwoLevelIndexSearch");
  }
  if (o.metadata_block_size < 1 || o.metadata_block_size > kMaxBlockSize) {
    return OutOfRange("metadata_block_size",
                      std::to_string(o.metadata_block_size), "1 to 268435456");
  }
  return {};
}

bool IsPowerOfTwo(uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

Status ValidateDataBlockIndex(const TableOptions& o) {
  constexpr double kMinRatio = 0.001;
  constexpr double kMaxRatio = 1000;
  if (o.data_block_index_type > DataBlockIndexType::kDataBlockBinaryAndHash) {
    return OutOfRange("data_block_index_type",
                      std::to_string(static_cast<int>(o.data_block_index_type)),
                      "kDataBlockBinarySearch or kDataBlockBinaryAndHash");
  }
  const double ratio = o.data_block_hash_table_util_ratio;
  const bool in_range = ratio >= kMinRatio && ratio <= kMaxRatio;
  if (o.data_block_index_type == DataBlockIndexType::kDataBlockBinaryAndHash &&
      !in_range) {
    return OutOfRange("data_block_hash_table_util_ratio", std::to_string(ratio),
                      "0.001 to 1000");
  }
  return {};
}

Status ValidateAlignment(const TableOptions& o) {
  constexpr uint64_t kMaxSuperBlock = uint64_t{1} << 30;
  if (o.block_align && o.compression != CompressionType::kNoCompression) {
    return Status::InvalidArgument(
        "block_align is true, but compression is " +
        std::string(CompressionTypeEnumName(o.compression)) +
        ": only uncompressed blocks are aligned");
  }
  if (o.block_align && !IsPowerOfTwo(o.block_size)) {
    return Status::InvalidArgument("block_align is true, but block_size is " +
                                   std::to_string(o.block_size) +
                                   ", expected a power of two");
  }
  const uint64_t super = o.super_block_alignment_size;
  if (super == 0) return {};
  if (!IsPowerOfTwo(super) || super > kMaxSuperBlock) {
    return OutOfRange("super_block_alignment_size", std::to_string(super),
                      "0, or a power of two up to 1073741824");
  }
  if (super <= o.block_size) {
    return Status::InvalidArgument(
        "super_block_alignment_size is " + std::to_string(super) +
        ", expected more than block_size, which is " +
        std::to_string(o.block_size));
  }
  return {};
}

Status ValidateCompression(const TableOptions& o) {
  if (o.compression_opts.max_compressed_bytes_per_kb < 0) {
    return OutOfRange(
        "compression_opts.max_compressed_bytes_per_kb",
        std::to_string(o.compression_opts.max_compressed_bytes_per_kb),
        "0 or more");
  }
  if (!IsCompressionSupported(o.compression)) {
    return Status::NotSupported(
        "compression " + std::string(CompressionTypeEnumName(o.compression)) +
            " is not built in",
        Status::SubCode::kNotBuiltIn);
  }
  const int level = o.compression_opts.level;
  const CompressionLevelRange range = CompressionLevels(o.compression);
  if (level != CompressionOptions::kDefaultLevel &&
      o.compression != CompressionType::kNoCompression &&
      (level < range.min || level > range.max)) {
    return OutOfRange("compression_opts.level", std::to_string(level),
                      std::to_string(range.min) + " to " +
                          std::to_string(range.max) + " for " +
                          std::string(CompressionTypeName(o.compression)));
  }
  if (o.compression_opts.max_dict_bytes > kMaxDictionaryBytes) {
    return OutOfRange("compression_opts.max_dict_bytes",
                      std::to_string(o.compression_opts.max_dict_bytes),
                      "at most 268435456");
  }
  if (o.compression_opts.zstd_max_train_bytes != 0 &&
      o.compression_opts.max_dict_bytes == 0) {
    return Status::InvalidArgument(
        "compression_opts.zstd_max_train_bytes is " +
        std::to_string(o.compression_opts.zstd_max_train_bytes) +
        ", but compression_opts.max_dict_bytes is 0: no dictionary to train");
  }
  const int window_bits = o.compression_opts.window_bits;
  if (window_bits < -14 || window_bits > -9) {
    return OutOfRange("compression_opts.window_bits",
                      std::to_string(window_bits), "-14 to -9");
  }
  const int strategy = o.compression_opts.strategy;
  if (strategy < 0 || strategy > 4) {
    return OutOfRange("compression_opts.strategy", std::to_string(strategy),
                      "0 to 4");
  }
  if (o.compression_opts.checksum && !HasFrameChecksum(o.compression)) {
    return Status::InvalidArgument(
        "compression_opts.checksum is true, but compression is " +
        std::string(CompressionTypeEnumName(o.compression)) +
        ": only kZSTD has frame checksums");
  }
  return {};
}

}  // namespace

Status TableOptions::Validate() const {
  return internal::OrMemoryLimit([&]() -> Status {
    if (comparator == nullptr) {
      return Status::InvalidArgument("comparator is null");
    }
    if (!persist_user_defined_timestamps && comparator->timestamp_size() == 0) {
      return Status::InvalidArgument(
          "persist_user_defined_timestamps is false, but comparator is " +
          std::string(comparator->Name()) + ", which has no timestamps");
    }
    if (format_version < kMinFormatVersion ||
        format_version > kMaxFormatVersion) {
      return OutOfRange("format_version", std::to_string(format_version),
                        "2 to 7");
    }
    if (checksum > ChecksumType::kXXH3) {
      return OutOfRange("checksum", std::to_string(static_cast<int>(checksum)),
                        "0 to 4");
    }
    if (filter > FilterType::kRibbon) {
      return OutOfRange("filter", std::to_string(static_cast<int>(filter)),
                        "kNone, kBloom or kRibbon");
    }
    if (index_shortening > IndexShortening::kShortenSeparatorsAndSuccessor) {
      return OutOfRange("index_shortening",
                        std::to_string(static_cast<int>(index_shortening)),
                        "0 to 2");
    }
    const bool bits_in_range = bloom_bits_per_key >= kMinBloomBits &&
                               bloom_bits_per_key <= kMaxBloomBits;
    if (filter != FilterType::kNone && !bits_in_range) {
      return OutOfRange("bloom_bits_per_key",
                        std::to_string(bloom_bits_per_key), "0.5 to 100");
    }
    Status status = ValidateBlocks(*this);
    if (status.ok()) status = ValidateIndex(*this);
    if (status.ok()) status = ValidateDataBlockIndex(*this);
    if (status.ok()) status = ValidateAlignment(*this);
    if (status.ok()) status = ValidateCompression(*this);
    if (status.ok() && target_rocksdb.has_value()) {
      status = internal::CheckReadableBy(*this, *target_rocksdb);
    }
    return status;
  });
}

}  // namespace ashlar
