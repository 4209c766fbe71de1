// StoredForm: the form of entries while they are sorted.
//
// An entry is stored like an entry of a table, both in memory and in the runs:
//
//   key    user key [tail], then fixed64(number): the tail of an internal key
//   value  value [type]
//
// Sorted like this, entries have the order that the output needs, and equal
// entries keep the order in which they came. Without internal keys, a user key
// is equal to another one whatever the types, so the type follows the value.
// With internal keys, the sequence number and the type are part of what is
// sorted, as the tail of the entry's internal key. The classes are immutable,
// and so thread-safe.
#ifndef ASHLAR_TABLE_SORT_STORED_FORM_H_
#define ASHLAR_TABLE_SORT_STORED_FORM_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "ashlar/table/entry_sorter.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

// Orders user keys in ascending order, and then the tails that they end in in
// descending order.
class VersionOrder final : public Comparator {
 public:
  explicit VersionOrder(const Comparator* user_keys) : user_keys_(user_keys) {}
  std::string_view Name() const override { return "ashlar.VersionOrder"; }
  int Compare(const Slice& a, const Slice& b) const override;

 private:
  const Comparator* const user_keys_;
};

class StoredForm {
 public:
  // `user_keys` is the comparator of the output, and must outlive this. This
  // must outlive the objects that it is passed to.
  StoredForm(const Comparator* user_keys, bool internal_keys)
      : user_keys_(user_keys),
        internal_keys_(internal_keys),
        versions_(user_keys) {}
  StoredForm(const StoredForm&) = delete;
  StoredForm& operator=(const StoredForm&) = delete;

  // Returns the comparator of what is sorted: the user key, and the tail if
  // there is one.
  const Comparator* order() const {
    return internal_keys_ ? &versions_ : user_keys_;
  }
  const Comparator* user_keys() const { return user_keys_; }

  size_t KeySize(const SortEntry& entry) const;
  size_t ValueSize(const SortEntry& entry) const;
  // Writes the entry, with its number.
  void Write(const SortEntry& entry, char* key, char* value) const;
  // Returns the entry, whose slices point into `key` and `value`.
  SortEntry Read(const Slice& key, const Slice& value) const;
  // Returns the user key alone.
  Slice UserKey(const Slice& key) const;

 private:
  const Comparator* const user_keys_;
  const bool internal_keys_;
  const VersionOrder versions_;
};

// These are called for each entry, from other files.

inline size_t StoredForm::KeySize(const SortEntry& entry) const {
  const size_t tails = internal_keys_ ? 2 : 1;
  return entry.user_key.size() + tails * kInternalKeyTailBytes;
}

inline size_t StoredForm::ValueSize(const SortEntry& entry) const {
  return entry.value.size() + (internal_keys_ ? 0 : 1);
}

inline void StoredForm::Write(const SortEntry& entry, char* key,
                              char* value) const {
  const Slice& user_key = entry.user_key;
  if (!user_key.empty()) std::memcpy(key, user_key.data(), user_key.size());
  key += user_key.size();
  if (internal_keys_) {
    const uint64_t tail = PackTail(entry.sequence, entry.type);
    std::memcpy(key, &tail, sizeof tail);
    key += sizeof tail;
  }
  // A table has equal keys in descending order of their tails, so earlier
  // entries get larger tails.
  const uint64_t tail =
      PackTail(kMaxSequenceNumber - entry.number, ValueType::kTypeValue);
  std::memcpy(key, &tail, sizeof tail);
  if (!entry.value.empty()) {
    std::memcpy(value, entry.value.data(), entry.value.size());
  }
  if (!internal_keys_) {
    value[entry.value.size()] = static_cast<char>(entry.type);
  }
}

inline SortEntry StoredForm::Read(const Slice& key, const Slice& value) const {
  SortEntry entry;
  entry.number = kMaxSequenceNumber - SequenceOf(key);
  entry.user_key = UserKey(key);
  if (internal_keys_) {
    entry.value = value;
    entry.sequence = SequenceOf(UserKeyOf(key));
    entry.type = TypeOf(UserKeyOf(key));
    return entry;
  }
  entry.value = Slice(value.data(), value.size() - 1);
  entry.type =
      static_cast<ValueType>(static_cast<uint8_t>(value[value.size() - 1]));
  return entry;
}

inline Slice StoredForm::UserKey(const Slice& key) const {
  return internal_keys_ ? UserKeyOf(UserKeyOf(key)) : UserKeyOf(key);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_STORED_FORM_H_
