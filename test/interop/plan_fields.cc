#include "test/interop/plan_fields.h"

#include <array>
#include <memory>

#include "ashlar/table/flush_block_policy.h"
#include "test/interop/own_blocks.h"

namespace ashlar::interop {

namespace {

using Codec = CompressionType;

class OwnBlocksPolicy final : public FlushBlockPolicy {
 public:
  bool Update(const Slice& internal_key, const Slice& /*value*/) override {
    return blocks_.EndBefore(internal_key.ToStringView());
  }

 private:
  OwnBlocks blocks_;
};

class OwnBlocksFactory final : public FlushBlockPolicyFactory {
 public:
  std::unique_ptr<FlushBlockPolicy> NewFlushBlockPolicy() const override {
    return std::make_unique<OwnBlocksPolicy>();
  }
};

// Requires one value for each label of the row.
template <typename T, size_t kCount>
constexpr T Pick(size_t value, const T (&values)[kCount]) {
  return values[value];
}

constexpr auto
    kFields =
        std::to_array<PlanField>(
            {
                {"format_version", "fv6 fv2 fv3 fv4 fv5 fv7",
                 [](size_t value, Plan* plan) {
                   plan->options.format_version =
                       Pick<uint32_t>(value, {6, 2, 3, 4, 5, 7});
                 }},
                {"compression", "none snappy lz4 zstd zlib bzip2 lz4hc",
                 [](size_t value, Plan* plan) {
                   plan->options.compression =
                       Pick(value,
                            {Codec::kNoCompression, Codec::kSnappyCompression,
                             Codec::kLZ4Compression, Codec::kZSTD,
                             Codec::kZlibCompression, Codec::kBZip2Compression,
                             Codec::kLZ4HCCompression});
                 }},
                {"checksum", "xxh3 crc32c xxhash xxhash64 nochecksum",
                 [](size_t value, Plan* plan) {
                   plan->options.checksum = Pick(
                       value, {ChecksumType::kXXH3, ChecksumType::kCRC32c,
                               ChecksumType::kxxHash, ChecksumType::kxxHash64,
                               ChecksumType::kNoChecksum});
                 }},
                {"filter", "bloom nofilter ribbon",
                 [](size_t value, Plan* plan) {
                   plan->options.filter =
                       Pick(value, {FilterType::kBloom, FilterType::kNone,
                                    FilterType::kRibbon});
                 }},
                {"block_size", "b4096 b512 b16384",
                 [](size_t value, Plan* plan) {
                   plan->options.block_size =
                       Pick<uint64_t>(value, {4096, 512, 16384});
                 }},
                {"block_restart_interval", "r16 r1 r4",
                 [](size_t value, Plan* plan) {
                   plan->options.block_restart_interval =
                       Pick(value, {16, 1, 4});
                 }},
                {"shape", "random prefixes empty large deletes merges versions",
                 [](size_t value, Plan* plan) {
                   plan->shape = static_cast<Shape>(value);
                 }},
                {"index_block_restart_interval", "ir1 ir4 ir16",
                 [](size_t value, Plan* plan) {
                   plan->options.index_block_restart_interval =
                       Pick(value, {1, 4, 16});
                 }},
                {"use_delta_encoding", "delta whole",
                 [](size_t value, Plan* plan) {
                   plan->options.use_delta_encoding = value == 0;
                 }},
                {"index_shortening", "short full shorter",
                 [](size_t value, Plan* plan) {
                   plan->options.index_shortening =
                       Pick(value,
                            {IndexShortening::kShortenSeparators,
                             IndexShortening::kNoShortening,
                             IndexShortening::kShortenSeparatorsAndSuccessor});
                 }},
                {"index_type", "binary twolevel firstkey",
                 [](size_t value, Plan* plan) {
                   plan->options.index_type =
                       Pick(value, {IndexType::kBinarySearch,
                                    IndexType::kTwoLevelIndexSearch,
                                    IndexType::kBinarySearchWithFirstKey});
                 }},
                {"metadata_block_size", "meta4096 meta1 meta128 meta600",
                 [](size_t value, Plan* plan) {
                   plan->options.metadata_block_size =
                       Pick<uint64_t>(value, {4096, 1, 128, 600});
                 }},
                {"partition_filters", "onefilter partfilter coupled",
                 [](size_t value, Plan* plan) {
                   plan->options.partition_filters = value != 0;
                   plan->options.decouple_partitioned_filters = value != 2;
                   // Partitioned filters need a partitioned index.
                   if (value != 0) {
                     plan->options.index_type = IndexType::kTwoLevelIndexSearch;
                   }
                 }},
                {"uniform_cv_threshold", "nohint hint1 hint10",
                 [](size_t value, Plan* plan) {
                   plan->options.uniform_cv_threshold =
                       Pick(value, {-1., 0.1, 1.});
                 }},
                {"enable_index_compression", "packedindex rawindex",
                 [](size_t value, Plan* plan) {
                   plan->options.enable_index_compression = value == 0;
                 }},
                {"block_size_deviation", "dev10 dev0 dev60",
                 [](size_t value, Plan* plan) {
                   plan->options.block_size_deviation =
                       Pick(value, {10, 0, 60});
                 }},
                {"bloom_bits_per_key", "bits10 bits8 bits24",
                 [](size_t value, Plan* plan) {
                   plan->options.bloom_bits_per_key =
                       Pick(value, {10., 8., 24.});
                 }},
                {"max_compressed_bytes_per_kb", "kb896 kb0 kb500 kb1024",
                 [](size_t value, Plan* plan) {
                   plan->options.compression_opts.max_compressed_bytes_per_kb =
                       Pick(value, {896, 0, 500, 1024});
                 }},
                {"data_block_index_type", "nohash hash hash2",
                 [](size_t value, Plan* plan) {
                   plan->options.data_block_index_type = Pick(
                       value, {DataBlockIndexType::kDataBlockBinarySearch,
                               DataBlockIndexType::kDataBlockBinaryAndHash,
                               DataBlockIndexType::kDataBlockBinaryAndHash});
                   plan->options.data_block_hash_table_util_ratio =
                       Pick(value, {0.75, 0.75, 2.});
                 }},
                {"separate_key_value_in_data_block", "together apart",
                 [](size_t value, Plan* plan) {
                   plan->options.separate_key_value_in_data_block = value == 1;
                 }},
                {"block_align", "unaligned aligned",
                 [](size_t value, Plan* plan) {
                   plan->options.block_align = value == 1;
                 }},
                {"super_block_alignment_size",
                 "nosuper super32k super32kr4 super1m",
                 [](size_t value, Plan* plan) {
                   plan->options.super_block_alignment_size =
                       Pick<uint64_t>(value, {0, 32768, 32768, 1048576});
                   plan->options.super_block_alignment_space_overhead_ratio =
                       Pick<uint64_t>(value, {128, 128, 4, 128});
                 }},
                {"prefix_extractor", "noprefix fixed3 capped5 noop",
                 [](size_t value, Plan* plan) {
                   plan->options.prefix_extractor = FindBuiltinPrefixExtractor(
                       Pick(value, {"", "rocksdb.FixedPrefix.3",
                                    "rocksdb.CappedPrefix.5", "rocksdb.Noop"}));
                 }},
                {"whole_key_filtering", "wholekeys prefixonly",
                 [](size_t value, Plan* plan) {
                   plan->options.whole_key_filtering = value == 0;
                 }},
                {"level", "level level1 levelminus3",
                 [](size_t value, Plan* plan) {
                   plan->options.compression_opts.level =
                       Pick(value, {CompressionOptions::kDefaultLevel, 1, -3});
                 }},
                {"window_bits", "window14 window10",
                 [](size_t value, Plan* plan) {
                   plan->options.compression_opts.window_bits =
                       Pick(value, {-14, -10});
                 }},
                {"strategy", "strategy0 strategy1",
                 [](size_t value, Plan* plan) {
                   plan->options.compression_opts.strategy =
                       Pick(value, {0, 1});
                 }},
                {"max_dict_bytes", "nodict dict2000 dict70000",
                 [](size_t value, Plan* plan) {
                   plan->options.compression_opts.max_dict_bytes =
                       Pick<uint32_t>(value, {0, 2000, 70000});
                 }},
                {"zstd_max_train_bytes", "rawdict traineddict finaldict",
                 [](size_t value, Plan* plan) {
                   CompressionOptions& opts = plan->options.compression_opts;
                   opts.zstd_max_train_bytes =
                       Pick<uint32_t>(value, {0, 100000, 30000});
                   opts.use_zstd_dict_trainer = value != 2;
                 }},
                {"max_dict_buffer_bytes", "allblocks buffer20000 buffer1",
                 [](size_t value, Plan* plan) {
                   plan->options.compression_opts.max_dict_buffer_bytes =
                       Pick<uint64_t>(value, {0, 20000, 1});
                 }},
                {"hash_search", "anyindex hashsearch",
                 [](size_t value, Plan* plan) {
                   if (value == 0) return;
                   TableOptions& options = plan->options;
                   options.index_type = IndexType::kHashSearch;
                   options.index_block_restart_interval = 1;
                   // RocksDB also extracts prefixes of keys outside the
                   // extractor's domain.
                   const auto& extractor = options.prefix_extractor;
                   if (extractor == nullptr || !extractor->InDomain(Slice())) {
                     options.prefix_extractor = NewCappedPrefixExtractor(5);
                   }
                 }},
                {"optimize_filters_for_memory", "anysize piecesize",
                 [](size_t value, Plan* plan) {
                   plan->options.optimize_filters_for_memory = value == 1;
                 }},
                {"flush_block_policy_factory", "bysize ownblocks",
                 [](size_t value, Plan* plan) {
                   if (value == 0) return;
                   plan->options.flush_block_policy_factory =
                       std::make_shared<OwnBlocksFactory>();
                 }},
            });

// Names of plans consist of labels, so all labels must differ.
consteval bool LabelsDiffer() {
  std::array<std::string_view, 128> labels;
  size_t count = 0;
  for (const PlanField& field : kFields) {
    for (size_t value = 0; value < field.CountValues(); ++value) {
      const std::string_view label = field.Label(value);
      for (size_t i = 0; i < count; ++i) {
        if (labels[i] == label) return false;
      }
      labels[count++] = label;
    }
  }
  return true;
}
static_assert(LabelsDiffer());
static_assert(kEvenFields <= kFields.size());

}  // namespace

std::span<const PlanField> PlanFields() { return kFields; }

}  // namespace ashlar::interop
