// RocksDB on Ashlar: a table factory by which RocksDB reads and writes its
// block-based tables with Ashlar.
//
//   rocksdb::Options options;
//   options.table_factory.reset(ashlar_rocksdb::NewAshlarTableFactory(
//       table_options));   // rocksdb::BlockBasedTableOptions
//
// For applications that use RocksDB, and want Ashlar's reads and builds without
// another change. The files are the same, so the line can be removed again.
// docs/rocksdb-plugin.md says how to build, measure and switch off.
//
// What Ashlar does not do yet falls back to RocksDB's own builder or reader,
// table by table: RocksDB's comments call that table "stock". Fallbacks are
// counted, by reason.
//
// Thread safety: that of rocksdb::TableFactory. The counts may be read at any
// time. No exceptions cross the API.
#ifndef ASHLAR_PLUGIN_ROCKSDB_ASHLAR_ROCKSDB_H_
#define ASHLAR_PLUGIN_ROCKSDB_ASHLAR_ROCKSDB_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "rocksdb/table.h"
#include "rocksdb/utilities/object_registry.h"

#if defined(__GNUC__)
#define ASHLAR_ROCKSDB_EXPORT __attribute__((visibility("default")))
#else
#define ASHLAR_ROCKSDB_EXPORT
#endif

namespace ashlar_rocksdb {

// What is not in rocksdb::BlockBasedTableOptions.
struct AshlarTableOptions {
  // Whether tables that Ashlar cannot build or read are left to RocksDB's own
  // builder and reader. Default: true. If false, they are an error, which names
  // the reason: NotSupported.
  bool allow_fallback = true;
  // Whether tables are built by Ashlar, and whether they are read by it.
  // Default: both. RocksDB does what Ashlar does not, and that does not count
  // as a fallback.
  bool build = true;
  bool read = true;
};

// How many tables Ashlar and RocksDB built and read, for all factories of the
// process.
struct TableCounts {
  uint64_t built = 0;  // by Ashlar
  uint64_t built_by_stock = 0;
  uint64_t read = 0;  // opened by Ashlar
  uint64_t read_by_stock = 0;
  // Why tables fell back, in words, and how many did for that reason. Reasons
  // after the first hundred are counted together, as "others".
  std::map<std::string, uint64_t> reasons;
};

// Returns a factory. Its Name() is that of RocksDB's block-based factory, so
// that a database can be opened again without this library. RocksDB's options
// strings and SetOptions change it as they change RocksDB's own.
ASHLAR_ROCKSDB_EXPORT rocksdb::TableFactory* NewAshlarTableFactory(
    const rocksdb::BlockBasedTableOptions& table_options = {},
    const AshlarTableOptions& ashlar_options = {});

// Makes RocksDB's options strings know the factory by the name "AshlarTable":
// "table_factory={id=AshlarTable;block_size=16384}". Adds it to `library`, and
// returns the number of names that were added. To be called once, before such a
// string is parsed; RocksDB's form of it, for use with a plugin's name.
ASHLAR_ROCKSDB_EXPORT int RegisterAshlarObjects(rocksdb::ObjectLibrary& library,
                                                const std::string& arg);

ASHLAR_ROCKSDB_EXPORT TableCounts GetTableCounts();

// Answers for all factories, as rocksdb::DB::GetProperty does for a database:
// "ashlar.tables-built", "ashlar.tables-built-by-stock", "ashlar.tables-read",
// "ashlar.tables-read-by-stock" and "ashlar.fallbacks", which has a line
// "count reason" for each reason. Returns false for another name.
ASHLAR_ROCKSDB_EXPORT bool GetProperty(const std::string& name,
                                       std::string* value);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_ASHLAR_ROCKSDB_H_
