#include "ashlar/table/entry/rocksdb_release.h"

#include <algorithm>
#include <cassert>
#include <charconv>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/option_table.h"
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

// Returns whether a dictionary was asked for. RocksDB and Ashlar write text for
// people there.
bool NamesDictionary(const TableProperties& properties) {
  constexpr std::string_view kField = "max_dict_bytes=";
  const std::string& text = properties.compression_options;
  const size_t at = text.find(kField);
  return at != std::string::npos &&
         text.compare(at + kField.size(), 2, "0;") != 0;
}

// Returns the number of an enumerator if it was used, else 0.
template <typename Enumerator>
uint32_t NumberIf(bool used, Enumerator enumerator) {
  return used ? static_cast<uint32_t>(enumerator) : 0;
}

// What a file shows of an option that old releases cannot read: a value of the
// option that needs the same release. The option's row says which that is.
struct OptionInFile {
  std::string_view option;
  OptionValue (*value)(const File& file);
};

constexpr OptionInFile kOptionsInFile[] = {
    {"format_version",
     [](const File& f) -> OptionValue { return f.format_version; }},
    {"checksum",
     [](const File& f) -> OptionValue {
       return NumberIf(f.checksum == ChecksumType::kXXH3, ChecksumType::kXXH3);
     }},
    {"index_type",
     [](const File& f) -> OptionValue {
       const uint32_t type = f.properties.index_type;
       constexpr auto kLast = IndexType::kBinarySearchWithFirstKey;
       return NumberIf(type <= static_cast<uint32_t>(kLast), type);
     }},
    {"compression_opts.max_dict_bytes",
     [](const File& f) -> OptionValue {
       return NamesDictionary(f.properties) ? 1u : 0u;
     }},
    // Version 7 lists numbers instead, but needs a newer release anyway.
    {"compression",
     [](const File& f) -> OptionValue {
       return NumberIf(f.properties.compression_name == "ZSTD",
                       CompressionType::kZSTD);
     }},
    {"filter",
     [](const File& f) -> OptionValue {
       return NumberIf(f.properties.filter_policy_name.starts_with("ribbon"),
                       FilterType::kRibbon);
     }},
    {"separate_key_value_in_data_block",
     [](const File& f) -> OptionValue {
       return f.properties.separate_key_value_in_data_block != 0;
     }},
    {"uniform_cv_threshold",
     [](const File& f) -> OptionValue {
       return f.properties.num_uniform_blocks != 0 ? 0.0 : -1.0;
     }},
};

// What no option asks for, and the first release that reads it.
struct Feature {
  RocksDBRelease since;
  bool (*found)(const TableProperties& properties);
};

constexpr Feature kFeatures[] = {
    // Range deletions.
    {{5, 0},
     [](const TableProperties& p) { return p.num_range_deletions != 0; }},
    // Embedded blobs.
    {{11, 6},
     [](const TableProperties& p) {
       return p.user_collected_properties.contains(
           std::string(kEmbeddedBlobStatsProperty));
     }},
};

std::optional<RocksDBRelease> OldestFor(std::string_view option,
                                        const OptionValue& value) {
  const auto* const row = FindOption(TableOptionRows(), option);
  assert(row != nullptr);
  return OldestReleaseFor(row->since, value);
}

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
  for (const auto& [option, value] : kOptionsInFile) {
    oldest = std::max(oldest, OldestFor(option, value(file)).value_or(oldest));
  }
  for (const auto& [since, found] : kFeatures) {
    if (found(file.properties)) oldest = std::max(oldest, since);
  }
  return oldest;
}

namespace internal {

uint32_t NewestFormatVersionOf(const RocksDBRelease& release) {
  uint32_t newest = 0;
  for (uint32_t v = kMinFormatVersion; v <= kMaxFormatVersion; ++v) {
    if (OldestFor("format_version", v) <= release) newest = v;
  }
  return newest;
}

Status CheckReadableBy(const TableOptions& options,
                       const RocksDBRelease& release) {
  for (const OptionRow<TableOptions>& row : TableOptionRows()) {
    const OptionValue value = row.member.get(options);
    const auto oldest = OldestReleaseFor(row.since, value);
    if (!oldest.has_value() || *oldest <= release) continue;
    std::string feature(row.name);
    // Of a switch, or a size, it does not matter which value it has.
    const OptionBounds& bounds = row.member.bounds;
    if (!bounds.names.empty() || row.since.size() > 1) {
      feature += " " + DescribeValue(bounds, value);
    }
    return Status::InvalidArgument(
        feature + " needs RocksDB " + ToString(*oldest) +
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
