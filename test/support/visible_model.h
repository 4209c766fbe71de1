// VisibleModel: what a user sees of a list of all versions, found in the most
// simple way: each key is looked up in the whole list.
//
// Merge operands are joined with commas, oldest first, as by
// NewStringAppendOperator. One thread at a time.
#ifndef ASHLAR_TEST_SUPPORT_VISIBLE_MODEL_H_
#define ASHLAR_TEST_SUPPORT_VISIBLE_MODEL_H_

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/entry/timed_value.h"
#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/internal_key_less.h"
#include "test/support/tables.h"

namespace ashlar::testing {

// Entries of one input, range deletions among them (`value` is then the end, as
// a user key with timestamp), and its bounds; empty: none.
struct VersionedInput {
  std::vector<Entry> entries;
  std::string smallest;
  std::string largest;
};

struct VisibleKey {
  std::string key;  // without timestamp
  std::string timestamp;
  std::string value;
  std::string columns;  // as text
  bool is_blob_index = false;
  // Of the newest version.
  SequenceNumber sequence = 0;
  ValueType type = ValueType::kTypeValue;

  friend bool operator==(const VisibleKey&, const VisibleKey&) = default;
};

inline std::string ColumnsText(const std::vector<WideColumn>& columns) {
  std::string text;
  for (const WideColumn& each : columns) {
    text += each.name.ToString() + "=" + each.value.ToString() +
            (each.is_blob_index ? "@;" : ";");
  }
  return text;
}

class VisibleModel {
 public:
  VisibleModel(const Comparator* comparator,
               const std::vector<VersionedInput>& inputs)
      : comparator_(comparator),
        timestamp_size_(comparator->timestamp_size()),
        inputs_(inputs) {}

  // Returns all keys that are seen, in order.
  std::vector<VisibleKey> Keys(SequenceNumber snapshot,
                               const std::string& timestamp) const {
    std::vector<Entry> versions;
    for (const VersionedInput& input : inputs_) {
      for (const Entry& entry : input.entries) {
        if (!IsRange(entry) && Sees(entry, snapshot, timestamp)) {
          versions.push_back(entry);
        }
      }
    }
    std::sort(versions.begin(), versions.end(),
              [this](const Entry& a, const Entry& b) {
                return CompareInternalKeys(comparator_, a.key, b.key) < 0;
              });
    std::vector<VisibleKey> keys;
    for (size_t i = 0; i < versions.size();) {
      size_t end = i;
      const Slice key = Plain(UserKeyOf(versions[i].key));
      while (end < versions.size() &&
             Plain(UserKeyOf(versions[end].key)) == key) {
        ++end;
      }
      auto seen = Read({versions.begin() + static_cast<std::ptrdiff_t>(i),
                        versions.begin() + static_cast<std::ptrdiff_t>(end)},
                       snapshot, timestamp);
      if (seen) keys.push_back(*std::move(seen));
      i = end;
    }
    return keys;
  }

 private:
  static bool IsRange(const Entry& entry) {
    return TypeOf(entry.key) == ValueType::kTypeRangeDeletion;
  }
  Slice Plain(const Slice& user_key) const {
    return WithoutTimestamp(user_key, timestamp_size_);
  }
  bool Sees(const Entry& entry, SequenceNumber snapshot,
            const std::string& timestamp) const {
    return SequenceOf(entry.key) <= snapshot &&
           (timestamp.empty() ||
            comparator_->CompareTimestamp(
                TimestampOf(UserKeyOf(entry.key), timestamp_size_),
                timestamp) <= 0);
  }
  int ComparePlain(const Slice& a, const Slice& b) const {
    return comparator_->CompareWithoutTimestamp(Plain(a), Plain(b));
  }

  bool IsDeleted(const Entry& version, SequenceNumber snapshot,
                 const std::string& timestamp) const {
    const Slice key = UserKeyOf(version.key);
    for (const VersionedInput& input : inputs_) {
      if (!input.smallest.empty() &&
          (CompareInternalKeys(comparator_, version.key, input.smallest) < 0 ||
           CompareInternalKeys(comparator_, version.key, input.largest) > 0)) {
        continue;
      }
      for (const Entry& each : input.entries) {
        if (IsRange(each) && Sees(each, snapshot, timestamp) &&
            SequenceOf(each.key) > SequenceOf(version.key) &&
            ComparePlain(UserKeyOf(each.key), key) <= 0 &&
            ComparePlain(key, each.value) < 0) {
          return true;
        }
      }
    }
    return false;
  }

  // `versions` come newest first.
  std::optional<VisibleKey> Read(const std::vector<Entry>& versions,
                                 SequenceNumber snapshot,
                                 const std::string& timestamp) const {
    std::optional<VisibleKey> seen;
    for (const Entry& version : versions) {
      const ValueType type = TypeOf(version.key);
      if (type == ValueType::kTypeDeletion ||
          type == ValueType::kTypeSingleDeletion ||
          type == ValueType::kTypeDeletionWithTimestamp ||
          IsDeleted(version, snapshot, timestamp)) {
        break;
      }
      const bool is_first = !seen;
      if (is_first) {
        seen.emplace();
        const Slice key = UserKeyOf(version.key);
        seen->key = Plain(key).ToString();
        seen->timestamp = TimestampOf(key, timestamp_size_).ToString();
        seen->sequence = SequenceOf(version.key);
        seen->type = type;
      }
      Join(version, is_first, &*seen);
      if (type != ValueType::kTypeMerge) break;
    }
    return seen;
  }

  static void Join(const Entry& version, bool is_first, VisibleKey* seen) {
    std::vector<WideColumn> columns = {{Slice(), version.value, false}};
    TimedValue timed;
    switch (TypeOf(version.key)) {
      case ValueType::kTypeWideColumnEntity:
        Require(DecodeWideColumns(version.value, &columns));
        break;
      case ValueType::kTypeValuePreferredSeqno:
        Require(DecodeTimedValue(version.value, &timed));
        columns[0].value = timed.value;
        break;
      case ValueType::kTypeBlobIndex:
        columns[0].is_blob_index = true;
        seen->is_blob_index = true;
        break;
      default:
        break;
    }
    // A merge adds the default column.
    if (!is_first && !columns[0].name.empty()) {
      columns.insert(columns.begin(), WideColumn());
    }
    const std::string newer = seen->value;
    for (WideColumn& column : columns) {
      if (!column.name.empty()) continue;
      std::string joined = column.value.ToString();
      if (!is_first) joined += "," + newer;
      seen->value = joined;
      column.value = seen->value;
    }
    seen->columns = ColumnsText(columns);
  }

  const Comparator* const comparator_;
  const size_t timestamp_size_;
  const std::vector<VersionedInput>& inputs_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_VISIBLE_MODEL_H_
