// MergedInput: the entries of all inputs of a compaction in one order, and
// between them the begins of range deletions.
//
// A begin comes in front of an entry with the same internal key. Where there
// are none, which is the usual case, they cost one comparison of integers per
// entry. One thread at a time.
#ifndef ASHLAR_TABLE_COMPACTION_MERGED_INPUT_H_
#define ASHLAR_TABLE_COMPACTION_MERGED_INPUT_H_

#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/merging_iterator.h"
#include "table/format/key_order.h"

namespace ashlar::internal {

class MergedInput {
 public:
  MergedInput(const Comparator* comparator, std::vector<Iterator> inputs,
              std::vector<std::string> begins)
      : order_(comparator),
        entries_(comparator, std::move(inputs)),
        begins_(std::move(begins)) {}

  bool valid() const {
    return (at_begin_ || entries_.Valid()) && stopped_.ok();
  }
  // Whether this is the begin of a range deletion; it has no value.
  bool at_begin() const { return at_begin_; }
  // The internal key of the entry. Requires: valid() and not at_begin().
  Slice entry_key() const { return entries_.key(); }
  Slice user_key() const {
    return at_begin_ ? UserKeyOf(begins_[begin_]) : entries_.user_key();
  }
  uint64_t tail() const {
    return TailOf(at_begin_ ? Slice(begins_[begin_]) : entries_.key());
  }
  Slice value() const { return at_begin_ ? Slice() : entries_.value(); }
  Status status() const { return stopped_.ok() ? entries_.status() : stopped_; }
  // Ends the input, which then has this status. What it is at can still be
  // read, until it moves.
  void Stop(Status why) { stopped_ = std::move(why); }

  void SeekToFirst() {
    entries_.SeekToFirst();
    Choose();
  }
  // Moves to the first entry or begin whose user key, which has no timestamp
  // here, is not below this one. Never moves back.
  void SkipTo(const Slice& user_key) {
    entries_.Seek(user_key);
    const KeyOrder plain = order_.WithoutTimestamps();
    while (begin_ < begins_.size() &&
           plain.CompareUserKeys(WithoutTimestamp(UserKeyOf(begins_[begin_]),
                                                  order_.timestamp_size()),
                                 user_key) < 0) {
      ++begin_;
    }
    Choose();
  }
  void Next() {
    if (at_begin_) {
      ++begin_;
    } else {
      entries_.Next();
    }
    if (begin_ < begins_.size() || at_begin_) [[unlikely]]
      Choose();
  }

 private:
  void Choose() {
    at_begin_ = begin_ < begins_.size() && entries_.status().ok() &&
                (!entries_.Valid() ||
                 order_.Compare(begins_[begin_], entries_.key()) <= 0);
  }

  KeyOrder order_;
  MergingIterator entries_;
  const std::vector<std::string> begins_;  // internal keys, ascending
  size_t begin_ = 0;                       // the next of them
  bool at_begin_ = false;
  Status stopped_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_MERGED_INPUT_H_
