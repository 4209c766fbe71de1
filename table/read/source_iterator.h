// SourceIterator: what is behind an Iterator over an EntrySource.
//
// Data flow. Each move of the source gives an entry, which is checked: its key
// by itself, and against the key before it or the target of the seek. Then
// bounds, snapshot and timestamp are applied. The entry is shown as the source
// gave it. SeekForPrev is made of the source's Seek and Prev. A source may grow
// between the two, and then Prev may come to an entry after the target, so
// steps are taken back until the target is reached.
//
// A check costs one comparison per entry, and a copy of each key unless the
// source keeps its entries. One thread at a time.
#ifndef ASHLAR_TABLE_READ_SOURCE_ITERATOR_H_
#define ASHLAR_TABLE_READ_SOURCE_ITERATOR_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/entry_source.h"
#include "table/format/key_order.h"
#include "table/read/iterator_state.h"
#include "table/read/version_range.h"

namespace ashlar::internal {

class SourceIterator final : public Iterator::State {
 public:
  // Null pointers, and options that are impossible, give an iterator that is
  // not usable.
  SourceIterator(const Comparator* comparator,
                 std::unique_ptr<EntrySource> source,
                 const ReadOptions& options);

  bool SeekToFirst() override;
  bool SeekToLast() override;
  bool Seek(const Slice& internal_key) override;
  bool SeekForPrev(const Slice& internal_key) override;
  bool NextBlock() override {
    skips_.Begin();
    return PassForward(Step(true));
  }
  bool PrevBlock() override {
    skips_.Begin();
    return PassBackward(Step(false));
  }
  Status SetBounds(const Slice* lower, const Slice* upper) override;
  bool AtUpperBound() const override { return at_upper_bound_; }
  const Status& CurrentStatus() const override { return status_; }
  bool Fail(const Status& error) override;
  Status PinValue(const Slice& bytes, PinnableSlice* value) override;

 private:
  Status CheckOptions(const ReadOptions& options) const;
  std::optional<std::string> BeforeAll(const Slice* bound) const;
  bool Begin();
  bool Step(bool forward);
  bool SeekSource(const Slice& internal_key);
  bool LastUpTo(const Slice& internal_key);
  bool Take(bool on_entry);
  bool PassForward(bool on_entry);
  bool PassBackward(bool on_entry);
  bool Hides(const Slice& key) const;
  bool Show();
  bool BadKey(std::string_view why,
              Status::SubCode subcode = Status::SubCode::kNone);
  bool BadOrder(const Slice& last, bool forward);

  const KeyOrder order_;
  const std::unique_ptr<EntrySource> source_;
  const VersionRange versions_;
  SkipCount skips_;
  // Internal keys before all versions of the bounds.
  std::optional<std::string> lower_;
  std::optional<std::string> upper_;
  bool at_upper_bound_ = false;  // that is where the last move ended
  EntrySource::Entry entry_;     // where the source is
  std::string last_;             // a copy of the key that a step leaves
  Status status_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_SOURCE_ITERATOR_H_
