// RocksDbOpen: the benchmarks that open many tables, with RocksDB's
// SstFileReader.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_OPEN_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_OPEN_H_

#include <rocksdb/advanced_cache.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/status.h>

#include <functional>
#include <memory>
#include <string>

#include "tools/bench/engine.h"
#include "tools/bench/open_tables.h"
#include "tools/bench/rocksdb_reads.h"

namespace ashlar::bench {

class RocksDbOpen {
 public:
  // Writes the table of the workload to this path.
  using BuildTable = std::function<rocksdb::Status(const std::string& path)>;

  // Closes the tables that lsmget keeps open.
  void Close();
  rocksdb::Status Run(const std::string& benchmark, const BenchOptions& options,
                      const Workload& workload,
                      RocksDbReads::OptionsOf options_of, BuildTable build,
                      RunResult* result);

 private:
  // What OpenTables calls.
  class Library {
   public:
    using Status = rocksdb::Status;
    using Table = std::unique_ptr<rocksdb::SstFileReader>;

    void Use(const BenchOptions& options, RocksDbReads::OptionsOf options_of,
             BuildTable build);
    static std::string Name() { return "rocksdb"; }
    Status Build(const std::string& path) { return build_(path); }
    Status MakeCache(uint64_t bytes);
    void DropCache();
    // Makes the reader, which copies the options.
    void Prepare(Table* table);
    static Status Open(const std::string& path, Table* table) {
      return (*table)->Open(path);
    }
    Status Get(const Table& table, const std::string& key,
               RunResult* result) const;
    static Status ReadAll(const Table& table);
    static uint64_t DataBlocks(const Table& table) {
      return table->GetTableProperties()->num_data_blocks;
    }
    void EmptyCache() { cache_->EraseUnRefEntries(); }
    uint64_t CachedBlocks() const { return cache_->GetOccupancyCount(); }

   private:
    BuildTable build_;
    BenchOptions options_;
    RocksDbReads::OptionsOf options_of_;
    std::shared_ptr<rocksdb::Cache> cache_;
    // One table factory for all tables, as a database has it.
    rocksdb::Options of_tables_;
    const rocksdb::ReadOptions read_options_;
  };

  Library library_;
  OpenTables<Library> tables_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_OPEN_H_
