#include "tools/ashlar/measure/file_space.h"

#include <algorithm>
#include <string_view>

#include "ashlar/table/inspect.h"
#include "ashlar/table/internal_key.h"
#include "tools/ashlar/inputs/key_prefix.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/block_sample.h"
#include "tools/ashlar/print/progress.h"

namespace ashlar::tool {
namespace {

class SpaceReader {
 public:
  SpaceReader(const KeyRange& range, FileSpace* space)
      : range_(range), space_(space) {}

  // Returns false if there is nothing to show.
  bool Read(const std::string& path, Report* report) {
    Progress progress(path);
    InspectOptions options = InspectOptionsFromFlags(
        WantsPrefixes() ? InspectOptions::DataBlocks::kRead
                        : InspectOptions::DataBlocks::kList);
    options.filter_keys = InspectOptions::FilterKeys::kFirst;
    options.on_progress = [&progress](uint64_t done, uint64_t total) {
      return progress.Update(done, total);
    };
    options.decodes_block = [this](uint64_t i) { return IsWanted(i); };
    options.on_block = [this](const BlockInfo& block) { OnBlock(block); };
    options.on_entry = [this](const BlockInfo& block, const Slice& key,
                              const Slice& value) {
      OnEntry(block, key, value);
    };
    if (!InspectInto(path, options, &inspection_, report)) return false;
    space_->prefixes.EndBlock();
    space_->file_bytes = inspection_.file_size;
    space_->order = order_;
    return Finish(path, report);
  }

 private:
  bool Finish(const std::string& path, Report* report) {
    if (inspection_.magic == TableMagic::kUnknown) {
      report->SetFileStatus("not_sst");
    }
    for (const TableFault& fault : inspection_.faults) {
      report->AddFaultIn(path, fault);
    }
    if (inspection_.blocks.empty()) return false;
    report->Opened(inspection_);
    if (order_ == nullptr && !range_.IsAll()) {
      report->AddFault(Status::NotSupported(
          "comparator " + inspection_.properties->comparator_name +
              " is not built in",
          Status::SubCode::kNotBuiltIn));
      return false;
    }
    WarnOfUnknownOrder(inspection_, *report);
    if (!WantsPrefixes()) ListBlocks();
    return true;
  }

  void OnBlock(const BlockInfo& block) {
    if (block.kind == BlockKind::kIndexPartition && block.index == 0) {
      separators_.clear();  // until now, those of the top level
    }
    if (block.kind == BlockKind::kProperties && inspection_.properties) {
      order_ = StoredOrder(*inspection_.properties);
    }
    if (block.kind != BlockKind::kData) return;
    space_->prefixes.BeginBlock(block.size + kBlockTrailerBytes);
    if (IsWanted(block.index) && block.contents_sound) Count(block);
  }

  void OnEntry(const BlockInfo& block, const Slice& key, const Slice& value) {
    if (block.kind == BlockKind::kIndex ||
        block.kind == BlockKind::kIndexPartition) {
      separators_.push_back(WithoutTime(key).ToString());
    } else if (block.kind == BlockKind::kData) {
      const Slice user_key = UserKeyOf(key);
      const Slice bare = WithoutTime(user_key);
      const std::string_view prefix = PrefixOf(bare.ToStringView());
      const bool wanted = range_.IsAll() ||
                          (order_ != nullptr && range_.Contains(bare, *order_));
      space_->prefixes.AddEntry(wanted ? &prefix : nullptr, user_key.size(),
                                value.size());
    }
  }

  void ListBlocks() {
    for (const BlockInfo& block : inspection_.blocks) {
      if (block.kind != BlockKind::kData || !IsWanted(block.index) ||
          block.index >= separators_.size()) {
        continue;
      }
      Count(block);
      space_->blocks.push_back(
          {separators_[block.index], 1, block.size + kBlockTrailerBytes});
    }
  }

  void Count(const BlockInfo& block) {
    ++space_->data_blocks;
    space_->data_bytes += block.size + kBlockTrailerBytes;
  }

  Slice WithoutTime(const Slice& key) const {
    const size_t size = order_ == nullptr ? 0 : order_->timestamp_size();
    return WithoutTimestamp(key, std::min(size, key.size()));
  }

  // Returns whether data block `i` may have keys in the range.
  bool IsWanted(uint64_t i) const {
    if (range_.IsAll()) return true;
    if (order_ == nullptr || i >= separators_.size()) return false;
    return range_.MayMeet(i == 0 ? nullptr : &separators_[i - 1],
                          separators_[i], *order_);
  }

  const KeyRange& range_;
  FileSpace* const space_;
  TableInspection inspection_;
  // The default is for files that name no comparator.
  const Comparator* order_ = BytewiseComparator();
  std::vector<std::string> separators_;
};

}  // namespace

bool ReadFileSpace(const std::string& path, const KeyRange& range,
                   FileSpace* space, Report* report) {
  return SpaceReader(range, space).Read(path, report);
}

}  // namespace ashlar::tool
