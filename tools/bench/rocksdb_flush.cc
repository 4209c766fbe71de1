// The flush of RocksDB for mini_lsm_bench: a memtable by DB::Flush.

#include <rocksdb/db.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/table.h>
#include <rocksdb/write_batch.h>

#include <memory>

#include "tools/bench/flush_load.h"
#include "tools/bench/stopwatch.h"

namespace ashlar::bench {
namespace {

rocksdb::Options OptionsOf(const FlushLoad& load) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.write_buffer_size = size_t{1} << 30;  // flushes come when asked for
  options.disable_auto_compactions = true;
  options.compression = load.codec == "lz4"    ? rocksdb::kLZ4Compression
                        : load.codec == "zstd" ? rocksdb::kZSTD
                                               : rocksdb::kNoCompression;
  rocksdb::BlockBasedTableOptions table;
  table.format_version = 6;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

rocksdb::Status Run(const FlushLoad& load, RunResult* result) {
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status status = rocksdb::DB::Open(OptionsOf(load), load.folder, &db);
  std::string value;
  for (uint64_t i = 0; i < load.num && status.ok();) {
    rocksdb::WriteBatch batch;
    for (uint64_t end = i + 1000; i < load.num && i < end; ++i) {
      load.ValueOf(i, &value);
      status = batch.Put(load.KeyOf(i), value);
      if (!status.ok()) return status;
    }
    status = db->Write({}, &batch);
  }
  if (!status.ok()) return status;
  const Stopwatch stopwatch(Stopwatch::Load::kManyThreads);
  status = db->Flush({});
  result->measured = stopwatch.Stop();
  result->operations = load.num;
  uint64_t bytes = 0;
  db->GetIntProperty("rocksdb.total-sst-files-size", &bytes);
  result->file_bytes = bytes;
  return status;
}

}  // namespace
}  // namespace ashlar::bench

extern "C" __attribute__((visibility("default"))) void AshlarBenchRocksDbFlush(
    const ashlar::bench::FlushLoad& load, ashlar::bench::RunResult* result,
    std::string* error) {
  const rocksdb::Status status = ashlar::bench::Run(load, result);
  *error = status.ok() ? "" : status.ToString();
}
