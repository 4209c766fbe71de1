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

// The file's last block always joins the current partition.
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
    Status status = sink->Store(BlockKind::kIndexPartition, block, &stored);
    if (!status.ok()) return status;
    root.Add(separator(end - 1, form().user_keys), stored, Slice());
  }
  // RocksDB never marks the top level.
  const Slice block = root.Finish(-1, &uniform);
  written->partitions = ends_.size();
  written->top_level_bytes = ends_.empty() ? 0 : block.size();
  written->raw_bytes += block.size();
  return sink->Store(BlockKind::kIndex, block, &written->root);
}

Status TwoLevelIndexReader::Open(const IndexSource& source,
                                 const BlockPlace& root,
                                 const LoadIndexBlock& load_root,
                                 std::unique_ptr<IndexReader>* index) {
  IndexForm form = source.form;
  form.first_keys = false;
  std::unique_ptr<TwoLevelIndexReader> opened(new TwoLevelIndexReader(source));
  Status status = opened->TakeRoot(root, form, load_root);
  if (!status.ok()) return status;
  if (source.store == nullptr) {
    opened->parts_ =
        std::make_unique<LatePart<const ParsedIndex>[]>(opened->num_parts());
  }
  *index = std::move(opened);
  return {};
}

// Checks that a partition is between the separators of the root on both sides.
Status TwoLevelIndexReader::CheckPart(size_t i, const ParsedIndex& part) const {
  const BlockPlace place = PartPlace(i);
  if (part.size() == 0) {
    return place.Corruption("bad index partition",
                            "expected one entry or more, found none");
  }
  if (!source().order.known()) return {};
  std::string of_part;
  std::string of_root;
  const Slice last = part.separator(part.size() - 1, &of_part);
  if (root().CompareSeparators(last, root().separator(i, &of_root)) > 0) {
    return place.Corruption("bad index partition",
                            "its last separator is larger than its separator "
                            "in the top-level index");
  }
  if (i > 0 && root().CompareSeparators(root().separator(i - 1, &of_root),
                                        part.separator(0, &of_part)) >= 0) {
    return place.Corruption(
        "bad index partition",
        "its first separator is not larger than the separator of the partition "
        "before it in the top-level index");
  }
  return {};
}

Status TwoLevelIndexReader::Load(size_t i, ParsedIndex* part) const {
  const BlockPlace place = PartPlace(i);
  Status status = LoadBlock(place, part);
  if (status.ok()) status = CheckPart(i, *part);
  if (!status.ok()) return status;
  if (part->MostMemoryUsage() > most_part_bytes_) {
    return place.Corruption(
        "bad index partition",
        "its keys together are many times larger than the file");
  }
  return {};
}

Status TwoLevelIndexReader::Part(size_t i, IndexHold* part) const {
  return parts_ != nullptr ? KeptPart(i, part) : PartOfStore(i, part);
}

Status TwoLevelIndexReader::PartOfStore(size_t i, IndexHold* part) const {
  if (i < pinned_.size() && pinned_[i]) {
    *part = IndexHold(pinned_[i].get());
    return {};
  }
  const BlockPlace place = PartPlace(i);
  const Cache::SlotHint expected = root().hint(i).slot;
  Cache::SlotHint slot = expected;
  *part = source().store->Find(place, source().order, form(), &slot);
  if (*part) [[likely]] {
    if (slot != expected) root().Note(i, slot, part->get());
    return {};
  }
  return source().store->Load(
      place, source().order, form(),
      [&](ParsedIndex* parsed) { return Load(i, parsed); }, part);
}

Status TwoLevelIndexReader::KeptPart(size_t i, IndexHold* part) const {
  const ParsedIndex* kept;
  Status status = parts_[i].Need(
      [&](std::unique_ptr<const ParsedIndex>* made) {
        return LoadKept(i, made);
      },
      &kept);
  if (status.ok()) *part = IndexHold(kept);
  return status;
}

Status TwoLevelIndexReader::LoadKept(
    size_t i, std::unique_ptr<const ParsedIndex>* part) const {
  auto loaded = std::make_unique<ParsedIndex>(source().order, form());
  Status status = Load(i, loaded.get());
  if (!status.ok()) return status;
  const uint64_t bytes = loaded->MostMemoryUsage();
  if (part_bytes_.FetchAdd(bytes) + bytes > most_part_bytes_) {
    part_bytes_.FetchSub(bytes);
    return PartPlace(i).Corruption(
        "bad index partition",
        "its keys together are many times larger than the file");
  }
  if (source().charge != nullptr) {
    status = source().charge->Add(sizeof *loaded + bytes);
    if (!status.ok()) {
      part_bytes_.FetchSub(bytes);
      return PartPlace(i).Wrap("cannot keep it", status);
    }
  }
  *part = std::move(loaded);
  return {};
}

void TwoLevelIndexReader::PinParts() {
  if (parts_ == nullptr) pinned_.resize(num_parts());
  for (size_t i = 0; i < num_parts(); ++i) {
    IndexHold part;
    Part(i, &part).IgnoreError();
    if (parts_ == nullptr) pinned_[i] = std::move(part);
  }
}

uint64_t TwoLevelIndexReader::MemoryUsage() const {
  uint64_t bytes = IndexReader::MemoryUsage();
  if (parts_ == nullptr) return bytes;
  bytes += num_parts() * sizeof(parts_[0]);
  for (size_t i = 0; i < num_parts(); ++i) {
    const ParsedIndex* const part = parts_[i].IfLoaded();
    if (part != nullptr) bytes += sizeof *part + part->MemoryUsage();
  }
  return bytes;
}

uint64_t TwoLevelIndexReader::HintMemory() const {
  uint64_t bytes = 0;
  for (size_t i = 0; parts_ != nullptr && i < num_parts(); ++i) {
    const ParsedIndex* const part = parts_[i].IfLoaded();
    if (part != nullptr) bytes += part->MostMemoryUsage() - part->MemoryUsage();
  }
  return bytes;
}

}  // namespace ashlar::internal
