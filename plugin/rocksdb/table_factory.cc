// The factory that an application sets, and its name in options strings.
#include <string>
#include <utility>

#include "adapted_tables.h"
#include "adapter_state.h"
#include "ashlar_rocksdb.h"
#include "table/block_based/block_based_table_factory.h"

namespace ashlar_rocksdb {

namespace {

// Derives from RocksDB's factory, so that it has its name, its options and its
// casts, and can leave a table to it.
class AshlarTableFactory final : public rocksdb::BlockBasedTableFactory {
 public:
  AshlarTableFactory(const rocksdb::BlockBasedTableOptions& table_options,
                     const AshlarTableOptions& ashlar_options)
      : BlockBasedTableFactory(table_options),
        ashlar_options_(ashlar_options) {}

  using TableFactory::NewTableReader;
  rocksdb::Status NewTableReader(
      const rocksdb::ReadOptions& read_options,
      const rocksdb::TableReaderOptions& theirs,
      std::unique_ptr<rocksdb::RandomAccessFileReader>&& file,
      uint64_t file_size, std::unique_ptr<rocksdb::TableReader>* table,
      bool prefetch_index_and_filter_in_cache) const override {
    const auto stock =
        [&](std::unique_ptr<rocksdb::RandomAccessFileReader> unread,
            std::unique_ptr<rocksdb::TableReader>* opened) {
          return BlockBasedTableFactory::NewTableReader(
              read_options, theirs, std::move(unread), file_size, opened,
              prefetch_index_and_filter_in_cache);
        };
    return OpenAdaptedTable(Options(), ashlar_options_, read_options, theirs,
                            std::move(file), file_size,
                            prefetch_index_and_filter_in_cache, stock, table);
  }

  rocksdb::TableBuilder* NewTableBuilder(
      const rocksdb::TableBuilderOptions& theirs,
      rocksdb::WritableFileWriter* file) const override {
    return NewAdaptedBuilder(Options(), ashlar_options_, theirs, file, [&] {
      return BlockBasedTableFactory::NewTableBuilder(theirs, file);
    });
  }

  std::unique_ptr<rocksdb::TableFactory> Clone() const override {
    return std::make_unique<AshlarTableFactory>(*this);
  }

 private:
  const rocksdb::BlockBasedTableOptions& Options() const {
    return *GetOptions<rocksdb::BlockBasedTableOptions>();
  }

  const AshlarTableOptions ashlar_options_;
};

}  // namespace

rocksdb::TableFactory* NewAshlarTableFactory(
    const rocksdb::BlockBasedTableOptions& table_options,
    const AshlarTableOptions& ashlar_options) {
  return new AshlarTableFactory(table_options, ashlar_options);
}

int RegisterAshlarObjects(rocksdb::ObjectLibrary& library,
                          const std::string& /*arg*/) {
  library.AddFactory<rocksdb::TableFactory>(
      "AshlarTable", [](const std::string& /*uri*/,
                        std::unique_ptr<rocksdb::TableFactory>* guard,
                        std::string* /*error*/) {
        guard->reset(NewAshlarTableFactory());
        return guard->get();
      });
  return 1;
}

TableCounts GetTableCounts() { return AdapterState::Shared().Counts(); }

bool GetProperty(const std::string& name, std::string* value) {
  const TableCounts counts = GetTableCounts();
  if (name == "ashlar.tables-built") {
    *value = std::to_string(counts.built);
  } else if (name == "ashlar.tables-built-by-stock") {
    *value = std::to_string(counts.built_by_stock);
  } else if (name == "ashlar.tables-read") {
    *value = std::to_string(counts.read);
  } else if (name == "ashlar.tables-read-by-stock") {
    *value = std::to_string(counts.read_by_stock);
  } else if (name == "ashlar.fallbacks") {
    value->clear();
    for (const auto& [reason, times] : counts.reasons) {
      *value += std::to_string(times) + " " + reason + "\n";
    }
  } else {
    return false;
  }
  return true;
}

}  // namespace ashlar_rocksdb
