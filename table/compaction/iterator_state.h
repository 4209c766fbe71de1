// CompactionIterator::State: what a CompactionIterator holds while it walks.
//
// compaction_iterator.cc has the rules as a table, and the loop over entries;
// single_deletion.cc, merge_walk.cc and filter_entries.cc have the parts that
// look ahead or call the application.
//
// Data flow. TakeEntry looks at the entry where the input is. It either drops
// it and moves the input on, or sets `shown`, whose slices are those of the
// input: the input moves on only with the next Step. Where deciding needs a
// look ahead, the entry's key is in `current`, and results are in buffers or,
// if there are several, in `pending`. So a plain entry is not copied, but for
// its key, which the next one is compared with.
//
// One thread at a time.
#ifndef ASHLAR_TABLE_COMPACTION_ITERATOR_STATE_H_
#define ASHLAR_TABLE_COMPACTION_ITERATOR_STATE_H_

#include <deque>
#include <string>
#include <vector>

#include "ashlar/table/compaction_filter.h"
#include "ashlar/table/compaction_iterator.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/range_deletion_aggregator.h"
#include "table/compaction/merged_input.h"
#include "table/compaction/snapshot_stripes.h"
#include "table/format/key_order.h"
#include "table/format/last_key.h"

namespace ashlar {

struct CompactionIterator::State {
  struct Entry {
    Slice user_key;  // with its timestamp
    uint64_t tail = 0;
    Slice value;

    SequenceNumber sequence() const { return tail >> 8; }
    ValueType type() const { return static_cast<ValueType>(tail & 0xff); }
    void SetType(ValueType type) {
      tail = (tail & ~uint64_t{0xff}) | static_cast<uint64_t>(type);
    }
  };
  struct OwnedEntry {
    std::string user_key;
    uint64_t tail = 0;
    std::string value;
  };

  State(CompactionIteratorOptions options_in, std::vector<Iterator> inputs,
        RangeDeletionAggregator* deletions_in);

  // Moves to the next thing to show. Returns false at the end, or after an
  // error.
  bool Step();

  const CompactionIteratorOptions options;
  const internal::KeyOrder order;
  const size_t timestamp_size;
  const internal::SnapshotStripes stripes;
  const SequenceNumber earliest;    // the earliest snapshot
  const bool drops_deletions;       // neither a flush nor ingest-behind
  const bool at_bottom;             // the same, and bottommost
  const SequenceNumber zero_up_to;  // at the bottom; else nothing becomes 0
  RangeDeletionAggregator* const deletions;  // null: there are none
  const bool may_be_plain;  // whether TakePlain may take values
  internal::MergedInput input;

  Entry shown;
  bool shown_is_begin = false;
  Status status;
  CompactionCounts counts;

 private:
  // What the rules know of the current user key.
  static constexpr SequenceNumber kNone = kMaxSequenceNumber;
  internal::LastKey current;
  bool has_current = false;
  SequenceNumber last_sequence = kNone;  // of the last version that was met
  SequenceNumber last_stripe = 0;
  bool outputted = false;   // something was shown since the key began
  bool zeroed = false;      // the version shown last got sequence number 0
  bool last_below = false;  // the version met last was below the low mark

  // How many bytes the inputs have given when on_progress is called.
  uint64_t next_progress;

  bool any_shown = false;
  bool input_is_at_shown = false;
  bool empties_next = false;  // the next entry is written without its value
  std::vector<OwnedEntry> pending;
  size_t next_pending = 0;
  std::string key_buffer;
  std::string value_buffer;
  CompactionFilter::Change change;
  std::vector<OwnedEntry> operands;  // the newest first

  Slice Plain(const Slice& user_key) const {
    return WithoutTimestamp(user_key, timestamp_size);
  }
  bool IsBelowLow(const Slice& user_key) const {
    return !options.full_history_ts_low.empty() &&
           order.comparator()->CompareTimestamp(
               TimestampOf(user_key, timestamp_size),
               options.full_history_ts_low) < 0;
  }
  // Returns whether nothing of the key's history above it is needed: always
  // where keys have no timestamps.
  bool IsBelowOrPlain(const Slice& user_key) const {
    return timestamp_size == 0 || IsBelowLow(user_key);
  }
  // Returns whether the input is at an entry or begin of the current user key.
  bool InputHasCurrentKey() const {
    return input.valid() && Plain(input.user_key()) == Plain(CurrentKey());
  }
  Slice CurrentKey() const { return current.user_key(); }
  bool IsDeletion(const Entry& entry) const {
    return entry.type() == ValueType::kTypeDeletion ||
           (entry.type() == ValueType::kTypeDeletionWithTimestamp &&
            IsBelowLow(entry.user_key));
  }
  // Returns whether no file beneath the output has the key.
  bool IsLowestOf(const Slice& user_key) const {
    return options.bottommost || (options.may_exist_deeper &&
                                  !options.may_exist_deeper(Plain(user_key)));
  }
  bool IsRangeDeleted(const Entry& entry) {
    return deletions != nullptr &&
           deletions->Deletes(entry.user_key, entry.tail);
  }
  void ForgetKey() { has_current = false; }
  void NoteShown() {
    if (any_shown) outputted = true;
    any_shown = true;
  }
  void CountInput(const Entry& entry) {
    ++counts.input_entries;
    counts.input_raw_key_bytes += entry.user_key.size() + kInternalKeyTailBytes;
    counts.input_raw_value_bytes += entry.value.size();
    const ValueType type = entry.type();
    counts.input_deletions +=
        static_cast<uint64_t>(type == ValueType::kTypeDeletion ||
                              type == ValueType::kTypeSingleDeletion ||
                              type == ValueType::kTypeDeletionWithTimestamp);
    if (counts.input_raw_key_bytes + counts.input_raw_value_bytes >=
        next_progress) [[unlikely]]
      ReportProgress();
  }
  void CountInput() {
    CountInput({input.user_key(), input.tail(), input.value()});
  }
  void ReportProgress();
  bool Fail(Status error) {
    status = std::move(error);
    return false;
  }
  std::string Describe(const Entry& entry) const {
    return "key " + DescribeInternalKey(MakeInternalKey(
                        entry.user_key, entry.sequence(), entry.type()));
  }

  bool BeginVersion(const Entry& entry);
  bool TakePlain();
  // These take the entry where the input is. Each returns whether it has set
  // `shown`; if not, the input is at the next entry to take.
  bool TakeEntry();
  bool Apply(Entry entry);
  bool Drop(uint64_t* count);
  bool TakeDeletionAtBottom(const Entry& entry);
  bool TakeTimedPut(const Entry& entry);
  bool TakeOther(Entry entry);
  bool TakeEmptied(Entry entry);
  void ConvertTimedPut(Entry* entry);
  bool Emit(const Entry& entry);
  bool EmitInput(const Entry& entry);
  bool ShowPending();

  // single_deletion.cc
  bool TakeSingleDeletion(const Entry& entry);
  bool TakeLoneSingleDeletion(uint64_t tail);

  // merge_walk.cc
  bool TakeOperands(const Entry& first);
  void TakeOperand(Entry entry, bool* skipped);
  bool TakeBase(const Entry& base);
  bool EndWithoutBase(bool full);
  Status ReadBase(const Entry& base, std::deque<std::string>* fetched,
                  std::vector<WideColumn>* columns,
                  MergeOperator::MergeInput* merge) const;
  bool FullMerge(MergeOperator::MergeInput* merge, bool* merged);
  bool TakeResult(MergeOperator::MergeOutput* output);
  bool KeepOperands();

  // filter_entries.cc
  bool FilterEntry(Entry* entry);
  CompactionFilter::Decision AskFilter(const CompactionFilter::Entry& shown_to);
  Status ShowToFilter(const Entry& entry, std::vector<WideColumn>* columns,
                      CompactionFilter::Entry* out);
};

// Encodes columns that an application returned. Their order does not matter.
Status EncodeNewColumns(const MergeOperator::NewColumns& columns,
                        std::string* entity);

}  // namespace ashlar

#endif  // ASHLAR_TABLE_COMPACTION_ITERATOR_STATE_H_
