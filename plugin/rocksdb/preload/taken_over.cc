// The adapter's side of the preloaded library: what RocksDB's factories do once
// their functions are taken over.
//
//   ASHLAR_ROCKSDB_NO_BUILD=1, ASHLAR_ROCKSDB_NO_READ=1, and
//   ASHLAR_ROCKSDB_NO_FALLBACK=1   AshlarTableOptions
//   ASHLAR_ROCKSDB_NO_CACHE=1      hyper clock caches are RocksDB's own
//   ASHLAR_ROCKSDB_REPORT=<file>   report.h
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "adapted_tables.h"
#include "ashlar_cache.h"
#include "cache/sharded_cache.h"
#include "report.h"
#include "rocksdb/cache.h"
#include "rocksdb/version.h"
#include "table/block_based/block_based_table_factory.h"
#include "take_over.h"

namespace ashlar_rocksdb {

namespace {

using NewReader = rocksdb::Status (*)(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::ReadOptions& read_options,
    const rocksdb::TableReaderOptions& theirs,
    std::unique_ptr<rocksdb::RandomAccessFileReader>&& file, uint64_t file_size,
    std::unique_ptr<rocksdb::TableReader>* table, bool prefetch);
using NewBuilder =
    rocksdb::TableBuilder* (*)(const rocksdb::BlockBasedTableFactory* factory,
                               const rocksdb::TableBuilderOptions& theirs,
                               rocksdb::WritableFileWriter* file);

using MakeCache = std::shared_ptr<rocksdb::Cache> (*)(
    const rocksdb::HyperClockCacheOptions* options);

// Set once, before RocksDB gets the functions that read them.
NewReader stock_reader;
NewBuilder stock_builder;
MakeCache stock_cache;
AshlarTableOptions own_options;

const rocksdb::BlockBasedTableOptions& OptionsOf(
    const rocksdb::BlockBasedTableFactory* factory) {
  return *factory->GetOptions<rocksdb::BlockBasedTableOptions>();
}

rocksdb::Status NewAdaptedReader(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::ReadOptions& read_options,
    const rocksdb::TableReaderOptions& theirs,
    std::unique_ptr<rocksdb::RandomAccessFileReader>&& file, uint64_t file_size,
    std::unique_ptr<rocksdb::TableReader>* table, bool prefetch) {
  const auto stock =
      [&](std::unique_ptr<rocksdb::RandomAccessFileReader> unread,
          std::unique_ptr<rocksdb::TableReader>* opened) {
        return stock_reader(factory, read_options, theirs, std::move(unread),
                            file_size, opened, prefetch);
      };
  return OpenAdaptedTable(OptionsOf(factory), own_options, read_options, theirs,
                          std::move(file), file_size, prefetch, stock, table);
}

rocksdb::TableBuilder* NewAdaptedTable(
    const rocksdb::BlockBasedTableFactory* factory,
    const rocksdb::TableBuilderOptions& theirs,
    rocksdb::WritableFileWriter* file) {
  return NewAdaptedBuilder(OptionsOf(factory), own_options, theirs, file, [&] {
    return stock_builder(factory, theirs, file);
  });
}

// Makes as many shards as RocksDB does, since the program may depend on that.
std::shared_ptr<rocksdb::Cache> MakeAdaptedCache(
    const rocksdb::HyperClockCacheOptions* asked) {
  constexpr size_t kLeastShardBytes = size_t{32} << 20;
  AshlarCacheOptions options;
  options.hyper_clock = *asked;
  if (asked->num_shard_bits < 0) {
    options.hyper_clock.num_shard_bits =
        rocksdb::GetDefaultCacheShardBits(asked->capacity, kLeastShardBytes);
  }
  std::shared_ptr<rocksdb::Cache> made;
  if (NewAshlarCache(options, &made).ok()) return made;
  // What Ashlar refuses, such as 2^17 shards, RocksDB may accept.
  return stock_cache(asked);
}

bool IsSet(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::string_view(text) != "0";
}

}  // namespace

extern "C" ASHLAR_ROCKSDB_EXPORT const char* ashlar_rocksdb_compiled_release();
extern "C" ASHLAR_ROCKSDB_EXPORT FactoryFunctions
ashlar_rocksdb_take_over(const FactoryFunctions& stock);

const char* ashlar_rocksdb_compiled_release() {
  static const std::string release = std::to_string(ROCKSDB_MAJOR) + "." +
                                     std::to_string(ROCKSDB_MINOR) + "." +
                                     std::to_string(ROCKSDB_PATCH);
  return release.c_str();
}

FactoryFunctions ashlar_rocksdb_take_over(const FactoryFunctions& stock) {
  stock_reader = reinterpret_cast<NewReader>(stock.new_reader);
  stock_builder = reinterpret_cast<NewBuilder>(stock.new_builder);
  stock_cache = reinterpret_cast<MakeCache>(stock.make_cache);
  own_options.build = !IsSet("ASHLAR_ROCKSDB_NO_BUILD");
  own_options.read = !IsSet("ASHLAR_ROCKSDB_NO_READ");
  own_options.allow_fallback = !IsSet("ASHLAR_ROCKSDB_NO_FALLBACK");
  ReportAtExit();
  return {reinterpret_cast<void*>(&NewAdaptedReader),
          reinterpret_cast<void*>(&NewAdaptedTable),
          IsSet("ASHLAR_ROCKSDB_NO_CACHE")
              ? stock.make_cache
              : reinterpret_cast<void*>(&MakeAdaptedCache)};
}

}  // namespace ashlar_rocksdb
