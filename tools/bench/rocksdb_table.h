// RocksDbTable: one table of RocksDB that is open for reads, by its
// SstFileReader or as the only table of a read-only database.
//
// Used by the benchmarks that read, which so can compare with the better of the
// two. Reads are as fast as RocksDB allows: by PinnableSlice, without
// statistics or perf context. Thread-safe.
#ifndef ASHLAR_TOOLS_BENCH_ROCKSDB_TABLE_H_
#define ASHLAR_TOOLS_BENCH_ROCKSDB_TABLE_H_

#include <rocksdb/iterator.h>
#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::bench {

class RocksDbTable {
 public:
  RocksDbTable() = default;
  RocksDbTable(const RocksDbTable&) = delete;
  RocksDbTable& operator=(const RocksDbTable&) = delete;
  virtual ~RocksDbTable() = default;

  virtual rocksdb::Status Get(const rocksdb::Slice& key,
                              rocksdb::PinnableSlice* value) = 0;
  // Requires: `values` and the statuses have one element per key.
  virtual void MultiGet(const std::vector<rocksdb::Slice>& keys,
                        std::vector<rocksdb::PinnableSlice>* values,
                        std::vector<rocksdb::Status>* statuses) = 0;
  virtual std::unique_ptr<rocksdb::Iterator> NewIterator(
      const rocksdb::ReadOptions& options) = 0;
  virtual rocksdb::Status VerifyChecksum() = 0;
  virtual uint64_t DataBlocks() = 0;
};

rocksdb::Status OpenTableFile(const rocksdb::Options& options,
                              const std::string& path,
                              std::unique_ptr<RocksDbTable>* table);
// Links the files into a new database at `folder`, and opens that for reads
// only. Files whose keys overlap get a level each: the first the deepest one.
rocksdb::Status OpenReadOnlyDatabase(const rocksdb::Options& options,
                                     const std::vector<std::string>& paths,
                                     const std::string& folder,
                                     std::unique_ptr<RocksDbTable>* table);

}  // namespace ashlar::bench

#endif  // ASHLAR_TOOLS_BENCH_ROCKSDB_TABLE_H_
