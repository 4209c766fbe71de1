// CompactionFilter: an application's say about each key that a compaction
// writes.
//
// CompactionIterator shows it the newest version of each user key, if that is a
// value, a blob index or an entity; and merge operands that no snapshot sees.
// It never shows deletions, timed puts, older versions, or the value beneath
// operands. It asks before it looks for range deletions. Snapshots do not
// protect a version that is shown. All that is RocksDB's.
//
// A filter is used by one thread at a time.
#ifndef ASHLAR_TABLE_COMPACTION_FILTER_H_
#define ASHLAR_TABLE_COMPACTION_FILTER_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/util/slice.h"

namespace ashlar {

class CompactionFilter {
 public:
  // What becomes of an entry.
  enum class Decision : uint8_t {
    kKeep,
    // The entry becomes a deletion, which the rules of deletions may drop. A
    // merge operand is dropped.
    kRemove,
    // The same, with a single deletion.
    kPurge,
    // The entry becomes a value, Change::new_value, with its sequence number.
    // A merge operand becomes that operand.
    kChangeValue,
    // The entry becomes an entity of Change::new_columns. A merge operand is
    // dropped.
    kChangeWideColumnEntity,
    // Drops this entry and all that follow, of all versions, up to the first of
    // a user key that is not below Change::skip_until. The same as kKeep if
    // that is not above this key. Range deletions are not dropped.
    kRemoveAndSkipUntil,
  };

  // RocksDB's numbers.
  enum class ValueType : uint8_t {
    kValue,
    kMergeOperand,
    kBlobIndex,  // only if the iterator cannot fetch blobs
    kWideColumnEntity,
  };

  // Slices live until the call returns.
  struct Entry {
    int level = 0;  // CompactionIteratorOptions::level
    Slice key;      // the user key, with its timestamp if it has one
    ValueType type = ValueType::kValue;
    Slice value;  // empty for an entity
    std::span<const WideColumn> columns;
  };

  // What a decision asks for. Empty before each call.
  struct Change {
    std::string new_value;
    MergeOperator::NewColumns new_columns;
    std::string skip_until;  // a user key without timestamp

    // Makes it empty, as before each call.
    void Clear() {
      new_value.clear();
      new_columns.clear();
      skip_until.clear();
    }
  };

  virtual ~CompactionFilter() = default;

  // Returns a name, for messages.
  virtual std::string_view Name() const = 0;
  // Decides on an entry. Fills in *change where the decision needs it.
  virtual Decision Filter(const Entry& entry, Change* change) = 0;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_COMPACTION_FILTER_H_
