#include "tools/ashlar/cli/flag_values.h"

#include <string_view>

#include "ashlar/table/options.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/flags/split_list.h"

namespace ashlar::tool {
namespace {

constexpr std::string_view kCodecs = "none|snappy|zlib|bzip2|lz4|lz4hc|zstd";

// The values of flags that the table only describes in words.
constexpr struct {
  std::string_view flag;
  std::string_view words;
} kWords[] = {
    {"compression_type", kCodecs},
    {"compression_types", kCodecs},
    {"caches", "clock|clock_admission|lru|lru_pools"},
    {"checksum_type", "kNoChecksum|kCRC32c|kxxHash|kxxHash64|kXXH3"},
    {"comparator",
     "leveldb.BytewiseComparator|rocksdb.ReverseBytewiseComparator|"
     "leveldb.BytewiseComparator.u64ts|"
     "rocksdb.ReverseBytewiseComparator.u64ts"},
    {"compression_manager", "BuiltinV2"},
    {"env_uri", "file://"},
    {"fs_uri", "file://"},
    {"prefix_extractor",
     "rocksdb.FixedPrefix.|rocksdb.CappedPrefix.|rocksdb.Noop"},
};

}  // namespace

ValueForm ValueFormOf(const FlagRow& row) {
  if (row.value.empty()) return ValueForm::kNone;
  if (row.value == "path") return ValueForm::kFile;
  if (row.value == "folder") return ValueForm::kFolder;
  return row.value == "list" ? ValueForm::kList : ValueForm::kAny;
}

std::vector<std::string> ValueWords(const FlagRow& row) {
  if (row.value.find('|') != std::string_view::npos)
    return SplitList(row.value, '|');
  std::vector<std::string> words;
  if (row.name == "command" || row.name == "help") {
    for (const Command& command : Commands()) words.emplace_back(command.name);
  } else if (row.name == "format_version") {
    for (uint32_t version = kMinFormatVersion; version <= kMaxFormatVersion;
         ++version) {
      words.push_back(std::to_string(version));
    }
  }
  for (const auto& [flag, known] : kWords) {
    if (flag == row.name) return SplitList(known, '|');
  }
  return words;
}

std::vector<std::string> FlagSpellings(const FlagRow& row) {
  std::vector<std::string> spellings = {std::string(row.name)};
  if (row.kind == FlagKind::bool_ && row.default_text == "true") {
    spellings.push_back("no" + spellings[0]);
  }
  return spellings;
}

}  // namespace ashlar::tool
