// PlainOrder: the order of user keys without their timestamps, as bounds of
// tables are compared.
//
// Thread-safe. The comparator must outlive it.
#ifndef ASHLAR_TABLE_FORMAT_PLAIN_ORDER_H_
#define ASHLAR_TABLE_FORMAT_PLAIN_ORDER_H_

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

class PlainOrder {
 public:
  explicit PlainOrder(const Comparator* comparator) : comparator_(comparator) {}

  Slice KeyOf(const Slice& internal_key) const {
    return WithoutTimestamp(UserKeyOf(internal_key),
                            comparator_->timestamp_size());
  }
  // These compare such keys.
  int Compare(const Slice& a, const Slice& b) const {
    return comparator_->CompareWithoutTimestamp(a, b);
  }
  bool IsBefore(const Slice& a, const Slice& b) const {
    return Compare(a, b) < 0;
  }

 private:
  const Comparator* comparator_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_PLAIN_ORDER_H_
