#include "test/attack/damage_space.h"

#include <array>
#include <string_view>
#include <utility>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/prefix_extractor.h"

namespace ashlar::testing {

namespace {

constexpr std::array<uint32_t, 6> kVersions = {2, 3, 4, 5, 6, 7};
constexpr std::array kChecksums = {ChecksumType::kCRC32c, ChecksumType::kxxHash,
                                   ChecksumType::kxxHash64,
                                   ChecksumType::kXXH3};
constexpr std::array kIndexes = {
    IndexType::kBinarySearch, IndexType::kHashSearch,
    IndexType::kTwoLevelIndexSearch, IndexType::kBinarySearchWithFirstKey};

enum class Filters : uint8_t { kNone, kBloom, kRibbon, kPartitions };
constexpr std::array<std::pair<Filters, std::string_view>, 4> kFilters = {
    {{Filters::kNone, "no filter"},
     {Filters::kBloom, "Bloom filter"},
     {Filters::kRibbon, "Ribbon filter"},
     {Filters::kPartitions, "partitioned filter"}}};

constexpr std::array kCodecs = {CompressionType::kNoCompression,
                                CompressionType::kSnappyCompression,
                                CompressionType::kZlibCompression,
                                CompressionType::kBZip2Compression,
                                CompressionType::kLZ4Compression,
                                CompressionType::kLZ4HCCompression,
                                CompressionType::kZSTD};

// Of the first two there is one for each codec, of the others one without.
enum class Layout : uint8_t { kPlain, kDictionary, kAligned, kSuperBlocks };
constexpr std::array<std::pair<Layout, std::string_view>, 4> kLayouts = {
    {{Layout::kPlain, "plain"},
     {Layout::kDictionary, "dictionary"},
     {Layout::kAligned, "aligned blocks"},
     {Layout::kSuperBlocks, "aligned super blocks"}}};

constexpr std::string_view NameOf(IndexType type) {
  switch (type) {
    case IndexType::kBinarySearch:
      return "binary index";
    case IndexType::kHashSearch:
      return "hash index";
    case IndexType::kTwoLevelIndexSearch:
      return "two-level index";
    case IndexType::kBinarySearchWithFirstKey:
      return "index with first keys";
  }
  return "";
}

bool FitsCodec(Layout layout, CompressionType codec) {
  const bool compresses = codec != CompressionType::kNoCompression;
  switch (layout) {
    case Layout::kPlain:
      return true;
    case Layout::kDictionary:
      // Snappy and bzip2 take none.
      return compresses && codec != CompressionType::kSnappyCompression &&
             codec != CompressionType::kBZip2Compression;
    default:
      return !compresses;
  }
}

void SetLayout(Layout layout, TableOptions* options) {
  constexpr uint64_t kBlockBytes = 128;
  options->block_size = kBlockBytes;
  options->block_align = layout == Layout::kAligned;
  if (layout == Layout::kSuperBlocks) {
    options->super_block_alignment_size = 2 * kBlockBytes;
    options->super_block_alignment_space_overhead_ratio = 4;
  }
  if (layout == Layout::kDictionary) {
    options->compression_opts.max_dict_bytes = 100;
  }
}

void SetIndexAndFilter(IndexType index, Filters filters,
                       TableOptions* options) {
  options->index_type = index;
  // Each partition then has one or two data blocks.
  options->metadata_block_size = 40;
  if (index == IndexType::kHashSearch) {
    options->prefix_extractor = NewFixedPrefixExtractor(2);
  }
  options->filter = filters == Filters::kNone     ? FilterType::kNone
                    : filters == Filters::kRibbon ? FilterType::kRibbon
                                                  : FilterType::kBloom;
  options->partition_filters = filters == Filters::kPartitions;
}

std::vector<Entry> EntriesWith(char variation) {
  const auto text = [variation](std::string value) {
    value.back() = variation;
    return value;
  };
  return {Value("apple", 9, text("red, or green, or yellow")),
          Value("apple", 3, text("green")),
          Deletion("apricot", 4),
          Value("banana", 5, text(std::string(40, 'y'))),
          Operand("cherry", 8, text("dark")),
          Operand("cherry", 7, text("small")),
          Value("cherry", 2, text("red")),
          Value("date", 1, text("brown")),
          Value("elderberry", 6, text(std::string(60, 'b'))),
          Value("fig", 6, ""),
          RangeDeleted("mango", 5, "melon")};
}

}  // namespace

std::vector<Entry> AttackedEntries() { return EntriesWith('1'); }
std::vector<Entry> OlderEntries() { return EntriesWith('0'); }

std::vector<TableForm> AllTableForms() {
  std::vector<TableForm> forms;
  TableForm form;
  const auto add_layouts = [&](const std::string& before) {
    for (const CompressionType codec : kCodecs) {
      form.options.compression = codec;
      for (const auto& [layout, layout_name] : kLayouts) {
        if (!FitsCodec(layout, codec)) continue;
        TableForm made = form;
        SetLayout(layout, &made.options);
        made.name = before + ", " + std::string(CompressionTypeName(codec)) +
                    ", " + std::string(layout_name);
        if (made.options.Validate().ok()) forms.push_back(std::move(made));
      }
    }
  };
  for (const uint32_t version : kVersions) {
    for (const ChecksumType checksum : kChecksums) {
      for (const IndexType index : kIndexes) {
        for (const auto& [filters, filter_name] : kFilters) {
          form = {};
          form.options.format_version = version;
          form.options.checksum = checksum;
          form.options.block_restart_interval = 2;
          // Blocks as small as these are then stored compressed.
          form.options.compression_opts.max_compressed_bytes_per_kb = 1023;
          SetIndexAndFilter(index, filters, &form.options);
          add_layouts("version " + std::to_string(version) + ", " +
                      std::string(ChecksumTypeName(checksum)) + ", " +
                      std::string(NameOf(index)) + ", " +
                      std::string(filter_name));
        }
      }
    }
  }
  return forms;
}

}  // namespace ashlar::testing
