// The partitioned index: index blocks over runs of data blocks, and a root
// with one entry for each of them.
//
//   partition  an index block: one entry a data block
//   root       separator = the partition's last one, value = its handle
//
// All have one key form and one handle form; FORMAT.md, "Index and metaindex".
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
  // The partition in the making, in both forms: how large it is decides where
  // it ends, long before it is known which form the file has.
  IndexEncoder with_user_keys_;
  IndexEncoder with_internal_keys_;
  // Behind the last block of each partition but the one in the making.
  std::vector<size_t> ends_;
  bool cut_requested_ = false;
  bool was_cut_ = false;
};

// Each partition is read when it is needed first, checked, and kept, or read
// when it is needed and not in the store. A damaged
// one fails only those reads that need it, and is tried again each time.
class TwoLevelIndexReader final : public IndexReader {
 public:
  static Status Open(const IndexSource& source, const Slice& contents,
                     const BlockPlace& place,
                     std::unique_ptr<IndexReader>* index);
  ~TwoLevelIndexReader() override;

  Status Part(size_t i, IndexHold* part) const override;
  void PinParts() override;
  uint64_t MemoryUsage() const override;

 private:
  explicit TwoLevelIndexReader(const IndexSource& source)
      : IndexReader(source, true),
        most_part_bytes_(KeyBudget(source.file_limit).left()) {}
  Status Load(size_t i, ParsedIndex* part) const;
  Status PartOfStore(size_t i, IndexHold* part) const;
  Status KeptPart(size_t i, IndexHold* part) const;
  Status CheckPart(size_t i, const ParsedIndex& part) const;

  // What is in memory of partitions, and how much may be: keys that share
  // prefixes can be far larger than their file.
  mutable RelaxedAtomic<uint64_t> part_bytes_{0};
  const uint64_t most_part_bytes_;
  // Null where they are in a store.
  std::unique_ptr<PublishedPointer<const ParsedIndex>[]> parts_;
  std::vector<IndexHold> pinned_;  // of the store, or none
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_TWO_LEVEL_INDEX_H_
