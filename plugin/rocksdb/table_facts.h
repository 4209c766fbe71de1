// Ashlar's table properties as RocksDB's.
#ifndef ASHLAR_PLUGIN_ROCKSDB_TABLE_FACTS_H_
#define ASHLAR_PLUGIN_ROCKSDB_TABLE_FACTS_H_

#include "ashlar/table/table_properties.h"
#include "rocksdb/table_properties.h"

namespace ashlar_rocksdb {

// What collectors say for people to read is not among them.
rocksdb::TableProperties PropertiesFrom(const ashlar::TableProperties& ours);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_TABLE_FACTS_H_
