#include "tools/ashlar/measure/database_report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

#include "ashlar/util/checksum_type.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/measure/block_sample.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {
namespace {

std::string PlainKey(const std::string& internal_key, size_t timestamp_size) {
  const size_t tail =
      std::min(internal_key.size(), kInternalKeyTailBytes + timestamp_size);
  return internal_key.substr(0, internal_key.size() - tail);
}

PlacedTable Place(const LiveTable& live, size_t timestamp_size) {
  PlacedTable table;
  table.number = live.number;
  table.level = live.level;
  table.smallest = PlainKey(live.smallest, timestamp_size);
  table.largest = PlainKey(live.largest, timestamp_size);
  table.largest_is_exclusive = live.largest.size() >= kInternalKeyTailBytes &&
                               IsRangeDeletionEnd(live.largest);
  table.bytes = live.file_size;
  return table;
}

// Returns the first tables of an order.
template <typename Before>
std::vector<PlacedTable> FirstOf(std::vector<PlacedTable> tables,
                                 const Before& before) {
  const size_t count =
      std::min<size_t>(tables.size(), DatabaseReport::kMostListed);
  std::partial_sort(tables.begin(),
                    tables.begin() + static_cast<ptrdiff_t>(count),
                    tables.end(), before);
  tables.resize(count);
  return tables;
}

// Spreads the sampled data blocks over the tables, by their sizes.
class Sample {
 public:
  void SetTotal(double bytes) { total_ = bytes; }
  // Returns how many blocks of the next table are to be decoded.
  uint64_t Next(uint64_t bytes) {
    if (FLAGS_sample == 0 || total_ <= 0) return UINT64_MAX;
    constexpr uint64_t kMostBlocks = uint64_t{1} << 62;
    done_ += static_cast<double>(bytes);
    const auto wanted = static_cast<uint64_t>(
        static_cast<double>(std::min(FLAGS_sample, kMostBlocks)) *
        std::min(done_ / total_, 1.0));
    const uint64_t more = wanted - std::min(taken_, wanted);
    taken_ += more;
    return more;
  }

 private:
  double total_ = 0;  // bytes of all tables
  double done_ = 0;
  uint64_t taken_ = 0;
};

// Selects `wanted` of `total` blocks.
std::vector<bool> Choose(uint64_t wanted, uint64_t total) {
  if (wanted > 1) return EvenlySpread(wanted, total);
  std::vector<bool> chosen(total, wanted >= total);
  if (wanted == 1 && total > 1) chosen[total / 2] = true;
  return chosen;
}

class Collector {
 public:
  Collector(Database* database, DatabaseReport* result, Report* report)
      : database_(*database), result_(*result), report_(*report) {
    timestamp_size_ = database_.comparator()->timestamp_size();
  }

  bool Run(const std::string& folder) {
    TakeFacts(folder);
    double bytes = 0;
    for (const LiveTable& table : database_.family().tables) {
      bytes += static_cast<double>(table.file_size);
    }
    sample_.SetTotal(bytes);
    TakeTablesElsewhere();
    {
      Progress progress(folder);
      progress_ = &progress;
      total_bytes_ = static_cast<uint64_t>(std::min(bytes, 9e18));
      database_.ForEachTable(
          &report_, [this](const LiveTable& table, const std::string& path) {
            TakeTable(table, path);
          });
      progress_ = nullptr;
    }
    if (report_.MustStop() || lacks_memory_) return false;
    Finish();
    return true;
  }

 private:
  void TakeFacts(const std::string& folder) {
    const ColumnFamilyFiles& family = database_.family();
    const DatabaseFiles& files = database_.files();
    result_.folder = FolderName(folder);
    result_.column_family = family.name;
    result_.comparator = family.comparator;
    result_.manifest = files.manifest;
    result_.db_id = files.db_id;
    result_.last_sequence = files.last_sequence;
    result_.column_families = files.column_families.size();
    result_.ignored_bytes = files.ignored_bytes;
    for (const LiveBlobFile& blobs : family.blob_files) {
      ++result_.blob_files;
      result_.blob_bytes += blobs.total_blob_bytes;
      result_.blob_garbage_bytes += blobs.garbage_blob_bytes;
    }
    CountLogs();
  }

  // The count is unknown if that of one folder is.
  void CountLogs() {
    uint64_t count = 0;
    for (const UnreadLogs& logs : database_.CountUnreadLogs()) {
      if (!logs.count.ok()) return;
      count += *logs.count;
    }
    result_.write_ahead_logs = count;
  }

  void TakeTable(const LiveTable& live, const std::string& path) {
    const uint64_t faults_before = result_.faults_total;
    TableInspection inspection;
    ReadTable(live, path, &inspection);
    if (Interrupted()) return;
    done_bytes_ += live.file_size;
    Count(live, inspection.properties, result_.faults_total != faults_before);
  }

  // The tables that are in folders that --db_paths does not name. ForEachTable
  // reports their faults.
  void TakeTablesElsewhere() {
    for (const LiveTable& live : database_.family().tables) {
      const auto path = database_.PathOf(live);
      if (path.ok()) continue;
      KeepFault(TableFileName(live.number), path.status(), std::nullopt);
      Count(live, std::nullopt, /*is_bad=*/true);
    }
  }

  void Count(const LiveTable& live,
             const std::optional<TableProperties>& properties, bool is_bad) {
    PlacedTable table = Place(live, timestamp_size_);
    ++result_.tables;
    result_.file_bytes += live.file_size;
    DatabaseReport::Level& level = levels_[live.level];
    level.level = live.level;
    ++level.files;
    level.file_bytes += live.file_size;
    if (properties) {
      TakeProperties(*properties, &table, &level);
    } else {
      ++level.without_properties;
    }
    table.is_bad = is_bad;
    if (is_bad) ++result_.bad_tables;
    tables_.push_back(std::move(table));
  }

  void ReadTable(const LiveTable& live, const std::string& path,
                 TableInspection* inspection) {
    const auto file = OpenRandomAccessFile(path);
    if (!file.ok()) return AddFault(path, file.status());
    if ((*file)->Size() != live.file_size) {
      AddFault(path,
               Status::Corruption("it has " + std::to_string((*file)->Size()) +
                                  " bytes, and the MANIFEST says " +
                                  std::to_string(live.file_size)));
    }
    const Status status = InspectSampled(live, **file, inspection);
    if (!status.ok()) AddFault(path, status);
    // A page would say that the table cannot be read.
    lacks_memory_ = lacks_memory_ || status.IsMemoryLimit();
    for (const TableFault& fault : inspection->faults) {
      AddFault(path, fault.status, fault);
    }
    if (inspection->blocks.empty()) return;
    report_.Opened(*inspection);
    result_.blocks_ok += inspection->blocks_ok;
    result_.blocks_bad += inspection->blocks_bad;
    result_.data_blocks += CountDataBlocks(*inspection);
    result_.lacks_checksums =
        result_.lacks_checksums ||
        inspection->checksum_type == ChecksumType::kNoChecksum;
  }

  Status InspectSampled(const LiveTable& live, const RandomAccessFile& file,
                        TableInspection* inspection) {
    std::vector<bool> chosen;
    const uint64_t wanted = sample_.Next(live.file_size);
    const bool all = wanted == UINT64_MAX;
    if (!all && wanted != 0) {
      // A first pass that reads no data blocks counts them.
      TableInspection listed;
      Status status = InspectTable(
          file, InspectOptionsFromFlags(InspectOptions::DataBlocks::kList),
          &listed);
      if (!status.ok()) return status;
      const uint64_t total = CountDataBlocks(listed);
      chosen = Choose(std::min(wanted, total), total);
    }
    const auto decodes = [&](uint64_t index) {
      return all || (index < chosen.size() && chosen[index]);
    };
    InspectOptions options =
        InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
    if (!all) options.decodes_block = decodes;
    options.on_progress = [this](uint64_t done, uint64_t) {
      return progress_->Update(done_bytes_ + done, total_bytes_);
    };
    TableStats& stats = result_.stats;
    stats.timestamp_size =
        live.user_defined_timestamps_persisted ? timestamp_size_ : 0;
    options.on_block = [&](const BlockInfo& block) {
      if (block.kind == BlockKind::kData &&
          (!decodes(block.index) || !block.contents_sound)) {
        return stats.CountBytes(block);
      }
      stats.OnBlock(block);
      if (block.kind == BlockKind::kData) ++result_.decoded_blocks;
    };
    options.on_entry = [&](const BlockInfo& block, const Slice& key,
                           const Slice& value) {
      stats.OnEntry(block, key, value);
    };
    return InspectTable(file, options, inspection);
  }

  void AddFault(const std::string& path, const Status& status,
                const std::optional<TableFault>& block = std::nullopt) {
    if (Interrupted() && status.IsAborted()) return report_.AddFault(status);
    if (block) {
      report_.AddFaultIn(path, *block);
    } else {
      report_.AddFault(status, FaultLine(path, status));
    }
    KeepFault(path, status, block);
  }

  void KeepFault(const std::string& path, const Status& status,
                 const std::optional<TableFault>& block) {
    ++result_.faults_total;
    if (result_.faults.size() < DatabaseReport::kMostFaults) {
      result_.faults.push_back({path, status, block});
    }
  }

  void TakeProperties(const TableProperties& properties, PlacedTable* table,
                      DatabaseReport::Level* level) {
    table->entries = properties.num_entries;
    table->deletions = properties.num_deletions;
    level->entries += properties.num_entries;
    level->deletions += properties.num_deletions;
    level->raw_bytes += properties.raw_key_size + properties.raw_value_size;
    level->data_bytes += properties.data_size;
    std::vector<LabelledProperty> labelled = LabelledProperties(properties);
    if (!has_properties_) {
      has_properties_ = true;
      result_.common = std::move(labelled);
      return;
    }
    KeepCommon(labelled);
  }

  // Moves what is not the same in `other` from `common` to `differing`.
  void KeepCommon(const std::vector<LabelledProperty>& other) {
    const auto is_same = [&](const LabelledProperty& property) {
      return std::any_of(other.begin(), other.end(), [&](const auto& each) {
        return each.label == property.label && each.text == property.text;
      });
    };
    std::erase_if(result_.common, [&](const LabelledProperty& property) {
      if (is_same(property)) return false;
      result_.differing.push_back(property.label);
      return true;
    });
  }

  void Finish() {
    result_.stats.Finish();
    result_.places = PlaceTables(*database_.comparator(), &tables_);
    result_.boxes = MakeTableBoxes(tables_);
    std::map<uint32_t, std::vector<const PlacedTable*>> by_level;
    for (const PlacedTable& table : tables_) {
      by_level[table.level].push_back(&table);
    }
    for (auto each = levels_.begin(); each != levels_.end(); ++each) {
      const auto next = std::next(each);
      if (next != levels_.end()) {
        each->second.overlapped_bytes =
            OverlappedBytes(by_level[each->first], by_level[next->first]);
      }
      result_.levels.push_back(each->second);
    }
    result_.largest = FirstOf(tables_, [](const auto& a, const auto& b) {
      return a.bytes != b.bytes ? a.bytes > b.bytes : a.number < b.number;
    });
    result_.most_deletions = FirstOf(tables_, [](const auto& a, const auto& b) {
      return a.deletions != b.deletions ? a.deletions > b.deletions
                                        : a.number < b.number;
    });
    std::erase_if(result_.most_deletions,
                  [](const auto& table) { return table.deletions == 0; });
    tables_ = {};
  }

  Database& database_;
  DatabaseReport& result_;
  Report& report_;
  size_t timestamp_size_ = 0;
  Sample sample_;
  Progress* progress_ = nullptr;
  uint64_t total_bytes_ = 0;
  uint64_t done_bytes_ = 0;
  std::map<uint32_t, DatabaseReport::Level> levels_;
  std::vector<PlacedTable> tables_;
  bool has_properties_ = false;
  bool lacks_memory_ = false;
};

}  // namespace

bool CollectDatabaseReport(const std::string& folder, Database* database,
                           DatabaseReport* result, Report* report) {
  return Collector(database, result, report).Run(folder);
}

}  // namespace ashlar::tool
