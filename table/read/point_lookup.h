// One key of a Get or MultiGet: filter, index, block, and the versions of the
// key from newest down.
//
// Get runs all of it; MultiGet does filter, index and blocks of many keys side
// by side, and leaves the rest to this.
#ifndef ASHLAR_TABLE_READ_POINT_LOOKUP_H_
#define ASHLAR_TABLE_READ_POINT_LOOKUP_H_

#include <optional>

#include "table/block/block_iterator.h"
#include "table/block/entry_words.h"
#include "table/index/index_cursor.h"
#include "table/read/opened_table.h"
#include "table/read/target_key.h"
#include "table/table_reader.h"

namespace ashlar::internal {

class PointLookup {
 public:
  // All must outlive the lookup. Null: there is no callback.
  PointLookup(const OpenedTable& table, const ReadOptions& options,
              const Slice& user_key, SequenceNumber snapshot,
              const MergeOperandCallback* on_operand, GetResult* result)
      : table_(table),
        options_(options),
        user_key_(user_key),
        snapshot_(snapshot),
        on_operand_(on_operand),
        result_(result) {}

  // All of it. To be called once; messages do not name the file.
  Status Run();

  // The steps of it, in this order. Before the first one the read's options
  // must have been checked.
  static Status CheckOptions(const OpenedTable& table,
                             const ReadOptions& options);
  void Begin();
  const Slice& user_key() const { return user_key_; }
  const Slice& target() const { return target_.slice(); }
  // What the filter is to be asked, if it can know.
  bool AsksFilter(Slice* asked) const {
    return table_.filter_subject.OfKey(user_key_, asked);
  }
  void TakeFilterAnswer(bool maybe) {
    result_->filter =
        maybe ? GetResult::Filter::kMaybe : GetResult::Filter::kAbsent;
  }
  // Whether the block that the cursor stands on has to be looked at. If not,
  // *done unless the key may stand in a later one.
  bool NeedsBlock(const IndexCursor& at, bool* done);
  // Goes into the cursor's block, which needs to be looked at and was loaded:
  // has fetched what the search will see. `shared`: others use the block too,
  // and so a value shares it; else it takes it.
  void Enter(PinnedBlock* block, bool shared);
  // Searches it, and on from there.
  Status SearchFrom(IndexCursor* at);
  // Without any more blocks.
  void End();

 private:
  Status SearchBlocks();
  Status AskFilter(bool* maybe);
  Status Search(IndexCursor* at, bool on_block);
  Status SearchBlock(const IndexCursor& at, bool* done);
  bool SearchWords(bool* done);
  Status SearchEntries(const IndexCursor& at, bool* done);
  bool AskOfBlock(uint64_t offset);
  Status TakeEntry();
  void TakeRangeDeletion();
  Status TakeEntity();
  Status TakeTimedValue();
  Status BadValue(const Status& cause) const;
  bool MaySpan(const IndexCursor& at) const;
  // A user key as the caller gives it, without timestamp.
  Slice KeyOf(const Slice& user_key) const {
    return WithoutTimestamp(user_key, table_.order.timestamp_size());
  }
  // A part of the block's bytes.
  void PinValue(const Slice& value);

  const OpenedTable& table_;
  const ReadOptions& options_;
  const Slice user_key_;
  const SequenceNumber snapshot_;
  const MergeOperandCallback* const on_operand_;
  GetResult* const result_;
  TargetKey target_;
  PinnedBlock* searched_ = nullptr;  // own_ or the caller's
  bool shared_ = false;
  PinnedBlock own_;
  WordPlace place_;                     // in it
  std::optional<BlockIterator> block_;  // where words do not tell
  // The newest visible range deletion over the key.
  RangeDeletionFragments::Version deletion_;
  // Whether an entry ended the search; else the versions came to their end.
  bool decided_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_POINT_LOOKUP_H_
