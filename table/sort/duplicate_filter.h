// DuplicateFilter: passes sorted entries on to the output, and applies the
// policy for duplicates.
//
// For one thread at a time, except for the count.
#ifndef ASHLAR_TABLE_SORT_DUPLICATE_FILTER_H_
#define ASHLAR_TABLE_SORT_DUPLICATE_FILTER_H_

#include <cstdint>
#include <string>

#include "ashlar/table/entry_sorter.h"
#include "ashlar/table/sorted_table_writer.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "table/sort/sorted_output.h"
#include "util/sync/atomic.h"

namespace ashlar::internal {

class DuplicateFilter {
 public:
  // `output` must outlive this.
  DuplicateFilter(DuplicatePolicy policy, SortedOutput* output)
      : policy_(policy), output_(output) {}

  // Takes an entry. Equal entries come in the order in which they were added.
  Status Add(const SortEntry& entry);
  // The same for entries that nobody has sorted. Returns InvalidArgument for
  // one that belongs before the last one.
  Status AddInOrder(const SortEntry& entry, const Comparator* comparator);
  // To be called after the last entry.
  Status Flush();

  // Any thread may call it: how many entries the policy has left out.
  uint64_t left_out() const { return left_out_.Load(); }

 private:
  bool IsEqualToLast(const SortEntry& entry) const;
  void Remember(const SortEntry& entry);
  bool IsBeforeLast(const SortEntry& entry, const Comparator* comparator) const;
  Status Refuse(const SortEntry& entry) const;
  Status RefuseOrder(const SortEntry& entry) const;

  const DuplicatePolicy policy_;
  SortedOutput* const output_;
  // The last entry. With kLast it has not been passed on yet: another one of
  // the same key may replace it. With the other policies, without its value.
  bool has_last_ = false;
  SortEntry last_;
  std::string key_;
  std::string value_;
  RelaxedAtomic<uint64_t> left_out_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_DUPLICATE_FILTER_H_
