// Counts why something was left to RocksDB. Pure: the caller guards the map.
#ifndef ASHLAR_PLUGIN_ROCKSDB_REASON_COUNTS_H_
#define ASHLAR_PLUGIN_ROCKSDB_REASON_COUNTS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace ashlar_rocksdb {

// Counts a reason, and returns how often it has now been met. There may be any
// number of reasons, since some name files or an application's classes: what
// comes after the first hundred has one name.
inline uint64_t CountReason(const std::string& reason,
                            std::map<std::string, uint64_t>* reasons) {
  constexpr size_t kMostReasons = 100;
  const bool is_known =
      reasons->size() < kMostReasons || reasons->contains(reason);
  return ++(*reasons)[is_known ? reason : "others"];
}

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_REASON_COUNTS_H_
