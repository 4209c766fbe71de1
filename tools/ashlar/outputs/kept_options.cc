#include "tools/ashlar/outputs/kept_options.h"

#include <algorithm>
#include <string_view>

#include "ashlar/table/entry/blob_index.h"
#include "ashlar/table/option_table.h"
#include "tools/ashlar/flags/option_flags.h"
#include "tools/ashlar/outputs/blob_size_guess.h"
#include "tools/ashlar/outputs/block_size_guess.h"
#include "tools/ashlar/outputs/option_texts.h"
#include "tools/ashlar/print/output.h"
#include "tools/memory_limit.h"

namespace ashlar::tool {
namespace {

void WarnNotKept(const OldTable& old, const std::string& what) {
  PrintWarning(old.path + ": " + what);
}

// Returns the nearest version that can be written.
uint32_t WritableVersion(const OldTable& old, const OptionBounds& bounds) {
  const uint32_t version =
      std::clamp(old.format_version, std::get<uint32_t>(bounds.min),
                 std::get<uint32_t>(bounds.max));
  if (version != old.format_version) {
    WarnNotKept(old, "format version " + std::to_string(old.format_version) +
                         " cannot be written; the new table has version " +
                         std::to_string(version));
  }
  return version;
}

bool HasEmbeddedBlobs(const OldTable& old) {
  return old.properties != nullptr &&
         old.properties->user_collected_properties.contains(
             std::string(kEmbeddedBlobStatsProperty));
}

// Embedded blobs that no flag asks for give way to what flags ask for.
void InlineBlobsIfNeeded(const CommandLine& line, const OldTable& old,
                         TableOptions* table) {
  constexpr uint32_t kFirstVersion = 7;
  if (!table->embedded_blob_options.enable || line.Given("embedded_blobs") ||
      (table->format_version >= kFirstVersion && !table->block_align)) {
    return;
  }
  WarnNotKept(old, std::string("embedded blobs do not go with ") +
                       (table->block_align ? "--block_align"
                                           : "a format version below 7") +
                       "; the new table has their values in its entries");
  table->embedded_blob_options.enable = false;
}

// Returns what the old table shows of the option, or std::monostate.
template <typename Options>
OptionValue FindOldValue(const OldTable& old, const OptionRow<Options>& row) {
  if (const auto* const origin = std::get_if<OptionOrigin>(&row.kept.from)) {
    switch (*origin) {
      case OptionOrigin::kFooter:
        if (!FLAGS_target_rocksdb.empty()) return {};
        return WritableVersion(old, row.member.bounds);
      case OptionOrigin::kDataBlocks:
        return GuessBlockSize(old.path);
      case OptionOrigin::kEmbeddedBlobs:
        if (!HasEmbeddedBlobs(old)) return {};
        return true;
      case OptionOrigin::kBlobSizes:
        if (!HasEmbeddedBlobs(old)) return {};
        return SmallestBlobSize(old.path);
    }
  }
  if (old.properties == nullptr) return {};
  return RecordedValue(row.kept, *old.properties);
}

// Returns whether the release of --target_rocksdb, if it is given, reads this
// value of the option. Prints a warning if it does not.
template <typename Options>
bool IsReadByTarget(const OldTable& old, const OptionRow<Options>& row,
                    const OptionValue& value) {
  const auto oldest = OldestReleaseFor(row.since, value);
  const auto target = ParseRocksDBRelease(FLAGS_target_rocksdb);
  if (!oldest || !target || *oldest <= *target) return true;
  WarnNotKept(old, std::string(row.name) + " needs RocksDB " +
                       ToString(*oldest) + ", but --target_rocksdb is " +
                       ToString(*target) + "; the new table does without");
  return false;
}

template <typename Options>
void Keep(const CommandLine& line, const OldTable& old,
          const OptionRow<Options>& row, Options* options) {
  const FlagRow* const flag = FlagOf(row.name);
  if (flag != nullptr && line.Given(flag->name)) return;
  const OptionValue chosen = row.member.get(*options);
  // Flags have given a value to an option that has none by default.
  const bool is_set =
      chosen != OptionValue() && row.member.get(Options()) == OptionValue();
  if (is_set) return;
  const OptionValue value = FindOldValue(old, row);
  if (value == OptionValue() || !IsReadByTarget(old, row, value)) return;
  const Status status = SetOption(row, value, options);
  if (IsOkOrThrow(status)) return;
  const std::string what =
      std::string(row.name) + " " + DescribeValue({}, value);
  if (status.IsNotSupported()) {
    WarnNotKept(old, what + " is not built in; the new table has none");
  } else {
    WarnNotKept(old, what + " is out of range; the new table uses " +
                         DescribeValue(row.member.bounds, chosen));
  }
}

}  // namespace

void KeepOptions(const CommandLine& line, const OldTable& old,
                 SinkOptions* options) {
  TableOptions& table = options->table;
  BuildOptions& build = options->build;
  // A hash index has no other interval than this, whatever the old index had.
  const bool is_hash = table.index_type == IndexType::kHashSearch;
  const int interval = table.index_block_restart_interval;
  for (const auto& row : TableOptionRows()) Keep(line, old, row, &table);
  for (const auto& row : BuildOptionRows()) Keep(line, old, row, &build);
  PutTextsOverKept(line, &table);
  InlineBlobsIfNeeded(line, old, &table);
  if (is_hash) table.index_block_restart_interval = interval;
  if (old.properties == nullptr) return;
  for (const auto& [name, value] : old.properties->user_collected_properties) {
    if (!name.starts_with("rocksdb.")) build.user_properties[name] = value;
  }
  if (!old.properties->seqno_to_time_mapping.empty()) {
    WarnNotKept(old, "its mapping of sequence numbers to times is not copied");
  }
}

}  // namespace ashlar::tool
