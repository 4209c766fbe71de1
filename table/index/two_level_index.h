// The partitioned index: index blocks over runs of data blocks, and a root with
// one entry for each of them.
//
//   partition  an index block: one entry per data block
//   root       separator = the partition's last one, value = its handle
//
// All have one key form and one handle form; FORMAT.md, "Index and metaindex".
//
// A builder belongs to one thread at a time. A reader changes only by reading
// partitions in: thread-safe.
#ifndef ASHLAR_TABLE_INDEX_TWO_LEVEL_INDEX_H_
#define ASHLAR_TABLE_INDEX_TWO_LEVEL_INDEX_H_

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "ashlar/table/options.h"
#include "table/index/index.h"
#include "table/index/index_builder.h"
#include "table/index/index_encoder.h"
#include "table/index/partition_policy.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class TwoLevelIndexBuilder final : public IndexBuilder {
 public:
  explicit TwoLevelIndexBuilder(const TableOptions& options);
  static std::unique_ptr<IndexBuilder> New(const TableOptions& options,
                                           bool /*has_first_keys*/) {
    return std::make_unique<TwoLevelIndexBuilder>(options);
  }
  Status Write(IndexSink* sink, WrittenIndex* written) override;
  void RequestCut() override { cut_requested_ = true; }
  bool TakeCut() override { return std::exchange(was_cut_, false); }

 private:
  void OnFinished() override;
  bool CutsBefore(size_t i) const;

  const PartitionPolicy policy_;
  // The current partition, in both forms: its size decides where it ends, long
  // before it is known which form the file has.
  IndexEncoder with_user_keys_;
  IndexEncoder with_internal_keys_;
  // For each partition but the current one: the number of the block after its
  // last.
  std::vector<size_t> ends_;
  bool cut_requested_ = false;
  bool was_cut_ = false;
};

// A partition is read and checked when it is first needed, and then kept; or,
// with a store, whenever it is needed and not there. A damaged partition fails
// only the reads that need it, and is tried again each time.
class TwoLevelIndexReader final : public IndexReader {
 public:
  static Status Open(const IndexSource& source, const BlockPlace& root,
                     const LoadIndexBlock& load_root,
                     std::unique_ptr<IndexReader>* index);
  Status Part(size_t i, IndexHold* part) const override;
  void PinParts() override;
  uint64_t MemoryUsage() const override;
  uint64_t HintMemory() const override;

 private:
  explicit TwoLevelIndexReader(const IndexSource& source)
      : IndexReader(source, true),
        most_part_bytes_(KeyBudget(source.file_limit).left()) {}
  Status Load(size_t i, ParsedIndex* part) const;
  Status PartOfStore(size_t i, IndexHold* part) const;
  Status KeptPart(size_t i, IndexHold* part) const;
  Status LoadKept(size_t i, std::unique_ptr<const ParsedIndex>* part) const;
  Status CheckPart(size_t i, const ParsedIndex& part) const;

  // How many bytes of partitions are in memory, and how many may be: keys that
  // share prefixes can be far larger than their file.
  mutable RelaxedAtomic<uint64_t> part_bytes_{0};
  const uint64_t most_part_bytes_;
  // Null if partitions are in a store.
  std::unique_ptr<LatePart<const ParsedIndex>[]> parts_;
  std::vector<IndexHold> pinned_;  // after PinParts, with a store
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_TWO_LEVEL_INDEX_H_
