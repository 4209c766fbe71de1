#include "table/index/two_level_index.h"

#include <string>

#include "table/block/block.h"

namespace ashlar::internal {

TwoLevelIndexBuilder::TwoLevelIndexBuilder(const TableOptions& options)
    : IndexBuilder(options, false),
      policy_(options.metadata_block_size, options.block_size_deviation),
      with_user_keys_({true, form().delta_handles, false},
                      options.index_block_restart_interval,
                      BlockAlignment(options)),
      with_internal_keys_({false, form().delta_handles, false},
                          options.index_block_restart_interval,
                          BlockAlignment(options)) {}

// The file's last block always joins the partition in the making.
bool TwoLevelIndexBuilder::CutsBefore(size_t i) const {
  if (with_internal_keys_.empty() || IsLast(i)) return false;
  if (cut_requested_) return true;
  const IndexEncoder& partition =
      UserKeysWereOpen(i) ? with_user_keys_ : with_internal_keys_;
  const BlockHandle& block = handle(i);
  return policy_.ShouldCutIndex(
      partition.SizeEstimate(),
      {last_key_size(i), VarintLength(block.offset) + VarintLength(block.size),
       partition.NextIsRestart(), form().delta_handles});
}

void TwoLevelIndexBuilder::OnFinished() {
  const size_t i = num_finished() - 1;
  if (CutsBefore(i)) {
    ends_.push_back(i);
    with_user_keys_.Clear();
    with_internal_keys_.Clear();
    was_cut_ = true;
    cut_requested_ = false;
  }
  with_user_keys_.Add(separator(i, true), handle(i), Slice());
  with_internal_keys_.Add(separator(i, false), handle(i), Slice());
}

Status TwoLevelIndexBuilder::Write(IndexSink* sink, WrittenIndex* written) {
  if (num_finished() != 0) ends_.push_back(num_finished());
  const int interval = options().index_block_restart_interval;
  const double threshold = options().uniform_cv_threshold;
  IndexEncoder root(form(), interval);
  IndexEncoder partition(form(), interval, BlockAlignment(options()));
  bool uniform;
  size_t i = 0;
  for (const size_t end : ends_) {
    partition.Clear();
    for (; i < end; ++i) {
      partition.Add(separator(i, form().user_keys), handle(i), Slice());
    }
    const Slice block = partition.Finish(threshold, &uniform);
    written->raw_bytes += block.size();
    written->uniform_blocks += uniform ? 1 : 0;
    BlockHandle stored;
    Status status = sink->Store(block, &stored);
    if (!status.ok()) return status;
    root.Add(separator(end - 1, form().user_keys), stored, Slice());
  }
  // RocksDB never marks the top level.
  const Slice block = root.Finish(-1, &uniform);
  written->partitions = ends_.size();
  written->top_level_bytes = ends_.empty() ? 0 : block.size();
  written->raw_bytes += block.size();
  return sink->Store(block, &written->root);
}

TwoLevelIndexReader::TwoLevelIndexReader(const IndexSource& source,
                                         ParsedIndex root)
    : IndexReader(std::move(root), true),
      source_(source),
      most_part_bytes_(KeyBudget(source.file_limit).left()),
      parts_(std::make_unique<PublishedPointer<const ParsedIndex>[]>(
          this->root().size())) {}

TwoLevelIndexReader::~TwoLevelIndexReader() {
  for (size_t i = 0; i < num_parts(); ++i) delete parts_[i].Load();
}

Status TwoLevelIndexReader::Open(const IndexSource& source,
                                 const Slice& contents, const BlockPlace& place,
                                 std::unique_ptr<IndexReader>* index) {
  IndexForm form = source.form;
  form.first_keys = false;
  ParsedIndex root(source.order, form);
  Status status = root.Parse(contents, place, source.file_limit);
  if (!status.ok()) return status;
  index->reset(new TwoLevelIndexReader(source, std::move(root)));
  return {};
}

// A partition must lie between the separators of the root on both sides.
Status TwoLevelIndexReader::CheckPart(size_t i, const ParsedIndex& part) const {
  const BlockPlace place = PartPlace(i);
  if (part.size() == 0) {
    return place.Corruption("bad index partition",
                            "expected one entry or more, found none");
  }
  if (!source_.order.known()) return {};
  const Slice last = part.separator(part.size() - 1);
  if (root().CompareSeparators(last, root().separator(i)) > 0) {
    return place.Corruption(
        "bad index partition",
        "its last entry is larger than its own in the top-level index");
  }
  if (i > 0 && root().CompareSeparators(root().separator(i - 1),
                                        part.separator(0)) >= 0) {
    return place.Corruption("bad index partition",
                            "its first entry is not larger than that of the "
                            "partition before in the top-level index");
  }
  return {};
}

Status TwoLevelIndexReader::Load(size_t i,
                                 std::unique_ptr<ParsedIndex>* part) const {
  const BlockPlace place = PartPlace(i);
  Buffer owned;
  Slice contents;
  Status status = source_.load(place, &owned, &contents);
  if (!status.ok()) return status;
  *part = std::make_unique<ParsedIndex>(source_.order, source_.form);
  status = (*part)->Parse(contents, place, source_.file_limit);
  if (status.ok()) status = CheckPart(i, **part);
  if (!status.ok()) return status;
  const uint64_t bytes = (*part)->MemoryUsage();
  if (part_bytes_.FetchAdd(bytes) + bytes > most_part_bytes_) {
    part_bytes_.FetchAdd(~bytes + 1);
    return place.Corruption("bad index partition",
                            "index keys are many times as large as their file");
  }
  return {};
}

// Two threads may read one partition at the same time; the first to publish it
// wins, and the other takes that one.
Status TwoLevelIndexReader::Part(size_t i, const ParsedIndex** part) const {
  *part = parts_[i].Load();
  if (*part != nullptr) [[likely]]
    return {};
  std::unique_ptr<ParsedIndex> loaded;
  Status status = Load(i, &loaded);
  if (!status.ok()) return status;
  const ParsedIndex* const winner = parts_[i].PublishFirst(loaded.get());
  *part = winner;
  if (winner == loaded.get()) {
    static_cast<void>(loaded.release());
  } else {
    part_bytes_.FetchAdd(~loaded->MemoryUsage() + 1);
  }
  return {};
}

uint64_t TwoLevelIndexReader::MemoryUsage() const {
  return IndexReader::MemoryUsage() + part_bytes_.Load() +
         num_parts() * sizeof(parts_[0]);
}

}  // namespace ashlar::internal
