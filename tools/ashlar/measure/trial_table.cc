#include "tools/ashlar/measure/trial_table.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "tools/ashlar/inputs/copy_entries.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/rows/scratch_folder.h"

namespace ashlar::tool {

namespace {

// A range deletion's internal key and end.
using StoredRangeDeletion = std::pair<std::string, std::string>;

// Sorts the range deletions, whose order in the file has no meaning.
std::vector<StoredRangeDeletion> SortedRangeDeletions(
    const TableReader& table) {
  std::vector<StoredRangeDeletion> deletions;
  for (const RangeDeletion& deletion : table.RangeDeletions()) {
    std::string key;
    AppendInternalKey(deletion.begin, deletion.sequence,
                      ValueType::kTypeRangeDeletion, &key);
    deletions.emplace_back(std::move(key), deletion.end.ToString());
  }
  std::sort(deletions.begin(), deletions.end());
  return deletions;
}

}  // namespace

Status TrialTable::Write(const TableOptions& options,
                         const BuildOptions& build) {
  auto scratch = ScratchFile::Create(ScratchFolder());
  if (!scratch.ok()) return scratch.status();
  scratch_ = std::move(scratch).value();
  const Stopwatch stopwatch;
  auto builder = TableBuilder::Create(options, build, scratch_.get());
  if (!builder.ok()) return builder.status();
  std::string key;
  Status status =
      ForEachEntry(input_, progress_,
                   [&](const Slice& user_key, SequenceNumber sequence,
                       ValueType type, const Slice& value) {
                     key.clear();
                     AppendInternalKey(user_key, sequence, type, &key);
                     return (*builder)->Add(key, value);
                   });
  if (status.ok()) status = (*builder)->Finish();
  made_ = (*builder)->properties();
  write_ = stopwatch.Read();
  return status;
}

// The part may have ended without a last update.
void TrialTable::ShowPartIsDone() const {
  static_cast<void>(progress_->Update(1, 1));
}

Status TrialTable::ReadBack(WorkerPool* pool) {
  auto file = scratch_->NewReader();
  if (!file.ok()) return file.status();
  ReaderOptions reader_options = ReaderOptionsFromFlags();
  reader_options.comparator = input_.comparator();
  auto table = TableReader::Open(std::move(file).value(), reader_options);
  if (!table.ok()) return table.status();
  table_ = std::move(table).value();
  const Stopwatch stopwatch;
  ReadOptions options = ReadOptionsFromFlags();
  options.verify_checksums = true;
  uint64_t entries = 0;
  Status status = table_->CheckEntries(
      options, pool,
      [this](uint64_t done, uint64_t total) {
        return progress_->Update(done, total);
      },
      &entries);
  read_ = stopwatch.Read();
  if (status.ok()) ShowPartIsDone();
  const uint64_t written = made_.num_entries - made_.num_range_deletions;
  if (status.ok() && entries != written) {
    return Status::Corruption(
        "after recompression, " + std::to_string(written) +
        " entries are read back as " + std::to_string(entries));
  }
  return status;
}

Status TrialTable::Compare() const {
  ReadOptions options = ReadOptionsFromFlags();
  options.ignore_range_deletions = true;
  Iterator a = input_.NewIterator(options);
  Iterator b = table_->NewIterator(options);
  a.SeekToFirst();
  b.SeekToFirst();
  constexpr uint64_t kEntriesBetweenLooks = 1024;
  uint64_t entries = 0;
  for (; a.Valid() && b.Valid(); a.Next(), b.Next()) {
    if (entries++ % kEntriesBetweenLooks == 0 &&
        !progress_->UpdateByEntries(entries, made_.num_entries,
                                    input_.file().Size())) {
      return Status::Aborted("interrupted");
    }
    if (a.key() != b.key() || a.value() != b.value()) {
      return Status::Corruption(
          "after recompression, " + DescribeInternalKey(a.key()) +
          " is read back as " + DescribeInternalKey(b.key()));
    }
  }
  ShowPartIsDone();
  // An iterator also ends at an error.
  if (!a.status().ok()) return a.status();
  if (!b.status().ok()) return b.status();
  if (a.Valid() || b.Valid()) {
    return Status::Corruption("after recompression, entries are missing");
  }
  return SortedRangeDeletions(input_) == SortedRangeDeletions(*table_)
             ? Status()
             : Status::Corruption(
                   "after recompression, the range deletions differ");
}

}  // namespace ashlar::tool
