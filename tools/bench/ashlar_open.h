// AshlarOpen: the benchmarks that open many tables, with this library.
#ifndef ASHLAR_TOOLS_BENCH_ASHLAR_OPEN_H_
#define ASHLAR_TOOLS_BENCH_ASHLAR_OPEN_H_

#include <functional>
#include <memory>
#include <string>

#include "ashlar/cache/cache.h"
#include "ashlar/table/options.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "tools/bench/engine.h"
#include "tools/bench/open_tables.h"

namespace ashlar::bench {

// Returns the load time of this name: at_open, index_at_first_use or
// at_first_use. Returns false if there is none.
bool ParseLoadTime(const std::string& name, LoadTime* time);

// Returns what scans and batches read with. One pool serves all of them.
ReadOptions ReadOptionsFor(const BenchOptions& options);

class AshlarOpen {
 public:
  // Writes the table of the workload to this path.
  using BuildTable = std::function<Status(const std::string& path)>;

  // Closes the tables that lsmget keeps open.
  void Close();
  Status Run(const std::string& benchmark, const BenchOptions& options,
             const Workload& workload, BuildTable build, RunResult* result);

 private:
  // What OpenTables calls.
  class Library {
   public:
    using Status = ::ashlar::Status;
    using Table = std::unique_ptr<TableReader>;

    void Use(const std::string& benchmark, const BenchOptions& options,
             BuildTable build);
    static std::string Name() { return "ashlar"; }
    Status Build(const std::string& path) { return build_(path); }
    Status MakeCache(uint64_t bytes);
    void DropCache();
    void Prepare(Table*) {}
    Status Open(const std::string& path, Table* table);
    static Status Get(const Table& table, const std::string& key,
                      RunResult* result);
    static Status ReadAll(const Table& table);
    static uint64_t DataBlocks(const Table& table) {
      return table->properties().num_data_blocks;
    }
    void EmptyCache() { cache_->EraseUnRefEntries(); }
    uint64_t CachedBlocks() const { return cache_->GetOccupancyCount(); }

   private:
    BuildTable build_;
    BenchOptions options_;
    std::shared_ptr<Cache> cache_;
    ReaderOptions of_tables_;
  };

  Library library_;
  OpenTables<Library> tables_;
};

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ASHLAR_OPEN_H_
