// The internal keys that seeks look for.
//
// Pure functions, and so thread-safe. They may throw std::bad_alloc.
#ifndef ASHLAR_TABLE_FORMAT_SEEK_TARGET_H_
#define ASHLAR_TABLE_FORMAT_SEEK_TARGET_H_

#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

// Appends to *target user_key || timestamp || tail. In place of an empty
// timestamp, one of `timestamp_size` bytes `filler` is appended. Requires: the
// timestamp is empty or has that size.
inline void AppendVersion(const Slice& user_key, const Slice& timestamp,
                          size_t timestamp_size, char filler,
                          SequenceNumber sequence, ValueType type,
                          std::string* target) {
  target->append(user_key.data(), user_key.size());
  target->append(timestamp.data(), timestamp.size());
  target->append(timestamp_size - timestamp.size(), filler);
  AppendInternalKey(Slice(), sequence, type, target);
}

// Appends to *target the internal key before all versions of user_key (given
// without timestamp) that a read at this timestamp and snapshot may see.
inline void AppendFirstTarget(const Slice& user_key, const Slice& timestamp,
                              size_t timestamp_size, SequenceNumber snapshot,
                              std::string* target) {
  // The largest type, so that all versions of that sequence number follow.
  AppendVersion(user_key, timestamp, timestamp_size, '\xff', snapshot,
                static_cast<ValueType>(0xff), target);
}

// Appends to *target the internal key after all versions of user_key with
// sequence numbers of `sequence` and more.
inline void AppendLastTarget(const Slice& user_key, size_t timestamp_size,
                             SequenceNumber sequence, std::string* target) {
  AppendVersion(user_key, Slice(), timestamp_size, '\0', sequence,
                ValueType::kTypeDeletion, target);
}

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FORMAT_SEEK_TARGET_H_
