#include "table/sort/sorted_runs.h"

#include <algorithm>
#include <utility>

#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/scratch_file.h"
#include "port/posix_io.h"
#include "table/sort/piece_merge.h"

namespace ashlar::internal {
namespace {

constexpr uint64_t kRunBlockBytes = uint64_t{64} << 10;
// The memory of an open run: its iterator's window and block, and its index.
constexpr size_t kBytesOfOpenRun = size_t{512} << 10;
constexpr uint64_t kEntriesBetweenLooks = 4096;

TableOptions RunOptions(const Comparator* order) {
  TableOptions options;
  options.comparator = order;
  options.compression = CompressionType::kNoCompression;
  options.block_size = kRunBlockBytes;
  options.filter = FilterType::kNone;
  return options;
}

// Leaves some descriptors for the output, the inputs and the libraries.
size_t MostOpenRuns() {
  constexpr uint64_t kSpared = 32;
  constexpr uint64_t kMost = 4096;
  const uint64_t limit = port::DescriptorLimit();
  const uint64_t files = limit == 0 ? kMost : std::min(limit, kMost);
  return static_cast<size_t>(std::max(files, kSpared + 4) - kSpared);
}

}  // namespace

SortedRuns::SortedRuns(const StoredForm* form, Options options)
    : form_(form),
      options_(std::move(options)),
      fan_in_(std::clamp<size_t>(options_.memory / kBytesOfOpenRun, 2,
                                 MostOpenRuns() / 2)),
      most_runs_(MostOpenRuns()) {}

// Looks only now and then: `entries` is how many were passed on.
Status SortedRuns::CheckCancelled(uint64_t entries) const {
  const bool looks =
      entries % kEntriesBetweenLooks == 0 && options_.is_cancelled;
  return looks && options_.is_cancelled() ? Status::Aborted("interrupted")
                                          : Status();
}

// Writes a run. fill(builder) adds its entries.
template <typename Fill>
Result<SortedRuns::Run> SortedRuns::Write(Fill fill) {
  auto scratch = ScratchFile::Create(options_.folder);
  if (!scratch.ok()) return scratch.status();
  auto builder =
      TableBuilder::Create(RunOptions(form_->order()), {}, scratch->get());
  if (!builder.ok()) return builder.status();
  Status status = fill(builder->get());
  if (status.ok()) status = (*builder)->Finish();
  if (!status.ok()) return status;
  runs_written_.FetchAdd(1);
  bytes_written_.FetchAdd((*scratch)->size());
  return (*scratch)->NewReader();
}

Status SortedRuns::Add(const EntryBuffer& entries) {
  if (runs_.size() == most_runs_) {
    Status status = MergeSmallest(fan_in_);
    if (!status.ok()) return status;
  }
  auto run = Write([&](TableBuilder* builder) {
    uint64_t passed = 0;
    for (PieceMerge merge(&entries); merge.Valid(); merge.Next()) {
      Status status = CheckCancelled(passed++);
      if (status.ok())
        status = builder->Add(merge.record().key, merge.record().value);
      if (!status.ok()) return status;
    }
    return Status();
  });
  if (!run.ok()) return run.status();
  runs_.push_back(std::move(run).value());
  return Status();
}

Status SortedRuns::MergeLast(size_t count, const Take& take) {
  std::vector<std::unique_ptr<TableReader>> readers;
  std::vector<Iterator> iterators;
  ReaderOptions options;
  options.comparator = form_->order();
  for (size_t i = 0; i < count; ++i) {
    auto reader = TableReader::Open(std::move(runs_.back()), options);
    runs_.pop_back();
    if (!reader.ok()) return reader.status();
    readers.push_back(std::move(reader).value());
    iterators.push_back(readers.back()->NewIterator());
  }
  MergingIterator it(form_->order(), std::move(iterators));
  uint64_t passed = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    Status status = CheckCancelled(passed++);
    if (status.ok()) status = take(it.key(), it.value());
    if (!status.ok()) return status;
  }
  return it.status();
}

Status SortedRuns::MergeSmallest(size_t count) {
  std::sort(runs_.begin(), runs_.end(),
            [](const Run& a, const Run& b) { return a->Size() > b->Size(); });
  auto merged = Write([&](TableBuilder* builder) {
    return MergeLast(count, [builder](const Slice& key, const Slice& value) {
      return builder->Add(key, value);
    });
  });
  if (!merged.ok()) return merged.status();
  runs_.push_back(std::move(merged).value());
  return Status();
}

Status SortedRuns::Prepare() {
  while (runs_.size() > fan_in_) {
    Status status =
        MergeSmallest(std::min(fan_in_, runs_.size() - fan_in_ + 1));
    if (!status.ok()) return status;
  }
  return Status();
}

Status SortedRuns::ForEach(const Take& take) {
  return MergeLast(runs_.size(), take);
}

}  // namespace ashlar::internal
