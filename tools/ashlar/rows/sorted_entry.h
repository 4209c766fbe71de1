// Sorted entries: the form of the rows of `build` while they are sorted.
//
// A row is stored like an entry of a table, both in memory and in the runs:
//
//   key    user key [tail], then fixed64(number): the tail of an internal key
//   value  value [type]
//
// Sorted like this, entries have the order that the output needs, and
// rows of one key keep the order in which they came. A file for ingestion has
// each user key once, whatever its type, so the type follows the value. For
// other files, the sequence number and the type are part of what is sorted, as
// the tail of the row's internal key. The classes are immutable, and so
// thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_ENTRY_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_ENTRY_H_

#include <cstdint>
#include <string_view>

#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

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

class SortedEntryForm {
 public:
  // `user_keys` is the comparator of the output, and must outlive this. This
  // must outlive the objects that it is passed to.
  SortedEntryForm(const Comparator* user_keys, bool external)
      : user_keys_(user_keys), external_(external), versions_(user_keys) {}
  SortedEntryForm(const SortedEntryForm&) = delete;
  SortedEntryForm& operator=(const SortedEntryForm&) = delete;

  // Returns the comparator of the entries' user keys, including the row's tail
  // if there is one.
  const Comparator* order() const {
    return external_ ? user_keys_ : &versions_;
  }
  const Comparator* user_keys() const { return user_keys_; }

  size_t KeySize(const Row& row) const;
  size_t ValueSize(const Row& row) const;
  // Writes an entry. `number` is the number of the row, in the order in which
  // rows came.
  void Write(const Row& row, uint64_t number, char* key, char* value) const;
  // Returns the row, without its place. Its slices point into `key` and
  // `value`.
  Row Read(const Slice& key, const Slice& value, uint64_t* number) const;
  // Returns the key of the row alone.
  Slice UserKey(const Slice& key) const;

 private:
  const Comparator* const user_keys_;
  const bool external_;
  const VersionOrder versions_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_ENTRY_H_
