// StoredVersion: one version of a key, as TableReader::VisitVersions passes it
// to a callback.
//
// For engines that decide themselves which versions a read may see, and what
// they mean, such as one whose transactions write before they commit. Lives
// until the callback returns. One thread at a time.
#ifndef ASHLAR_TABLE_STORED_VERSION_H_
#define ASHLAR_TABLE_STORED_VERSION_H_

#include <cstddef>
#include <functional>

#include "ashlar/table/block_bytes.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"

namespace ashlar {

struct StoredVersion {
  SequenceNumber sequence;
  ValueType type;
  Slice timestamp;  // empty if the comparator has no timestamps
  // As it is stored: a merge operand, an encoded entity
  // (table/entry/wide_columns.h), a value with a preferred sequence number
  // (table/entry/timed_value.h), or a reference to a blob of another file. Of
  // an embedded blob, the value that it stands for.
  BlockBytes value;
};

// Called for each version of a key, newest first, on the thread that reads.
// Returns false to end the read there.
using VersionCallback = std::function<bool(const StoredVersion& version)>;

// The same for several keys. `key` is the number of the key, from 0.
using BatchVersionCallback =
    std::function<bool(size_t key, const StoredVersion& version)>;

}  // namespace ashlar

#endif  // ASHLAR_TABLE_STORED_VERSION_H_
