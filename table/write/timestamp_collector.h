// TimestampCollector: what the builder does with the timestamps of user keys.
//
// If timestamps are written, the oldest and the newest go to the properties. If
// they are not, it cuts them off the keys. It does nothing for tables whose
// comparator has no timestamps. One thread at a time.
#ifndef ASHLAR_TABLE_WRITE_TIMESTAMP_COLLECTOR_H_
#define ASHLAR_TABLE_WRITE_TIMESTAMP_COLLECTOR_H_

#include <algorithm>
#include <map>
#include <string>

#include "ashlar/table/options.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/slice.h"

namespace ashlar::internal {

class TimestampCollector {
 public:
  explicit TimestampCollector(const TableOptions& options)
      : comparator_(options.comparator),
        size_(options.comparator->timestamp_size()),
        stripped_(!options.persist_user_defined_timestamps) {}

  // Returns whether keys that are added end in a timestamp.
  bool any() const { return size_ != 0; }
  size_t size() const { return size_; }
  bool stripped() const { return stripped_; }

  static bool IsOldest(const Slice& timestamp) {
    return std::all_of(timestamp.begin(), timestamp.end(),
                       [](char byte) { return byte == 0; });
  }

  // Returns the key as it is stored in the file. Requires: it has at least
  // size() bytes.
  Slice AsWritten(const Slice& user_key) const {
    return stripped_ ? WithoutTimestamp(user_key, size_) : user_key;
  }

  // Counts the timestamp of a key that was added.
  void Take(const Slice& timestamp) {
    if (stripped_ || !any()) return;
    if (oldest_.empty() ||
        comparator_->CompareTimestamp(timestamp, oldest_) < 0) {
      oldest_ = timestamp.ToString();
    }
    if (newest_.empty() ||
        comparator_->CompareTimestamp(timestamp, newest_) > 0) {
      newest_ = timestamp.ToString();
    }
  }

  // Adds the two properties, with empty values if there was no timestamp.
  void Describe(std::map<std::string, std::string>* properties) const {
    if (stripped_ || !any()) return;
    (*properties)["rocksdb.timestamp_max"] = newest_;
    (*properties)["rocksdb.timestamp_min"] = oldest_;
  }

 private:
  const Comparator* comparator_;
  size_t size_;
  bool stripped_;
  std::string oldest_;
  std::string newest_;
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_TIMESTAMP_COLLECTOR_H_
