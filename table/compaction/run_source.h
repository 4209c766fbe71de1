// RunSource: the entries of tables that follow each other, as those of a level
// do, one table after the other.
//
// It has one iterator at a time. So a run of many tables costs the memory of
// one: its read-ahead, and the blocks that workers decode ahead; and it is one
// input of the merge. The next table is opened when the one before it has
// ended. Forward only. One thread.
#ifndef ASHLAR_TABLE_COMPACTION_RUN_SOURCE_H_
#define ASHLAR_TABLE_COMPACTION_RUN_SOURCE_H_

#include <optional>

#include "ashlar/table/compaction.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

class RunSource final : public EntrySource {
 public:
  // The run, and what the options point to, must outlive this.
  RunSource(const CompactionRun* run, const ReadOptions& options,
            const KeyOrder& order)
      : run_(*run), options_(options), order_(order) {}

  bool SeekToFirst(Entry* entry) override { return EnterFrom(0, entry); }
  bool Seek(const Slice& target, Entry* entry) override {
    const Slice key = Plain(target);
    size_t first = 0;
    while (first < run_.size() && !run_[first].largest.empty() &&
           Compare(Plain(run_[first].largest), key) < 0) {
      ++first;
    }
    for (at_ = first; at_ < run_.size(); ++at_) {
      table_.emplace(run_[at_].table->NewIterator(options_));
      table_->Seek(key, SequenceOf(target));
      if (table_->Valid()) return Show(entry);
      if (!table_->status().ok()) return false;
    }
    table_.reset();
    return false;
  }
  bool Next(Entry* entry) override {
    table_->Next();
    if (table_->Valid()) return Show(entry);
    return table_->status().ok() && EnterFrom(at_ + 1, entry);
  }
  // No compaction walks backward.
  bool SeekToLast(Entry* /*entry*/) override { return GiveUp(); }
  bool Prev(Entry* /*entry*/) override { return GiveUp(); }

  Status status() const override {
    if (gave_up_) return Status::NotSupported("a run is walked forward only");
    return table_.has_value() ? table_->status() : Status();
  }
  std::string_view Name() const override { return "run of tables"; }

 private:
  Slice Plain(const Slice& internal_key) const {
    return WithoutTimestamp(UserKeyOf(internal_key), order_.timestamp_size());
  }
  int Compare(const Slice& a, const Slice& b) const {
    return order_.WithoutTimestamps().CompareUserKeys(a, b);
  }
  bool IsBeyondEnd(const CompactionInput& input) const {
    return options_.iterate_upper_bound != nullptr && !input.smallest.empty() &&
           Compare(Plain(input.smallest), *options_.iterate_upper_bound) >= 0;
  }
  bool EnterFrom(size_t number, Entry* entry) {
    // First, so that there are never two.
    table_.reset();
    for (at_ = number; at_ < run_.size(); ++at_) {
      if (IsBeyondEnd(run_[at_])) break;
      table_.emplace(run_[at_].table->NewIterator(options_));
      table_->SeekToFirst();
      if (table_->Valid()) return Show(entry);
      if (!table_->status().ok()) return false;
    }
    table_.reset();
    return false;
  }
  bool Show(Entry* entry) const {
    *entry = {table_->key(), table_->value()};
    return true;
  }
  bool GiveUp() {
    gave_up_ = true;
    return false;
  }

  const CompactionRun& run_;
  const ReadOptions options_;
  const KeyOrder order_;
  size_t at_ = 0;
  std::optional<Iterator> table_;
  bool gave_up_ = false;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_RUN_SOURCE_H_
