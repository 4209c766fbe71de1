// SeparatorPacker: makes PackedSeparators of the entries of an index block.
//
// The size of the packed form must be known before there is memory for it. So
// Begin measures, and Plan is called twice: to take room, and then to store.
//
// One thread uses each object.
#ifndef ASHLAR_TABLE_INDEX_SEPARATOR_PACKER_H_
#define ASHLAR_TABLE_INDEX_SEPARATOR_PACKER_H_

#include <cstddef>
#include <cstdint>

#include "table/index/index_entries.h"
#include "table/index/memory_plan.h"
#include "table/index/packed_separators.h"
#include "table/index/separator_groups.h"

namespace ashlar::internal {

class SeparatorPacker {
 public:
  // Requires: entries and checks live until the last Plan.
  SeparatorPacker(const IndexEntries* entries, const IndexChecks* checks)
      : entries_(*entries), checks_(*checks) {}

  // Looks at all separators. Returns false if they do not ascend in an order
  // that is known.
  [[nodiscard]] bool Begin(SeparatorGroups* groups);
  // Takes room for the separators. If there is memory, stores them, and makes
  // *packed the view of them.
  void Plan(MemoryPlan* plan, PackedSeparators* packed) const;

 private:
  using Suffixes = PackedSeparators::Suffixes;

  Slice UserKey(size_t i) const {
    return entries_.separator_user_key(i, checks_.form);
  }
  template <typename Visit>
  void ForEachSuffix(Visit visit) const;
  void MeasureSuffixes();
  void MeasureTails();
  void PlanRoot(MemoryPlan* plan, PackedSeparators* packed) const;
  void PlanSuffixes(MemoryPlan* plan, PackedSeparators* packed) const;
  void PlanTails(MemoryPlan* plan, PackedSeparators* packed) const;
  void StoreGroups(PackedSeparators* packed, int64_t* inner, int64_t* leaves,
                   char* prefixes, PackedSeparators::Group* groups) const;
  uint64_t GroupWord(size_t block, size_t depth) const;

  const IndexEntries& entries_;
  const IndexChecks& checks_;
  const SeparatorGroups* words_ = nullptr;  // null: separators stay whole
  // All of the root and the groups.
  size_t num_inner_ = 0;
  size_t num_leaves_ = 0;
  size_t group_prefix_bytes_ = 0;
  Suffixes has_suffixes_ = Suffixes::kNone;
  size_t num_suffixes_ = 0;
  uint64_t suffix_bytes_ = 0;
  bool tails_differ_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_SEPARATOR_PACKER_H_
