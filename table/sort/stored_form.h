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
#include <string_view>

#include "ashlar/table/entry_sorter.h"
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

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SORT_STORED_FORM_H_
