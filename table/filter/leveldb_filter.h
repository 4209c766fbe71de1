// LevelDbFilter: the filter block of a LevelDB table. Read only.
//
// It has many small filters, one for each 2^lg bytes of the file in which a
// data block begins.
//
//   block   filters || start of each, fixed32 || start of the starts || lg
//   filter  bit array || probes (1 byte); an empty one matches nothing
//
// Unlike all other filters it is asked once the data block is known. Whatever
// in it is inconsistent matches everything. The bytes must outlive it. Never
// changes: thread-safe.
#ifndef ASHLAR_TABLE_FILTER_LEVELDB_FILTER_H_
#define ASHLAR_TABLE_FILTER_LEVELDB_FILTER_H_

#include <cstdint>
#include <optional>

#include "ashlar/util/slice.h"

namespace ashlar::internal {

class LevelDbFilter {
 public:
  // Returns the filter; nothing if the block cannot be one.
  static std::optional<LevelDbFilter> Parse(const Slice& block);

  // Returns whether the data block at this offset of the file may hold the key.
  bool MayMatch(uint64_t block_offset, const Slice& user_key) const;

 private:
  LevelDbFilter(const Slice& filters, const char* starts, uint64_t count,
                int lg)
      : filters_(filters), starts_(starts), count_(count), lg_(lg) {}

  Slice filters_;
  const char* starts_;
  uint64_t count_;
  int lg_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_LEVELDB_FILTER_H_
