// What both forms of the adapter do when RocksDB wants a table: the factory
// that an application sets, and the library that is preloaded.
#ifndef ASHLAR_PLUGIN_ROCKSDB_ADAPTED_TABLES_H_
#define ASHLAR_PLUGIN_ROCKSDB_ADAPTED_TABLES_H_

#include <functional>
#include <memory>

#include "ashlar_rocksdb.h"
#include "file/random_access_file_reader.h"
#include "file/writable_file_writer.h"
#include "rocksdb/table.h"
#include "table/table_builder.h"
#include "table/table_reader.h"

namespace ashlar_rocksdb {

// RocksDB's own builder and reader of the same table.
using StockBuilder = std::function<rocksdb::TableBuilder*()>;
using StockReader = std::function<rocksdb::Status(
    std::unique_ptr<rocksdb::RandomAccessFileReader> file,
    std::unique_ptr<rocksdb::TableReader>* table)>;

// Returns a builder, by Ashlar or by `stock`. Never null.
rocksdb::TableBuilder* NewAdaptedBuilder(
    const rocksdb::BlockBasedTableOptions& options,
    const AshlarTableOptions& ashlar_options,
    const rocksdb::TableBuilderOptions& theirs,
    rocksdb::WritableFileWriter* file, const StockBuilder& stock);

// Opens a table, by Ashlar or by `stock`.
rocksdb::Status OpenAdaptedTable(
    const rocksdb::BlockBasedTableOptions& options,
    const AshlarTableOptions& ashlar_options,
    const rocksdb::ReadOptions& read_options,
    const rocksdb::TableReaderOptions& theirs,
    std::unique_ptr<rocksdb::RandomAccessFileReader> file, uint64_t file_size,
    bool load_now, const StockReader& stock,
    std::unique_ptr<rocksdb::TableReader>* table);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_ADAPTED_TABLES_H_
