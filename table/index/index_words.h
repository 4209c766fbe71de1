// IndexWords: the entries of one index block as words and packed handles, taken
// in one walk.
//
// Most index blocks need no key to be put together. Their separators are user
// keys that begin with a common prefix and differ in the eight bytes after it,
// and their blocks follow each other in the file. From a block of this kind,
// Walk makes what the packed form stores: the words of PackedSeparators and the
// records of PackedHandles. It takes less than half of the time of
// IndexEntries, because it neither copies keys nor looks at anything twice.
//
// How the walk goes. The first and the last separator have the common prefix,
// if separators ascend. An entry that shares no byte with the one before it has
// its word in the block, after the prefix. An entry that shares more than the
// prefix has the first bytes of its word from the word before it. Restart
// points say where each interval begins, so the processor need not wait for the
// end of one interval to begin with the next. If each entry has an interval to
// itself (the default of writers), eight are taken at a time (TakeEight).
//
// Checks. The walk accepts a block only if everything holds that IndexEntries
// and SeparatorGroups would have checked:
//
//   - each entry decodes, and shares no more than the one before it has
//   - each separator begins with the prefix, and its word is larger than the
//     one before it: so separators ascend
//   - each block begins where the one before it ends, and the last one fits
//     into the file
//   - separators together are not larger than a KeyBudget allows
//
// Everything else makes Walk return false: faults, but also sound blocks in
// another form (internal keys, whole handles, first keys, timestamps that are
// not stored, orders that are not of bytes, separators that a word does not
// hold, gaps between blocks, very long keys). It does not say which.
// IndexEntries then takes the block, and finds the fault if there is one. So
// this walk makes no messages, and nothing depends on it but time.
//
// One thread uses each object.
#ifndef ASHLAR_TABLE_INDEX_INDEX_WORDS_H_
#define ASHLAR_TABLE_INDEX_INDEX_WORDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "table/block/block.h"
#include "table/index/index_entries.h"
#include "table/index/memory_plan.h"
#include "table/index/packed_handles.h"
#include "table/index/packed_separators.h"
#include "table/index/word_tree.h"

namespace ashlar::internal {

class IndexWords {
 public:
  // Takes all entries of the block. Returns false if it is not a sound block of
  // the usual form.
  [[nodiscard]] bool Walk(const BlockView& view, const IndexChecks& checks);

  size_t size() const { return size_; }
  // Take room for separators and handles. If there is memory, they store them,
  // and make *packed the view of them. Require: Walk has returned true.
  void PlanSeparators(MemoryPlan* plan, PackedSeparators* packed) const;
  void PlanHandles(MemoryPlan* plan, PackedHandles* packed) const;

  // Empties it, and frees its memory if that is large.
  void Clear();

 private:
  // Eight entries, in the form in which they are stored.
  struct Eight {
    std::array<int64_t, WordRun::kLeafWidth> words;
    PackedHandles::Record handles;
  };
  static_assert(WordRun::kLeafWidth == PackedHandles::kPerRecord);

  class Walker;

  bool Begin(const BlockView& view, uint64_t* begin, bool* alone);
  Eight* AddEight(size_t i);
  std::span<const Eight> eights() const {
    return std::span(eights_).first(WordRun::NumLeaves(size_));
  }

  std::string prefix_;
  std::vector<Eight> eights_;  // has room for more
  size_t size_ = 0;            // in entries
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INDEX_INDEX_WORDS_H_
