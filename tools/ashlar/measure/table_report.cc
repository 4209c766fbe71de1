#include "tools/ashlar/measure/table_report.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/comparator.h"
#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/block_sample.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {
namespace {

bool Contains(const std::vector<bool>& chosen, uint64_t index) {
  return index < chosen.size() && chosen[index];
}

// Returns the number of blocks that together have about kTrialBytes, since they
// are compressed many times. The size of a block before it is decoded is a
// guess.
uint64_t TrialBlocksOf(const TableInspection& inspection, uint64_t total) {
  constexpr uint64_t kTrialBytes = uint64_t{2} << 20;
  constexpr uint64_t kMost = 1024;
  constexpr uint64_t kUsualBytes = 4096;
  uint64_t block_bytes = kUsualBytes;
  if (inspection.properties && total != 0) {
    const TableProperties& properties = *inspection.properties;
    // The properties may claim any sizes.
    block_bytes = std::max(
        {properties.raw_key_size / total + properties.raw_value_size / total,
         properties.data_size / total, uint64_t{1}});
  }
  return std::clamp<uint64_t>(kTrialBytes / block_bytes, 2, kMost);
}

class Collector {
 public:
  Collector(const std::string& path, TableReport* table)
      : path_(path), table_(table) {}

  bool Run(Report* report) {
    if (!ChooseSample(report) || !ReadAll(report)) return false;
    TableInspection& inspection = table_->inspection;
    if (inspection.magic == TableMagic::kUnknown &&
        !HasFoundBlocks(inspection)) {
      report->SetFileStatus("not_sst");
    }
    if (!inspection.blocks.empty()) {
      report->Opened(inspection);
    } else {
      // Without blocks, there are no properties either.
      report->SetFormat(inspection.format_version, inspection.checksum_type,
                        nullptr);
    }
    WarnOfUnknownOrder(inspection, *report);
    table_->stats.Finish();
    table_->data_blocks = CountDataBlocks(inspection);
    table_->map = MakeBlockMap(inspection, [this](const BlockInfo& block) {
      return IsDecoded(block);
    });
    SpreadKeys();
    ProbeTheFilter(report);
    TrialOptions options;
    options.comparator = order_ == nullptr ? BytewiseComparator() : order_;
    options.threads = FLAGS_threads;
    table_->trials = TryCodecs(trial_blocks_, options);
    inspection.blocks = {};
    for (const TableFault& fault : inspection.faults) report->AddFault(fault);
    return !Interrupted();
  }

 private:
  bool IsDecoded(const BlockInfo& block) const {
    return block.contents_sound &&
           (block.kind != BlockKind::kData || Contains(sample_, block.index));
  }

  // Chooses the blocks, in a first pass that reads no data blocks.
  bool ChooseSample(Report* report) {
    TableInspection listed;
    InspectOptions options =
        InspectOptionsFromFlags(InspectOptions::DataBlocks::kList);
    options.find_blocks = true;
    if (!InspectInto(path_, options, &listed, report)) return false;
    const uint64_t total = CountDataBlocks(listed);
    const uint64_t sampled =
        FLAGS_sample == 0 ? total : std::min<uint64_t>(FLAGS_sample, total);
    sample_ = EvenlySpread(sampled, total);
    const uint64_t decoded =
        static_cast<uint64_t>(std::count(sample_.begin(), sample_.end(), true));
    for_trials_ = EvenlySpread(TrialBlocksOf(listed, total), decoded);
    return true;
  }

  bool ReadAll(Report* report) {
    Progress progress(path_);
    InspectOptions options =
        InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
    options.find_blocks = true;
    if (std::count(sample_.begin(), sample_.end(), false) != 0) {
      options.decodes_block = [this](uint64_t index) {
        return Contains(sample_, index);
      };
    }
    options.on_progress = [&progress](uint64_t done, uint64_t total) {
      return progress.Update(done, total);
    };
    options.on_block = [this](const BlockInfo& block) { OnBlock(block); };
    options.on_entry = [this](const BlockInfo& block, const Slice& key,
                              const Slice& value) {
      OnEntry(block, key, value);
    };
    return InspectInto(path_, options, &table_->inspection, report);
  }

  void OnBlock(const BlockInfo& block) {
    if (block.kind == BlockKind::kIndexPartition && block.index == 0) {
      separators_.clear();  // until now, those of the top level
    }
    if (block.kind == BlockKind::kProperties && table_->inspection.properties) {
      order_ = StoredOrder(*table_->inspection.properties);
      table_->stats.timestamp_size =
          order_ == nullptr ? 0 : order_->timestamp_size();
    }
    if (block.kind != BlockKind::kData) {
      table_->stats.OnBlock(block);
      return;
    }
    const bool sampled = Contains(sample_, block.index);
    if (!sampled || !block.contents_sound) {
      table_->stats.CountBytes(block);
    } else {
      table_->stats.OnBlock(block);
      ++table_->decoded_blocks;
    }
    entry_ = 0;
    on_trial_ = sampled && Contains(for_trials_, sampled_++) &&
                block.contents_sound && FitsTrials(block);
    if (on_trial_) {
      trial_blocks_.BeginBlock(block.raw_size, block.size + kBlockTrailerBytes);
    }
    data_.push_back(
        {{}, {}, block.size + kBlockTrailerBytes, !block.status.ok()});
    indexes_.push_back(block.index);
  }

  // The choice was based on the properties, which may be missing or wrong. So
  // this limits the sizes again.
  bool FitsTrials(const BlockInfo& block) const {
    constexpr uint64_t kMostBytes = uint64_t{8} << 20;
    constexpr uint64_t kMostOfFirst = uint64_t{64} << 20;
    const uint64_t bytes = trial_blocks_.raw_bytes() + block.raw_size;
    return bytes <= (trial_blocks_.blocks() == 0 ? kMostOfFirst : kMostBytes);
  }

  void OnEntry(const BlockInfo& block, const Slice& key, const Slice& value) {
    switch (block.kind) {
      case BlockKind::kIndex:
      case BlockKind::kIndexPartition:
        separators_.push_back(key.ToString());
        return;
      case BlockKind::kRangeDeletion:
        deletions_.emplace_back(UserKeyOf(key).ToString(), value.ToString());
        break;
      case BlockKind::kData:
        if (entry_ == 0) data_.back().first = UserKeyOf(key).ToString();
        if (++entry_ == block.num_entries) {
          data_.back().last = UserKeyOf(key).ToString();
        }
        if (on_trial_) trial_blocks_.Add(key, value);
        break;
      default:
        return;
    }
    table_->stats.OnEntry(block, key, value);
  }

  // The keys of a block that was not decoded are between the separators on its
  // two sides. Those of a block that the index does not name are unknown.
  void SpreadKeys() {
    size_t kept = 0;
    for (size_t i = 0; i < data_.size(); ++i) {
      KeySpan& span = data_[i];
      if (span.last.empty() && span.first.empty()) {
        const uint64_t index = indexes_[i];
        if (index >= separators_.size()) continue;
        span.last = separators_[index];
        span.first = index == 0 ? span.last : separators_[index - 1];
      }
      if (kept != i) data_[kept] = std::move(span);
      ++kept;
    }
    data_.resize(kept);
    indexes_ = {};
    const bool reverse = order_ == ReverseBytewiseComparator();
    table_->key_space = MakeKeySpace(data_, deletions_, reverse);
    data_ = {};
    separators_ = {};
  }

  void ProbeTheFilter(Report* report) {
    const TableInspection& inspection = table_->inspection;
    if (!inspection.faults.empty() || !inspection.knows_order ||
        FLAGS_filter_probes == 0 || Interrupted()) {
      return;
    }
    auto reader = TableReader::Open(path_, ReaderOptionsFromFlags());
    Status status = reader.status();
    if (reader.ok()) {
      TableStats stats = table_->stats;
      stats.distinct_keys = DistinctKeys();
      table_->filter = ProbeFilter(**reader, stats, &status);
    }
    if (!status.ok()) report->AddFault(status);
  }

  // Estimates the number in the whole table from the sample.
  uint64_t DistinctKeys() const {
    if (table_->decoded_blocks == table_->data_blocks ||
        table_->decoded_blocks == 0) {
      return table_->stats.distinct_keys;
    }
    return static_cast<uint64_t>(
        static_cast<double>(table_->stats.distinct_keys) *
        static_cast<double>(table_->data_blocks) /
        static_cast<double>(table_->decoded_blocks));
  }

  const std::string& path_;
  TableReport* const table_;
  std::vector<bool> sample_;      // of the data blocks
  std::vector<bool> for_trials_;  // among the sampled ones
  uint64_t sampled_ = 0;
  const Comparator* order_ = BytewiseComparator();
  std::vector<std::string> separators_;
  std::vector<KeySpan> data_;
  std::vector<uint64_t> indexes_;  // numbers of the blocks in data_
  std::vector<std::pair<std::string, std::string>> deletions_;
  uint64_t entry_ = 0;
  bool on_trial_ = false;
  TrialBlocks trial_blocks_;
};

}  // namespace

bool CollectTableReport(const std::string& path, TableReport* table,
                        Report* report) {
  return Collector(path, table).Run(report);
}

}  // namespace ashlar::tool
