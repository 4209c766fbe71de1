// A data block whose keys are not the ones they stand for, made into one whose
// keys are; and one that leaves out what a read at a timestamp must not see.
//
// Done once, when a block is loaded, so that iterators and lookups know one
// kind of block only and files that store whole keys pay nothing.
#ifndef ASHLAR_TABLE_BLOCK_RESTORE_KEYS_H_
#define ASHLAR_TABLE_BLOCK_RESTORE_KEYS_H_

#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/format/block_place.h"
#include "table/format/key_form.h"
#include "table/format/key_order.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Which entries a read wants.
struct TimestampBound {
  const Comparator* comparator;
  Slice newest;  // empty: all

  bool Passes(const Slice& internal_key) const {
    return newest.empty() ||
           comparator->CompareTimestamp(
               TimestampOf(UserKeyOf(internal_key), newest.size()), newest) <=
               0;
  }
};

// Appends to *out a block with those entries of `view` that pass, their keys
// restored. All are checked as any walk does; `stored_order` is that of the
// keys as they are stored.
Status RestoreKeys(const BlockView& view, const BlockPlace& place,
                   const KeyOrder& stored_order, const KeyForm& form,
                   const TimestampBound& bound, Buffer* out);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_RESTORE_KEYS_H_
