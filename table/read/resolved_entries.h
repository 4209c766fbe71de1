// ResolvedEntries: the walk of an iterator over a table with embedded blobs.
//
// Another walk (TableIterator or VisibleEntries) moves over the entries as they
// are stored. This one shows each of them with the values that its references
// stand for (table/blob/embedded_blobs.h). A blob is read when the walk comes
// to its entry. If that fails, the walk ends there with the error. What
// VisibleEntries leaves out costs no blob.
//
// Memory. Small blobs are read ahead through a window of their own: they lie
// between data blocks, which stay where the other walk has them. Larger ones
// have memory of their own, which a value that is pinned shares. With
// ReadOptions::pin_data each resolved entry is kept.
//
// Made only for tables that have embedded blobs. One thread at a time.
#ifndef ASHLAR_TABLE_READ_RESOLVED_ENTRIES_H_
#define ASHLAR_TABLE_READ_RESOLVED_ENTRIES_H_

#include <map>
#include <memory>
#include <string>

#include "cache/charge/memory_charge.h"
#include "table/blob/embedded_blobs.h"
#include "table/read/iterator_state.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

class ResolvedEntries final : public Iterator::State {
 public:
  // Requires: the table has embedded blobs, and outlives this.
  ResolvedEntries(const OpenedTable* table, const ReadOptions& options,
                  std::unique_ptr<Iterator::State> stored);

  bool SeekToFirst() override { return Show(stored_->SeekToFirst()); }
  bool SeekToLast() override { return Show(stored_->SeekToLast()); }
  bool Seek(const Slice& internal_key) override;
  bool SeekForPrev(const Slice& internal_key) override;
  bool NextBlock() override {
    return Show(stored_->block.Next() || stored_->NextBlock());
  }
  bool PrevBlock() override {
    return Show(stored_->block.Prev() || stored_->PrevBlock());
  }
  void EndWithPrefix(bool ends) override { stored_->EndWithPrefix(ends); }
  void KeepPrefix(bool keeps) override { stored_->KeepPrefix(keeps); }
  Status SetBounds(const Slice* lower, const Slice* upper) override {
    return stored_->SetBounds(lower, upper);
  }
  bool AtUpperBound() const override { return stored_->AtUpperBound(); }
  const Status& CurrentStatus() const override {
    return stored_->CurrentStatus();
  }
  bool Fail(const Status& error) override { return stored_->Fail(error); }
  Status PinValue(const Slice& bytes, PinnableSlice* value) override;
  void SetValueKeeper(ValueKeeper keeper) override {
    value_keeper = keeper;
    stored_->SetValueKeeper(std::move(keeper));
  }
  Status KeepValue() override;
  Status DelegatePins(Cleanable* keeper) override;

 private:
  // An entry whose references were followed.
  struct Resolved {
    std::string key;  // with the type of the resolved entry
    ResolvedValue value;
  };

  Slice TargetWithType(const Slice& internal_key, uint8_t type);
  bool Show(bool on_entry);
  void ShowStored();
  Status Resolve();
  Status ResolveOnce();
  Status Charge();

  const OpenedTable& table_;
  const ReadOptions options_;
  const std::unique_ptr<Iterator::State> stored_;
  FileWindow window_;
  MemoryCharge charge_;
  std::shared_ptr<Resolved> resolved_;
  bool shows_resolved_ = false;  // else the entry is as it is stored
  bool is_shared_ = false;       // a value that was pinned has *resolved_ too
  // With pin_data: by the key as it is stored, and how much memory they have.
  using KeptEntries =
      std::map<std::string, std::shared_ptr<Resolved>, std::less<>>;
  KeptEntries kept_;
  uint64_t kept_bytes_ = 0;
  std::string target_;  // kept for its memory
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_RESOLVED_ENTRIES_H_
