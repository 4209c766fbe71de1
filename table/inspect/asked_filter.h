// AskedFilter: the filter of a table, which an inspection asks about its keys,
// since Get does not find a key that its filter denies.
//
// The meta pass adds the filter blocks, and the data pass asks. There is one
// full filter, its partitions, or one of LevelDB's filters for each block. A
// damaged partition lets everything pass. Thread-safe to ask.
#ifndef ASHLAR_TABLE_INSPECT_ASKED_FILTER_H_
#define ASHLAR_TABLE_INSPECT_ASKED_FILTER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/table/table_properties.h"
#include "table/filter/filter_bits.h"
#include "table/filter/full_filter.h"
#include "table/filter/leveldb_filter.h"
#include "table/inspect/filter_runs.h"
#include "table/inspect/indexed_blocks.h"
#include "table/inspect/table_facts.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

class AskedFilter {
 public:
  // A full filter, or a partition of one.
  struct Part {
    Buffer payload;
    FilterBitsReader bits;
    std::string end;  // the separator; partitions only
  };

  // user_keys: whether separators of the table are user keys. A file without
  // properties counts as one whose properties say nothing.
  AskedFilter(const TableFacts& facts, bool user_keys,
              const std::optional<TableProperties>& properties)
      : subject_(properties.value_or(TableProperties()), nullptr),
        policy_(facts.filter_policy) {
    if (!facts.order.has_value()) return;
    order_ = facts.order;
    user_keys_ = user_keys;
  }

  const FilterSubject& subject() const { return subject_; }
  // The full filter, or its partitions in the order of the keys where they end.
  const std::vector<Part>& parts() const { return parts_; }
  bool has_leveldb_filter() const { return leveldb_filter_.has_value(); }

  // Takes a full filter, whose bytes the payload has.
  void TakeFull(const FilterBitsReader& bits, Buffer payload);
  // Adds a partition, and copies its bytes. One that is stored with no bytes
  // knows no key. One that is not sound lets everything pass.
  void TakePartition(const Slice& end, const Slice& contents, bool sound);
  // Takes a LevelDB filter, and copies its bytes. Returns false if it cannot be
  // parsed. Unless it is `used`, it is not asked.
  bool TakeLevelDb(const Slice& contents, bool used);

  // Returns whether the filter lets every read of this internal key pass, by
  // the key and by its prefix. block_offset: of the key's data block.
  // Requires: the order of keys is known; so for the next ones.
  bool Knows(const Slice& internal_key, uint64_t block_offset) const;
  // Returns the number of the part that internal_key belongs to. Requires:
  // there is one.
  size_t PartOf(const Slice& internal_key) const;
  // Returns the part that reads of a block's first key ask last, if all others
  // that they ask are known to know it; else null. *target is kept for its
  // memory. Requires: there is one.
  const Part* PartOfBlock(const Slice& first_key, std::string* target) const;

 private:
  bool PartsKnow(const Slice& asked, size_t first, size_t last) const;
  size_t FirstPartOf(const Slice& user_key, std::string* target) const;

  const FilterSubject subject_;
  const std::shared_ptr<const FilterPolicy> policy_;  // null: built in
  std::optional<KeyOrder> order_;
  bool user_keys_ = false;
  std::vector<Part> parts_;
  FilterRuns runs_;  // of the partitions
  Buffer leveldb_payload_;
  std::optional<LevelDbFilter> leveldb_filter_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_ASKED_FILTER_H_
