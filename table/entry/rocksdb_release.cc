#include "ashlar/table/entry/rocksdb_release.h"

#include <algorithm>
#include <charconv>

#include "ashlar/table/options.h"
#include "ashlar/table/table_properties.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace {

struct File {
  uint32_t format_version;
  std::optional<ChecksumType> checksum;
  const TableProperties& properties;
};

// A feature, and the first release that reads it.
struct Row {
  std::string_view feature;
  RocksDBRelease since;
  bool (*wished)(const TableOptions& options);
  bool (*found)(const File& file);
};

template <uint32_t kVersion>
constexpr Row FormatRow(std::string_view feature, RocksDBRelease since) {
  return {feature, since,
          [](const TableOptions& o) { return o.format_version == kVersion; },
          [](const File& f) { return f.format_version == kVersion; }};
}

constexpr auto kNever = [](const TableOptions&) { return false; };
constexpr auto kNotTold = [](const File&) { return false; };

// Returns whether a dictionary was asked for. RocksDB and Ashlar write text for
// people there.
bool NamesDictionary(const TableProperties& properties) {
  constexpr std::string_view kField = "max_dict_bytes=";
  const std::string& text = properties.compression_options;
  const size_t at = text.find(kField);
  return at != std::string::npos &&
         text.compare(at + kField.size(), 2, "0;") != 0;
}

constexpr Row kRows[] = {
    FormatRow<2>("format_version 2", {3, 10}),
    FormatRow<3>("format_version 3", {5, 15}),
    FormatRow<4>("format_version 4", {5, 16}),
    FormatRow<5>("format_version 5", {6, 6}),
    FormatRow<6>("format_version 6", {8, 6}),
    FormatRow<7>("format_version 7", {10, 4}),
    {"compression_opts.max_dict_bytes",
     {4, 8},
     [](const TableOptions& o) {
       return o.compression_opts.max_dict_bytes != 0;
     },
     [](const File& f) { return NamesDictionary(f.properties); }},
    {"compression kZSTD",
     {4, 12},
     [](const TableOptions& o) {
       return o.compression == CompressionType::kZSTD;
     },
     // Version 7 lists numbers instead, but needs a newer release anyway.
     [](const File& f) { return f.properties.compression_name == "ZSTD"; }},
    {"range deletions",
     {5, 0},
     kNever,
     [](const File& f) { return f.properties.num_range_deletions != 0; }},
    {"index_type kTwoLevelIndexSearch",
     {5, 2},
     [](const TableOptions& o) {
       return o.index_type == IndexType::kTwoLevelIndexSearch;
     },
     [](const File& f) {
       return f.properties.index_type ==
              static_cast<uint32_t>(IndexType::kTwoLevelIndexSearch);
     }},
    {"partition_filters",
     {5, 4},
     [](const TableOptions& o) { return o.partition_filters; },
     kNotTold},
    {"data_block_index_type kDataBlockBinaryAndHash",
     {5, 15},
     [](const TableOptions& o) {
       return o.data_block_index_type ==
              DataBlockIndexType::kDataBlockBinaryAndHash;
     },
     kNotTold},
    {"index_type kBinarySearchWithFirstKey",
     {6, 2},
     [](const TableOptions& o) {
       return o.index_type == IndexType::kBinarySearchWithFirstKey;
     },
     [](const File& f) {
       return f.properties.index_type ==
              static_cast<uint32_t>(IndexType::kBinarySearchWithFirstKey);
     }},
    {"filter kRibbon",
     {6, 15},
     [](const TableOptions& o) { return o.filter == FilterType::kRibbon; },
     [](const File& f) {
       return f.properties.filter_policy_name.starts_with("ribbon");
     }},
    {"checksum kXXH3",
     {6, 27},
     [](const TableOptions& o) { return o.checksum == ChecksumType::kXXH3; },
     [](const File& f) { return f.checksum == ChecksumType::kXXH3; }},
    {"separate_key_value_in_data_block",
     {11, 0},
     [](const TableOptions& o) { return o.separate_key_value_in_data_block; },
     [](const File& f) {
       return f.properties.separate_key_value_in_data_block != 0;
     }},
    {"uniform_cv_threshold",
     {11, 1},
     [](const TableOptions& o) { return o.uniform_cv_threshold >= 0; },
     [](const File& f) { return f.properties.num_uniform_blocks != 0; }},
    {"embedded blobs",
     {11, 6},
     kNever,
     [](const File& f) {
       return f.properties.user_collected_properties.contains(
           "rocksdb.embedded.blob.stats");
     }},
};
static_assert(kRows[kMaxFormatVersion - kMinFormatVersion].feature ==
              "format_version 7");

}  // namespace

std::optional<RocksDBRelease> ParseRocksDBRelease(std::string_view text) {
  RocksDBRelease release;
  uint32_t patch = 0;
  const char* p = text.data();
  const char* const end = p + text.size();
  uint32_t* const numbers[] = {&release.major, &release.minor, &patch};
  for (size_t i = 0; i < std::size(numbers); ++i) {
    const auto [next, error] = std::from_chars(p, end, *numbers[i]);
    if (error != std::errc()) return std::nullopt;
    if (next == end) return i == 0 ? std::nullopt : std::optional(release);
    if (*next != '.') return std::nullopt;
    p = next + 1;
  }
  return std::nullopt;
}

std::string ToString(const RocksDBRelease& release) {
  return std::to_string(release.major) + "." + std::to_string(release.minor);
}

std::optional<RocksDBRelease> OldestRocksDBFor(
    uint32_t format_version, std::optional<ChecksumType> checksum,
    const TableProperties* properties) {
  if (format_version < kMinFormatVersion ||
      format_version > kMaxFormatVersion) {
    return std::nullopt;
  }
  const TableProperties none;
  const File file{format_version, checksum,
                  properties != nullptr ? *properties : none};
  RocksDBRelease oldest;
  for (const Row& row : kRows) {
    if (row.found(file)) oldest = std::max(oldest, row.since);
  }
  return oldest;
}

namespace internal {

uint32_t NewestFormatVersionOf(const RocksDBRelease& release) {
  uint32_t newest = 0;
  for (uint32_t v = kMinFormatVersion; v <= kMaxFormatVersion; ++v) {
    // The rows of the versions come first, in order.
    if (kRows[v - kMinFormatVersion].since <= release) newest = v;
  }
  return newest;
}

Status CheckReadableBy(const TableOptions& options,
                       const RocksDBRelease& release) {
  for (const Row& row : kRows) {
    if (row.since <= release || !row.wished(options)) continue;
    return Status::InvalidArgument(
        std::string(row.feature) + " needs RocksDB " + ToString(row.since) +
        ", but target_rocksdb is " + ToString(release));
  }
  return {};
}

}  // namespace internal

// The codec for releases that do not read zstd.
constexpr CompressionType kOldCodec = CompressionType::kLZ4Compression;

Result<TableOptions> TableOptions::TargetRocksDB(std::string_view release) {
  return internal::OrMemoryLimit([&]() -> Result<TableOptions> {
    const std::optional<RocksDBRelease> target = ParseRocksDBRelease(release);
    if (!target.has_value()) {
      return Status::InvalidArgument("target_rocksdb is '" +
                                     std::string(release) +
                                     "', expected a release such as 7.8");
    }
    TableOptions options;
    options.target_rocksdb = target;
    options.format_version = internal::NewestFormatVersionOf(*target);
    if (options.format_version == 0) {
      return Status::InvalidArgument("target_rocksdb is " + ToString(*target) +
                                     ", expected 3.10 or later");
    }
    // RocksDB's default before kXXH3.
    if (!internal::CheckReadableBy(options, *target).ok()) {
      options.checksum = ChecksumType::kCRC32c;
    }
    if (!internal::CheckReadableBy(options, *target).ok()) {
      options.compression = IsCompressionSupported(kOldCodec)
                                ? kOldCodec
                                : CompressionType::kNoCompression;
    }
    return options;
  });
}

}  // namespace ashlar
