// ShownValue: the value of a key as a user sees it, made from what is stored.
//
// Data flow. A plain value is a part of the stored bytes, and nothing is
// copied. Blobs that were fetched, and results of merges, are kept here until
// the next value is shown. One thread at a time.
#ifndef ASHLAR_TABLE_USER_SHOWN_VALUE_H_
#define ASHLAR_TABLE_USER_SHOWN_VALUE_H_

#include <deque>
#include <span>
#include <string>
#include <vector>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/user_iterator.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// An entry of a type that has a value.
struct StoredValue {
  ValueType type = ValueType::kTypeValue;
  Slice bytes;
};

// Merge operands of one key. Copies those that do not stay where they are.
class Operands {
 public:
  bool empty() const { return parts_.empty(); }
  void Clear() {
    parts_.clear();
    copies_.clear();
  }
  void Add(const Slice& operand, bool stays) {
    if (stays) {
      parts_.push_back({operand, 0, true});
    } else {
      parts_.push_back({Slice(nullptr, operand.size()), copies_.size(), false});
      copies_.append(operand.data(), operand.size());
    }
  }
  // Returns them in the order in which they were added, or reversed. They live
  // until the next change.
  std::vector<Slice> Slices(bool reversed) const;

 private:
  struct Part {
    Slice bytes;  // if it was copied, only the size counts
    size_t begin;
    bool stays;
  };
  std::vector<Part> parts_;
  std::string copies_;
};

class ShownValue {
 public:
  explicit ShownValue(const UserIteratorOptions& options)
      : merge_operator_(options.merge_operator),
        fetch_blob_(options.fetch_blob) {}

  // Makes this the value of an entry. Its bytes must live as long as the value
  // is used. The user key has its timestamp.
  Status Show(const Slice& user_key, const StoredValue& stored);
  // The same of an entry of type kTypeValue, which cannot fail.
  void ShowPlain(const Slice& value) {
    Reset();
    SetPlain(value);
  }
  // Makes this the result of a merge. `base` is null if there is no value. The
  // operands come oldest first, one at least.
  Status ShowMerged(const Slice& user_key, const StoredValue* base,
                    std::span<const Slice> operands);

  Slice value() const { return value_; }
  bool is_blob_index() const { return is_blob_index_; }
  // Whether the value is kept here, and not part of the stored bytes.
  bool is_own() const { return is_own_; }
  std::span<const WideColumn> columns() const {
    return is_plain_ ? std::span(&plain_, 1) : std::span(columns_);
  }

 private:
  void Reset() {
    is_blob_index_ = false;
    is_own_ = false;
    is_plain_ = false;
    // Nearly every value comes without.
    if (!fetched_.empty()) fetched_.clear();
    columns_.clear();
  }
  Status ShowEntity(const Slice& user_key, const Slice& entity);
  Status Fetch(const Slice& user_key, const Slice& index, Slice* value);
  Status ReadBase(const Slice& user_key, const StoredValue& base,
                  MergeOperator::MergeInput* merge);
  Status TakeResult(MergeOperator::MergeOutput* output);
  void SetPlain(const Slice& value) {
    value_ = value;
    is_plain_ = true;
    plain_ = {Slice(), value, is_blob_index_};
  }

  const MergeOperator* const merge_operator_;
  const decltype(UserIteratorOptions::fetch_blob) fetch_blob_;
  Slice value_;
  bool is_blob_index_ = false;
  bool is_own_ = false;
  bool is_plain_ = false;  // the value is `plain_`; else it is `columns_`
  WideColumn plain_;
  std::vector<WideColumn> columns_;
  std::deque<std::string> fetched_;  // blobs
  std::string result_;               // of a merge
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_USER_SHOWN_VALUE_H_
