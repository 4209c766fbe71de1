// rocksdb_tool: what RocksDB's sst_dump does, by the same calls of RocksDB.
//
//   rocksdb_tool verify|check|scan|properties <table>
//   rocksdb_tool recompress <table> <parallel_threads> <level>
//
// For tools/bench/tool_tables, where the library has no tool inside. verify is
// VerifyChecksum; check and scan iterate with the tool's read-ahead of 2 MiB,
// scan with a line printed as the tool prints it; recompress builds the table
// in memory, as the tool does, with zstd and blocks of 16 KiB, and then goes
// through it, which is the tool's `Read usec`.
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

namespace {

constexpr size_t kReadAhead = size_t{2} << 20;

int Complain(const rocksdb::Status& status) {
  std::fprintf(stderr, "rocksdb_tool: %s\n", status.ToString().c_str());
  return 1;
}

rocksdb::ReadOptions ReadOptions() {
  rocksdb::ReadOptions options(/*verify_checksums=*/false,
                               /*fill_cache=*/false);
  options.readahead_size = kReadAhead;
  return options;
}

int Walk(rocksdb::SstFileReader* reader, bool print) {
  const std::unique_ptr<rocksdb::Iterator> it(
      reader->NewIterator(ReadOptions()));
  uint64_t entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    ++entries;
    if (print) {
      std::printf("'%s' seq:0, type:1 => %s\n",
                  it->key().ToString(false).c_str(),
                  it->value().ToString(false).c_str());
    }
  }
  std::fprintf(stderr, "%llu entries\n",
               static_cast<unsigned long long>(entries));
  return it->status().ok() ? 0 : Complain(it->status());
}

int Recompress(rocksdb::SstFileReader* reader, uint32_t threads, int level) {
  const std::unique_ptr<rocksdb::Env> memory(
      rocksdb::NewMemEnv(rocksdb::Env::Default()));
  rocksdb::Options options;
  options.env = memory.get();
  options.compression = rocksdb::kZSTD;
  options.compression_opts.level = level;
  options.compression_opts.parallel_threads = threads;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 16384;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10, false));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), options);
  rocksdb::Status status = writer.Open("/recompressed.sst");
  const std::unique_ptr<rocksdb::Iterator> it(
      reader->NewIterator(ReadOptions()));
  for (it->SeekToFirst(); status.ok() && it->Valid(); it->Next()) {
    status = writer.Put(it->key(), it->value());
  }
  if (status.ok()) status = it->status();
  rocksdb::ExternalSstFileInfo info;
  if (status.ok()) status = writer.Finish(&info);
  if (!status.ok()) return Complain(status);
  std::fprintf(stderr, "%llu bytes\n",
               static_cast<unsigned long long>(info.file_size));
  rocksdb::SstFileReader made(options);
  status = made.Open(info.file_path);
  return status.ok() ? Walk(&made, false) : Complain(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string command = argv[1];
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileReader reader(options);
  const rocksdb::Status status = reader.Open(argv[2]);
  if (!status.ok()) return Complain(status);
  if (command == "verify") {
    const rocksdb::Status found = reader.VerifyChecksum(ReadOptions());
    return found.ok() ? 0 : Complain(found);
  }
  if (command == "check") return Walk(&reader, false);
  if (command == "scan") return Walk(&reader, true);
  if (command == "properties") {
    return std::printf("%s\n",
                       reader.GetTableProperties()->ToString().c_str()) < 0;
  }
  if (command == "recompress" && argc == 5) {
    return Recompress(&reader, static_cast<uint32_t>(std::atoi(argv[3])),
                      std::atoi(argv[4]));
  }
  return 2;
}
