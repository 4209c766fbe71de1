// OPTIONS files: sections of lines, of which those of one column family count.

#include <filesystem>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <vector>

#include "ashlar/table/option_strings.h"
#include "ashlar/util/whole_file.h"
#include "table/options/foreign_options.h"
#include "table/options/option_setter.h"
#include "table/options/option_text.h"
#include "util/mem/memory_limit.h"

namespace ashlar {
namespace {

using internal::OptionPair;
using internal::OptionSetter;
using internal::OrMemoryLimit;
using internal::Trimmed;

// What RocksDB had before it had the option, or where its default is not ours.
// Files have all the options that their release has.
constexpr std::string_view kWithoutOption =
    "filter_policy=nullptr;compression=kSnappyCompression;format_version=2;"
    "checksum=kCRC32c;decouple_partitioned_filters=false";

constexpr std::string_view kTableTitle = "TableOptions/";
constexpr std::string_view kBlockBased = "BlockBasedTable";

enum class Section : uint8_t { kNone, kFamily, kTable, kOther };

Status BadLine(size_t line, const std::string& why) {
  return Status::InvalidArgument("line " + std::to_string(line) + ": " + why);
}

// Returns the line without what follows the first '#' that is not escaped.
std::string_view WithoutComment(std::string_view line) {
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '#' && (i == 0 || line[i - 1] != '\\')) {
      return Trimmed(line.substr(0, i));
    }
  }
  return Trimmed(line);
}

// Reads the lines of a file, and sets the options of one family.
class OptionsFileReader {
 public:
  OptionsFileReader(std::string_view family, const OptionTextRules& rules,
                    OptionSet* set)
      : family_(family), setter_(rules, set) {}

  Status Read(std::string_view text) {
    size_t line = 0;
    while (!text.empty()) {
      const size_t end = text.find('\n');
      Status status = ReadLine(++line, WithoutComment(text.substr(0, end)));
      if (!status.ok()) return status;
      text.remove_prefix(end == text.npos ? text.size() : end + 1);
    }
    if (!found_) {
      return Status::InvalidArgument("there is no column family '" +
                                     std::string(family_) + "'");
    }
    setter_.SettleCodec();
    return {};
  }

 private:
  Status ReadLine(size_t line, std::string_view text) {
    if (text.empty()) return {};
    if (text.front() == '[' && text.back() == ']') {
      return BeginSection(line, text.substr(1, text.size() - 2));
    }
    const size_t equals = text.find('=');
    if (equals == text.npos) return BadLine(line, "there is no '='");
    if (section_ == Section::kNone) {
      return BadLine(line, "an option comes before the first section");
    }
    const OptionPair pair = {.name = Trimmed(text.substr(0, equals)),
                             .value = Trimmed(text.substr(equals + 1))};
    // The first one of a name counts.
    if (!names_.insert(pair.name).second) return {};
    if (section_ == Section::kOther) return {};
    return SetOption(line, pair);
  }

  Status SetOption(size_t line, const OptionPair& pair) {
    if (internal::IsForeignOption(pair.name)) return {};
    setter_.SetPlace({.line = line});
    // The braces around a value go as in an option string.
    const std::string whole =
        std::string(pair.name) + "=" + std::string(pair.value);
    std::vector<OptionPair> pairs;
    std::string_view at;
    const Status status = internal::SplitPairs(whole, &pairs, &at);
    if (!status.ok()) return BadLine(line, std::string(status.message()));
    if (pairs.size() != 1)
      return BadLine(line, "there is text after the value");
    return setter_.Set({}, pairs.front());
  }

  Status BeginSection(size_t line, std::string_view inside) {
    names_.clear();
    const size_t first = inside.find('"');
    const size_t last = inside.rfind('"');
    std::string argument;
    std::string_view title = Trimmed(inside);
    if (first != last) {
      title = Trimmed(inside.substr(0, first));
      argument =
          internal::Unescaped(inside.substr(first + 1, last - first - 1));
    }
    section_ = Section::kOther;
    if (title == "Version" || title == "DBOptions") return {};
    if (title == "CFOptions") return BeginFamily(line, argument);
    if (!title.starts_with(kTableTitle)) {
      return BadLine(line, "'" + std::string(title) + "' is no known section");
    }
    if (argument != family_) return {};
    const std::string_view factory = title.substr(kTableTitle.size());
    if (factory != kBlockBased) {
      return Status::NotSupported("line " + std::to_string(line) +
                                  ": the tables of the family are of '" +
                                  std::string(factory) + "', not block-based");
    }
    section_ = Section::kTable;
    return {};
  }

  Status BeginFamily(size_t line, const std::string& name) {
    if (name != family_) return {};
    if (found_) return BadLine(line, "the column family comes again");
    found_ = true;
    section_ = Section::kFamily;
    return {};
  }

  const std::string_view family_;
  OptionSetter setter_;
  Section section_ = Section::kNone;
  bool found_ = false;
  // Of this section, so far. A set in order: a hostile file cannot make its
  // lookups slow.
  std::set<std::string_view> names_;
};

// RocksDB clips levels that a codec does not have. It has none for these two.
void ClipLevel(TableOptions* table) {
  int& level = table->compression_opts.level;
  if (level == CompressionOptions::kDefaultLevel) return;
  if (table->compression == CompressionType::kSnappyCompression ||
      table->compression == CompressionType::kBZip2Compression) {
    level = CompressionOptions::kDefaultLevel;
    return;
  }
  const CompressionLevelRange range = CompressionLevels(table->compression);
  if (range.min <= range.max) level = std::clamp(level, range.min, range.max);
}

// Turns off what RocksDB ignores where it does not go with the rest, and what
// TableOptions::Validate therefore refuses.
void DropIdleOptions(TableOptions* table) {
  ClipLevel(table);
  CompressionOptions& codec = table->compression_opts;
  if (table->compression != CompressionType::kZSTD) codec.checksum = false;
  if (codec.max_dict_bytes == 0) codec.zstd_max_train_bytes = 0;
  if (table->filter == FilterType::kNone) {
    table->partition_filters = false;
    table->detect_filter_construct_corruption = false;
  }
  if (table->index_type != IndexType::kTwoLevelIndexSearch) {
    table->partition_filters = false;
  }
  if (table->index_type == IndexType::kHashSearch) {
    table->index_block_restart_interval = 1;
  }
}

// Returns the number of "OPTIONS-000123", or nothing for any other name.
std::optional<uint64_t> OptionsNumber(std::string_view name) {
  constexpr std::string_view kPrefix = "OPTIONS-";
  if (!name.starts_with(kPrefix)) return std::nullopt;
  return internal::ParseDigits(name.substr(kPrefix.size()));
}

// Sets *path to the newest OPTIONS file if it is a folder.
Status FindInFolder(std::string* path) {
  std::error_code error;
  if (!std::filesystem::is_directory(*path, error)) return {};
  std::filesystem::directory_iterator files(*path, error);
  if (error) {
    return Status::FromErrno("opening the folder", *path, error.value());
  }
  std::optional<uint64_t> newest;
  std::string found;
  while (files != std::filesystem::directory_iterator()) {
    const std::string name = files->path().filename().string();
    const auto number = OptionsNumber(name);
    if (number && (!newest || *number > *newest)) {
      newest = number;
      found = files->path().string();
    }
    files.increment(error);
    if (error) return Status::FromErrno("reading", *path, error.value());
  }
  if (!newest) {
    return Status::InvalidArgument(*path + ": the folder has no OPTIONS file");
  }
  *path = std::move(found);
  return {};
}

}  // namespace

Status OptionsFromFileText(std::string_view text, std::string_view family,
                           OptionSet* set, const OptionTextRules& rules) {
  return OrMemoryLimit([&]() -> Status {
    OptionSet read = *set;
    read.table = {};
    Status status = OptionsFromString(kWithoutOption, &read);
    OptionsFileReader reader(family, rules, &read);
    if (status.ok()) status = reader.Read(text);
    if (!status.ok()) return status;
    DropIdleOptions(&read.table);
    *set = std::move(read);
    return {};
  });
}

Status LoadOptionsFile(const std::string& path, std::string_view family,
                       OptionSet* set, const OptionTextRules& rules) {
  return OrMemoryLimit([&]() -> Status {
    std::string file = path;
    Status status = FindInFolder(&file);
    if (!status.ok()) return status;
    std::string text;
    status = ReadFileToString(file, &text);
    if (!status.ok()) return status;
    return OptionsFromFileText(text, family, set, rules).WithPrefix(file);
  });
}

}  // namespace ashlar
