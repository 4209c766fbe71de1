// VisibleEntries: the walk of an iterator that leaves entries out.
//
// It leaves out entries under a range deletion, entries above the read's
// snapshot, and entries with another prefix than the key that was sought.
//
// Data flow. It walks over every entry with a TableIterator of its own, and
// passes by what is hidden. It asks which range deletion is over a key once for
// each fragment that the walk comes to, not for each key. Before it seeks a
// prefix, it asks the filter for that.
//
// Made only for reads that may hide something, and for those with
// ReadOptions::pin_data, which show keys where they are stored. All other reads
// pay for neither. One thread at a time.
#ifndef ASHLAR_TABLE_READ_VISIBLE_ENTRIES_H_
#define ASHLAR_TABLE_READ_VISIBLE_ENTRIES_H_

#include <optional>
#include <string>

#include "ashlar/util/prefix_extractor.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/read/opened_table.h"
#include "table/read/table_iterator.h"
#include "table/read/version_range.h"

namespace ashlar::internal {

class VisibleEntries final : public Iterator::State {
 public:
  // Returns whether such a read may hide something, or pins what it shows: then
  // there is something to do at each step.
  static bool AreNeeded(const OpenedTable& table, const ReadOptions& options) {
    return options.pin_data || VersionRange::IsPartOf(options) ||
           HasPrefix(options) || UsesUpperBound(table, options) ||
           (table.range_deletions != nullptr &&
            !options.ignore_range_deletions);
  }

  // Returns whether walks end with the prefix that they began with.
  static bool HasPrefix(const ReadOptions& options) {
    return options.prefix_same_as_start && !options.total_order_seek;
  }

  // Returns whether seeks may ask the filter, by ReadOptions::auto_prefix_mode.
  static bool UsesUpperBound(const OpenedTable& table,
                             const ReadOptions& options) {
    return options.auto_prefix_mode && options.iterate_upper_bound != nullptr &&
           table.prefixes != nullptr && table.order.IsOfBytes();
  }

  VisibleEntries(const OpenedTable* table, const ReadOptions& options);

  bool SeekToFirst() override;
  bool SeekToLast() override;
  bool Seek(const Slice& internal_key) override;
  bool SeekForPrev(const Slice& internal_key) override;
  bool NextBlock() override;
  bool PrevBlock() override;
  bool Prepare() override;
  Status SetBounds(const Slice* lower, const Slice* upper) override;
  bool AtUpperBound() const override { return all_.AtUpperBound(); }
  void EndWithPrefix(bool ends) override { ends_with_prefix_ = ends; }
  void KeepPrefix(bool keeps) override { keeps_prefix_ = keeps; }
  const Status& CurrentStatus() const override { return all_.status; }
  bool Fail(const Status& error) override { return all_.Fail(error); }
  Status PinValue(const Slice& bytes, PinnableSlice* value) override {
    return all_.PinValue(bytes, value);
  }
  void SetValueKeeper(ValueKeeper keeper) override {
    value_keeper = keeper;
    all_.SetValueKeeper(std::move(keeper));
  }
  Status KeepValue() override;
  Status DelegatePins(Cleanable* keeper) override {
    return all_.DelegatePins(keeper);
  }

 private:
  bool StepForward() { return all_.block.Next() || all_.NextBlock(); }
  bool StepBackward() { return all_.block.Prev() || all_.PrevBlock(); }
  Slice key() const { return all_.key(); }
  bool SharesPrefixUpToBound(const Slice& user_key) const;
  bool SkippedTooMany();
  bool PassForward(bool on_entry);
  bool PassBackward(bool on_entry);
  bool Show();
  bool Leave();
  Slice UserKey(const Slice& internal_key) const;
  void TakePrefixOf(const Slice& internal_key);
  bool LeftPrefix(const Slice& key) const;
  bool FilterRulesOut(const Slice& target);
  bool Hides(const Slice& key);
  void EnterFragmentOf(const Slice& user_key);

  TableIterator all_;
  const VersionRange versions_;
  SkipCount skips_;
  // Null if this read applies no range deletions.
  const RangeDeletionFragments* fragments_ = nullptr;
  // Null if walks do not end with their prefix.
  const PrefixExtractor* prefixes_ = nullptr;
  bool ends_with_prefix_ = true;
  bool keeps_prefix_ = false;  // seeks go on with the walk
  const bool asks_filter_;
  // The prefix with which the walk began; absent if that key had none.
  std::optional<std::string> prefix_;
  // With auto_prefix_mode: the upper bound, by which seeks may ask the filter.
  std::optional<std::string> upper_;
  // The fragment of the last key: an absent bound is open. While newest_ is
  // absent there is no fragment yet.
  std::optional<Slice> begin_;
  std::optional<Slice> end_;
  std::optional<SequenceNumber> newest_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_VISIBLE_ENTRIES_H_
