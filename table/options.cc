// TableOptions::Validate: the bounds of option_rows.cc, and then the rules
// about several options, one function each.

#include "ashlar/table/options.h"

#include <bit>

#include "ashlar/table/filter_policy.h"
#include "ashlar/table/option_table.h"
#include "ashlar/util/custom_codec.h"
#include "util/compress/custom_blocks.h"
#include "util/compress/known_types.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

// The first version whose files can name a codec of an application.
constexpr uint32_t kFirstCustomCodecVersion = 7;

std::string EnumName(CompressionType type) {
  return std::string(CompressionTypeEnumName(type));
}

Status CheckComparator(const TableOptions& o) {
  if (o.comparator != nullptr) return {};
  return Status::InvalidArgument("comparator is null");
}

Status CheckTimestamps(const TableOptions& o) {
  if (o.persist_user_defined_timestamps || o.comparator->timestamp_size() != 0)
    return {};
  return Status::InvalidArgument(
      "persist_user_defined_timestamps is false, but comparator is " +
      std::string(o.comparator->Name()) + ", which has no timestamps");
}

Status CheckHashSearch(const TableOptions& o) {
  if (o.index_type != IndexType::kHashSearch) return {};
  if (o.prefix_extractor == nullptr) {
    return Status::InvalidArgument(
        "index_type is kHashSearch, but prefix_extractor is null");
  }
  if (o.index_block_restart_interval == 1) return {};
  return Status::InvalidArgument(
      "index_type is kHashSearch, but index_block_restart_interval is " +
      std::to_string(o.index_block_restart_interval) + ", expected 1");
}

Status CheckPartitionedFilters(const TableOptions& o) {
  if (!o.partition_filters || o.index_type == IndexType::kTwoLevelIndexSearch) {
    return {};
  }
  return Status::InvalidArgument(
      "partition_filters is true, but index_type is not kTwoLevelIndexSearch");
}

Status CheckAlignedBlocks(const TableOptions& o) {
  if (!o.block_align) return {};
  if (o.compression != CompressionType::kNoCompression) {
    return Status::InvalidArgument("block_align is true, but compression is " +
                                   EnumName(o.compression) +
                                   ": only uncompressed blocks are aligned");
  }
  if (std::has_single_bit(o.block_size)) return {};
  return Status::InvalidArgument("block_align is true, but block_size is " +
                                 std::to_string(o.block_size) +
                                 ", expected a power of two");
}

Status CheckSuperBlocks(const TableOptions& o) {
  const uint64_t size = o.super_block_alignment_size;
  if (size == 0 || size > o.block_size) return {};
  return Status::InvalidArgument("super_block_alignment_size is " +
                                 std::to_string(size) +
                                 ", expected more than block_size, which is " +
                                 std::to_string(o.block_size));
}

Status CheckCustomCodec(const TableOptions& o) {
  Status status = internal::CheckCodecName(*o.codec);
  if (!status.ok()) return status;
  const std::string name(o.codec->CompatibilityName());
  if (o.format_version < kFirstCustomCodecVersion) {
    return Status::InvalidArgument(
        "codec is '" + name + "', but format_version is " +
        std::to_string(o.format_version) + ", expected 7");
  }
  if (IsCustomCompressionType(o.compression) &&
      o.codec->Supports(o.compression)) {
    return {};
  }
  return Status::InvalidArgument(
      "compression is " + std::to_string(static_cast<int>(o.compression)) +
      ", expected a custom type, 128 to 254, that codec '" + name +
      "' supports");
}

Status CheckEmbeddedBlobs(const TableOptions& o) {
  if (!o.embedded_blob_options.enable) return {};
  constexpr uint32_t kFirstVersion = 7;
  if (o.format_version < kFirstVersion) {
    return Status::InvalidArgument(
        "embedded_blob_options.enable is true, but format_version is " +
        std::to_string(o.format_version) + ", expected 7");
  }
  if (!o.block_align) return {};
  return Status::InvalidArgument(
      "embedded_blob_options.enable is true, but block_align is true too: "
      "blobs are not aligned, nor are blocks after them");
}

Status CheckCodec(const TableOptions& o) {
  if (o.codec != nullptr) return CheckCustomCodec(o);
  if (IsCompressionSupported(o.compression)) return {};
  return Status::NotSupported(
      "compression " + EnumName(o.compression) + " is not built in",
      Status::SubCode::kNotBuiltIn);
}

Status CheckLevel(const TableOptions& o) {
  const int level = o.compression_opts.level;
  // A codec of the application has a scale of its own.
  if (level == CompressionOptions::kDefaultLevel || o.codec != nullptr ||
      o.compression == CompressionType::kNoCompression) {
    return {};
  }
  const CompressionLevelRange range = CompressionLevels(o.compression);
  if (level >= range.min && level <= range.max) return {};
  return Status::InvalidArgument(
      "compression_opts.level is " + std::to_string(level) + ", expected " +
      std::to_string(range.min) + " to " + std::to_string(range.max) + " for " +
      std::string(CompressionTypeName(o.compression)));
}

Status CheckDictionary(const TableOptions& o) {
  const CompressionOptions& codec = o.compression_opts;
  if (codec.zstd_max_train_bytes == 0 || codec.max_dict_bytes != 0) return {};
  return Status::InvalidArgument(
      "compression_opts.zstd_max_train_bytes is " +
      std::to_string(codec.zstd_max_train_bytes) +
      ", but compression_opts.max_dict_bytes is 0: no dictionary to train");
}

Status CheckFrameChecksum(const TableOptions& o) {
  const auto* const known = internal::FindKnownType(o.compression);
  if (!o.compression_opts.checksum ||
      (known != nullptr && known->has_frame_checksum)) {
    return {};
  }
  return Status::InvalidArgument(
      "compression_opts.checksum is true, but compression is " +
      EnumName(o.compression) + ": only kZSTD has frame checksums");
}

Status CheckFilterPolicy(const TableOptions& o) {
  if (o.filter_policy == nullptr) return {};
  Status status = internal::CheckPolicyName(*o.filter_policy);
  if (!status.ok()) return status;
  const auto conflict = [](const char* what) {
    return Status::InvalidArgument(std::string("filter_policy is set, but ") +
                                   what);
  };
  if (o.filter == FilterType::kNone) return conflict("filter is kNone");
  if (o.optimize_filters_for_memory) {
    return conflict("optimize_filters_for_memory is true");
  }
  if (o.detect_filter_construct_corruption) {
    return conflict("detect_filter_construct_corruption is true");
  }
  return {};
}

Status CheckTarget(const TableOptions& o) {
  if (!o.target_rocksdb.has_value()) return {};
  return internal::CheckReadableBy(o, *o.target_rocksdb);
}

// In this order: a later rule may rely on an earlier one.
constexpr Status (*kRules[])(const TableOptions&) = {
    CheckComparator,    CheckTimestamps,
    CheckHashSearch,    CheckPartitionedFilters,
    CheckAlignedBlocks, CheckSuperBlocks,
    CheckEmbeddedBlobs, CheckCodec,
    CheckLevel,         CheckDictionary,
    CheckFrameChecksum, CheckFilterPolicy,
    CheckTarget,
};

}  // namespace

Status TableOptions::Validate() const {
  return internal::OrMemoryLimit([&]() -> Status {
    Status status = internal::CheckBounds(*this);
    for (const auto rule : kRules) {
      if (status.ok()) status = rule(*this);
    }
    return status;
  });
}

}  // namespace ashlar
