// The part of an internal key by which ranges of keys are compared: the user
// key without its timestamp.
#ifndef ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_PLAIN_KEY_H_
#define ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_PLAIN_KEY_H_

#include <algorithm>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar_rocksdb {

// Both results point into the key. One that is too short has no timestamp.
inline ashlar::Slice WithoutTime(const ashlar::Comparator* order,
                                 const ashlar::Slice& user_key) {
  return ashlar::WithoutTimestamp(
      user_key, std::min(user_key.size(), order->timestamp_size()));
}
inline ashlar::Slice PlainKey(const ashlar::Comparator* order,
                              const ashlar::Slice& internal_key) {
  return WithoutTime(order, ashlar::UserKeyOf(internal_key));
}

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_COMPACTION_SERVICE_PLAIN_KEY_H_
