#include "stock_dump.h"

#include <memory>
#include <utility>

#include "file/random_access_file_reader.h"
#include "table/block_based/block_based_table_reader.h"

namespace ashlar_rocksdb {

rocksdb::Status DumpByStock(const std::string& path, uint64_t file_size,
                            const rocksdb::ImmutableOptions& options,
                            const rocksdb::InternalKeyComparator& comparator,
                            rocksdb::WritableFile* out,
                            bool show_sequence_number_type) {
  std::unique_ptr<rocksdb::RandomAccessFileReader> file;
  rocksdb::Status status = rocksdb::RandomAccessFileReader::Create(
      options.fs, path, rocksdb::FileOptions(), &file, nullptr);
  if (!status.ok()) return status;
  rocksdb::BlockBasedTableOptions table_options;
  table_options.no_block_cache = true;
  constexpr uint8_t kNoProtection = 0;
  std::unique_ptr<rocksdb::TableReader> table;
  status = rocksdb::BlockBasedTable::Open(
      rocksdb::ReadOptions(), options, rocksdb::EnvOptions(), table_options,
      comparator, std::move(file), file_size, kNoProtection, &table,
      /*tail_size=*/0);
  if (!status.ok()) return status;
  return table->DumpTable(out, show_sequence_number_type);
}

}  // namespace ashlar_rocksdb
