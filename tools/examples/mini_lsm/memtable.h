// Memtable: the newest writes, sorted, until a flush makes a table of them.
//
// One thread writes, any number of threads read beside it. A reader passes the
// sequence number up to which it sees writes, and so never sees half a batch.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_MEMTABLE_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_MEMTABLE_H_

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "ashlar/table/entry_source.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/range_deletion.h"
#include "tools/examples/mini_lsm/skip_list.h"

namespace mini_lsm {

using ashlar::SequenceNumber;
using ashlar::ValueType;

// What Ashlar needs to walk over the entries as over those of a table: one
// function for each kind of move.
class MemtableSource final : public ashlar::EntrySource {
 public:
  explicit MemtableSource(const SkipList* list) : list_(list) {}
  bool SeekToFirst(Entry* to) override { return Show(list_->First(), to); }
  bool SeekToLast(Entry* to) override { return Show(list_->Before({}), to); }
  bool Seek(const Slice& target, Entry* to) override {
    return Show(list_->AtOrAfter(target), to);
  }
  bool Next(Entry* to) override { return Show(at_->Next(), to); }
  bool Prev(Entry* to) override { return Show(list_->Before(&at_->key), to); }
  bool KeepsEntries() const override { return true; }

 private:
  bool Show(const SkipList::Node* node, Entry* entry) {
    at_ = node;
    if (node == nullptr) return false;
    *entry = {node->key, node->value};
    __builtin_prefetch(node->Next());  // a walk will need it
    return true;
  }
  const SkipList* list_;
  const SkipList::Node* at_ = nullptr;
};

// A lookup of one key, which goes from the newest data to the oldest.
struct Lookup {
  bool done = false;  // a value or a deletion was found: look no further
  ashlar::MergeOperator::ExistingValue value;  // points to where it was found
  std::vector<std::string> operands;           // of merges, the newest first
};

class Memtable {
 public:
  // Writer only. The value of a range deletion is its end.
  void Add(SequenceNumber sequence, ValueType type, const Slice& key,
           const Slice& value) {
    if (type != ValueType::kTypeRangeDeletion) {
      list_.Insert(ashlar::MakeInternalKey(key, sequence, type), value);
      return;
    }
    const std::scoped_lock lock(mutex_);
    ranges_.push_back({list_.Copy(key), list_.Copy(value), sequence});
    any_range_ = true;
  }
  size_t bytes() const { return list_.bytes(); }
  bool empty() const { return list_.First() == nullptr && !any_range_; }

  void Get(const Slice& key, SequenceNumber snapshot, Lookup* lookup) const {
    SequenceNumber deleted = 0;  // by the newest range deletion over the key
    for (const ashlar::RangeDeletion& range : range_deletions()) {
      if (range.begin <= key && key < range.end && range.sequence <= snapshot) {
        deleted = std::max(deleted, range.sequence);
      }
    }
    const ashlar::SeekKey seek_key(key, snapshot);
    const auto* node = list_.AtOrAfter(seek_key.internal_key());
    for (; node != nullptr && !lookup->done; node = node->Next()) {
      if (ashlar::UserKeyOf(node->key) != key) break;
      if (ashlar::SequenceOf(node->key) < deleted) break;
      if (ashlar::TypeOf(node->key) == ValueType::kTypeMerge) {
        lookup->operands.push_back(node->value.ToString());
      } else {
        lookup->done = true;
        const bool is_value =
            ashlar::TypeOf(node->key) == ValueType::kTypeValue;
        if (is_value) lookup->value = node->value;
      }
    }
    // A range deletion is newer than all that tables have.
    if (deleted > 0) lookup->done = true;
  }

  // For flushes and iterators, which the memtable must outlive.
  std::unique_ptr<MemtableSource> NewSource() const {
    return std::make_unique<MemtableSource>(&list_);
  }
  std::vector<ashlar::RangeDeletion> range_deletions() const {
    if (!any_range_) return {};
    const std::scoped_lock lock(mutex_);
    return ranges_;
  }

 private:
  SkipList list_;
  // Range deletions are few: a vector is enough. Without any, no reader takes
  // the lock. A reader that may see one got its sequence number later.
  std::atomic<bool> any_range_ = false;
  mutable std::mutex mutex_;
  std::vector<ashlar::RangeDeletion> ranges_;
};

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_MEMTABLE_H_
