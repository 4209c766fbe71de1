// VisibleEntries: what a reader of many tables sees at --snapshot, key by key
// and in order.
//
// For commands that take a folder as a database. One thread at a time. Keys
// have their timestamps here, as in an Iterator.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_VISIBLE_ENTRIES_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_VISIBLE_ENTRIES_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/table_version.h"
#include "ashlar/table/user_iterator.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/key_range.h"

namespace ashlar::tool {

// What tables have in all, to show progress.
struct TablesSize {
  uint64_t entries = 0;
  uint64_t bytes = 0;
};
TablesSize SizeOf(const OpenedTables& tables);

class VisibleEntries {
 public:
  // The tables are those of the database, and must outlive this. Without a
  // merge operator, operands are not joined. Where the order of the tables is
  // unknown, the first entry of a key with a sequence number counts.
  VisibleEntries(const Database& database, const OpenedTables& tables,
                 std::shared_ptr<const MergeOperator> merge_operator,
                 const KeyRange& range);

  // Moves to the first key of the range.
  void SeekToStart();
  // Requires: Valid().
  void Next();
  // False at the end of the range, and after an error.
  bool Valid() const { return valid_; }
  const Status& status() const { return status_; }

  // These require Valid().
  Slice user_key() const { return key_; }
  SequenceNumber sequence() const { return it_.sequence(); }
  // A value, a reference to a blob, an entity, or operands that are not joined.
  ValueType type() const { return type_; }
  // As a table would store it. Of operands, bytes that are equal if all
  // operands are, and what is beneath them.
  Slice value() const { return value_; }

 private:
  friend class KeyRange;  // for its SeekToStart
  void SeekToFirst();
  void Seek(const Slice& user_key);
  void Take();
  void Show();
  Status ShowEntity();
  UserIteratorOptions Options(const Database& database);
  bool IsReference(const WideColumn& column) const;

  const Comparator* const comparator_;
  const KeyRange range_;
  const bool joins_;
  const std::shared_ptr<const MergeOperator> merge_operator_;
  // Where the references to blobs begin that the iterator has "fetched" for its
  // key, in a walk that does not join operands.
  std::vector<const char*> references_;
  UserIterator it_;
  bool valid_ = false;
  Status status_;
  std::string key_;
  ValueType type_ = ValueType::kTypeValue;
  Slice value_;
  std::string entity_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_VISIBLE_ENTRIES_H_
