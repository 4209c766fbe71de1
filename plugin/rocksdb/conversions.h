// Values of the one library as values of the other: slices, status.
//
// For the adapter alone. A status goes from RocksDB's files through Ashlar's
// readers and builders back to RocksDB, and keeps what RocksDB's error handler
// goes by.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CONVERSIONS_H_
#define ASHLAR_PLUGIN_ROCKSDB_CONVERSIONS_H_

#include <string>

#include "ashlar/util/pinnable_slice.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "rocksdb/cleanable.h"
#include "rocksdb/io_status.h"
#include "rocksdb/slice.h"
#include "rocksdb/status.h"

namespace ashlar_rocksdb {

inline ashlar::Slice ToAshlar(const rocksdb::Slice& slice) {
  return ashlar::Slice(slice.data(), slice.size());
}
inline rocksdb::Slice ToRocksDB(const ashlar::Slice& slice) {
  return rocksdb::Slice(slice.data(), slice.size());
}

// The message is the other library's. Where an IOStatus has none, it is the
// name of the file. What was an IOStatus becomes one again, with the text that
// it had.
rocksdb::Status ToRocksDB(const ashlar::Status& status);
ashlar::Status ToAshlar(const rocksdb::IOStatus& status,
                        const std::string& file);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CONVERSIONS_H_
