// RestoreKeys: makes a data block of whole keys from one that stores them in
// another form; and leaves out what a read at a timestamp must not see.
//
// It is done once, when a block is loaded. So iterators and lookups know only
// one kind of block, and files that store whole keys pay nothing. Pure:
// thread-safe.
#ifndef ASHLAR_TABLE_BLOCK_RESTORE_KEYS_H_
#define ASHLAR_TABLE_BLOCK_RESTORE_KEYS_H_

#include "ashlar/util/status.h"
#include "table/block/block.h"
#include "table/format/block_place.h"
#include "table/format/key_form.h"
#include "table/format/key_order.h"
#include "util/mem/buffer.h"

namespace ashlar::internal {

// Which entries a read may see.
struct TimestampBound {
  const Comparator* comparator;
  Slice newest;  // the newest timestamp that is seen; empty: all are

  // Returns whether the read may see this entry.
  bool Passes(const Slice& internal_key) const {
    return newest.empty() ||
           comparator->CompareTimestamp(
               TimestampOf(UserKeyOf(internal_key), newest.size()), newest) <=
               0;
  }
};

// Appends to *out a block with the entries of `view` that pass `bound`, their
// keys restored. Checks all entries as any walk does; returns Corruption if one
// is damaged. `stored_order` is the order of the keys as they are stored.
Status RestoreKeys(const BlockView& view, const BlockPlace& place,
                   const KeyOrder& stored_order, const KeyForm& form,
                   const TimestampBound& bound, Buffer* out);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_BLOCK_RESTORE_KEYS_H_
