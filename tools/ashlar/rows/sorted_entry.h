// Sorted entries: how a row of `build` is kept while rows are sorted.
//
// As an entry of a table, in memory and in the runs alike:
//
//   key    user key [tail], then fixed64(number): the tail of an internal key
//   value  value [type]
//
// so that a table of such entries is in the order that the output needs, rows
// of one key in the order of their coming. A file for ingestion has each user
// key once, whatever its type: the type stands behind the value. Otherwise
// sequence number and type, as the tail of the row's internal key, are part of
// what is sorted. Pure functions of two words: thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_ENTRY_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_ENTRY_H_

#include <cstdint>
#include <string_view>

#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/rows/row.h"

namespace ashlar::tool {

// User keys up, then the tails that they end in down.
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
  // The comparator of the output must outlive this, and this what it is given
  // to.
  SortedEntryForm(const Comparator* user_keys, bool external)
      : user_keys_(user_keys), external_(external), versions_(user_keys) {}
  SortedEntryForm(const SortedEntryForm&) = delete;
  SortedEntryForm& operator=(const SortedEntryForm&) = delete;

  // Of the user keys of the entries.
  const Comparator* order() const {
    return external_ ? user_keys_ : &versions_;
  }
  const Comparator* user_keys() const { return user_keys_; }

  size_t KeySize(const Row& row) const;
  size_t ValueSize(const Row& row) const;
  // `number` is the row's, in the order of their coming.
  void Write(const Row& row, uint64_t number, char* key, char* value) const;
  // All but the place. The row's slices are parts of key and value.
  Row Read(const Slice& key, const Slice& value, uint64_t* number) const;
  // The row's key alone.
  Slice UserKey(const Slice& key) const;

 private:
  const Comparator* const user_keys_;
  const bool external_;
  const VersionOrder versions_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SORTED_ENTRY_H_
