// EqualNumbers: keys of which several tables have different entries with the
// same sequence number.
//
// In a folder without a MANIFEST, nothing says which of them is newer: the one
// that a MergingIterator meets first counts. One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_EQUAL_NUMBERS_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_EQUAL_NUMBERS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/table/merging_iterator.h"
#include "ashlar/table/table_version.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/key_range.h"

namespace ashlar::tool {

// Returns an iterator over all entries of the tables: its children are in the
// order of ForIterator. Range deletions hide nothing from it.
MergingIterator MergedEntries(const OpenedTables& tables,
                              const Comparator* comparator);

class EqualNumbers {
 public:
  // Begins a walk over other keys, by MergedEntries of these tables. They must
  // live until the last entry of the walk is taken.
  void Begin(const OpenedTables& tables);
  // Takes the next entry of the walk.
  void Take(const MergingIterator& at);
  // Prints a warning if there are such keys, unless the run was interrupted:
  // they were not all counted then. `place` is the folder.
  void WarnOfThem(const std::string& place) const;

 private:
  std::string FileOf(size_t child) const;

  std::vector<UserIteratorTable> tables_;
  // The entry before, of which more may follow.
  bool has_last_ = false;
  std::string last_key_;  // internal
  std::string last_value_;
  size_t last_child_ = 0;
  bool is_counted_ = false;
  uint64_t keys_ = 0;
  // Of the first of them.
  std::string first_key_;
  SequenceNumber sequence_ = 0;
  std::string taken_file_;
  std::string other_file_;
};

// Looks for such keys in the range, up to and including `last`, which may be
// null. Prints a warning if there are any. Does nothing if the order of the
// tables is known, or if their bounds leave no room for such keys. Errors are
// those of the tables.
Status WarnOfEqualNumbers(const std::string& folder, const Database& database,
                          const OpenedTables& tables, const KeyRange& range,
                          const std::string* last);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_EQUAL_NUMBERS_H_
