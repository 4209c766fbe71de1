#include "tools/ashlar/rows/sorted_runs.h"

#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/rows/scratch_file.h"

namespace ashlar::tool {
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
  constexpr size_t kSpared = 32;
  constexpr size_t kMost = 4096;
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kSpared;
  const size_t files =
      static_cast<size_t>(std::min<rlim_t>(limit.rlim_cur, kMost));
  return std::max<size_t>(files, kSpared + 4) - kSpared;
}

}  // namespace

SortedRuns::SortedRuns(const SortedEntryForm* form, size_t memory)
    : form_(form),
      fan_in_(
          std::clamp<size_t>(memory / kBytesOfOpenRun, 2, MostOpenRuns() / 2)),
      most_runs_(MostOpenRuns()) {}

// Writes a run. fill(builder) adds its entries.
template <typename Fill>
Result<SortedRuns::Run> SortedRuns::Write(Fill fill) const {
  auto scratch = ScratchFile::Create();
  if (!scratch.ok()) return scratch.status();
  auto builder =
      TableBuilder::Create(RunOptions(form_->order()), {}, scratch->get());
  if (!builder.ok()) return builder.status();
  Status status = fill(builder->get());
  if (status.ok()) status = (*builder)->Finish();
  if (!status.ok()) return status;
  return (*scratch)->NewReader();
}

Status SortedRuns::Add(const RowBuffer& rows) {
  if (runs_.size() == most_runs_) {
    Status status = MergeSmallest(fan_in_);
    if (!status.ok()) return status;
  }
  auto run = Write([&](TableBuilder* builder) {
    constexpr size_t kAhead = 16;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i + kAhead < rows.size()) rows.Prefetch(i + kAhead);
      if (i % kEntriesBetweenLooks == 0 && Interrupted()) {
        return Status::Aborted("interrupted");
      }
      Slice key;
      Slice value;
      rows.Entry(i, &key, &value);
      Status status = builder->Add(key, value);
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
  uint64_t entries = 0;
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    if (entries++ % kEntriesBetweenLooks == 0 && Interrupted()) {
      return Status::Aborted("interrupted");
    }
    Status status = take(it.key(), it.value());
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

}  // namespace ashlar::tool
