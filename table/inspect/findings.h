// Findings: collects what the passes of an inspection find out.
//
// Each pass adds its blocks and faults, in the order in which they are to be
// reported. Findings puts them into the TableInspection and passes them to the
// caller's callbacks. Only the calling thread of InspectTable uses it. The data
// pass therefore collects what several threads find, and adds it at the end.
#ifndef ASHLAR_TABLE_INSPECT_FINDINGS_H_
#define ASHLAR_TABLE_INSPECT_FINDINGS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "ashlar/table/inspect.h"
#include "table/format/block_place.h"
#include "table/index/index_block.h"
#include "table/inspect/index_items.h"
#include "table/inspect/restored_file.h"

namespace ashlar::internal {

class Findings {
 public:
  // Requires: all three outlive this.
  Findings(const RandomAccessFile& file, const InspectOptions& options,
           TableInspection* inspection)
      : file_(file), options_(options), inspection_(inspection) {}
  // The same for a file that is read as it was written.
  Findings(const RestoredFile& file, const InspectOptions& options,
           TableInspection* inspection)
      : file_(file),
        restored_(&file),
        options_(options),
        inspection_(inspection) {}

  const InspectOptions& options() const { return options_; }
  // Null: the file is read as it is.
  const RestoredFile* restored() const { return restored_; }
  // The blocks that are sound where they are, in file order, if the index names
  // others that are not and that may be elsewhere. Null otherwise.
  const std::vector<BlockHandle>* sound_blocks() const {
    return sound_blocks_.has_value() ? &*sound_blocks_ : nullptr;
  }
  void SetSoundBlocks(std::vector<BlockHandle> blocks) {
    sound_blocks_ = std::move(blocks);
  }
  // What is neither a block nor a fault is entered here directly.
  TableInspection& inspection() { return *inspection_; }
  const TableInspection& inspection() const { return *inspection_; }

  void AddFault(const BlockPlace& place, Status status);
  // Counts the block, and adds its fault if it has one.
  void Judge(BlockInfo* info);
  // Judges the block, shows it to on_block, and adds it to the inspection.
  void Keep(BlockInfo info);

  // These call InspectOptions::on_entry for the block that was kept last.
  void ShowEntries(const Slice& contents, const BlockPlace& place) const;
  void ShowIndexEntries(const IndexItems& items, size_t first,
                        const IndexForm& form) const;

  // Returns how many bytes the file has, not how many a restored file had by
  // what its blocks say: what is spent on it is bounded by this.
  uint64_t BytesInFile() const {
    return restored_ != nullptr ? restored_->stored_size() : file_.Size();
  }
  // Reports progress. Returns false to give up.
  bool ReportProgress(uint64_t done) const {
    return !options_.on_progress ||
           options_.on_progress(done, inspection_->file_size);
  }
  // Returns the status of an inspection that was given up.
  Status GivenUp() const {
    return Status::Aborted(file_.name() + ": stopped on request");
  }

 private:
  const RandomAccessFile& file_;
  const RestoredFile* const restored_ = nullptr;
  std::optional<std::vector<BlockHandle>> sound_blocks_;
  const InspectOptions& options_;
  TableInspection* const inspection_;
};

inline BlockPlace PlaceOf(const BlockInfo& info) {
  return {info.kind, {info.offset, info.size}, info.index};
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_FINDINGS_H_
