// rocksdb_tool: does with RocksDB's library what programs of ours do.
//
//   rocksdb_tool build <rows> <table> <codec>
//   rocksdb_tool recompress <table> <parallel_threads> <level>
//
// For the scripts in tools/bench, where RocksDB has no program that does the
// same. `build` does what `ashlar build` does: it reads lines of key, TAB and
// value, in order and without escapes, and passes them to an SstFileWriter
// whose options are our defaults. `recompress` builds the table in memory, as
// sst_dump does, with zstd and blocks of 16 KiB. It then reads the table, which
// is sst_dump's `Read usec`.
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/options.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>
#include <rocksdb/table.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
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

int Walk(rocksdb::SstFileReader* reader) {
  const std::unique_ptr<rocksdb::Iterator> it(
      reader->NewIterator(ReadOptions()));
  uint64_t entries = 0;
  for (it->SeekToFirst(); it->Valid(); it->Next()) ++entries;
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
  return status.ok() ? Walk(&made) : Complain(status);
}

// Returns the defaults of `ashlar build`: those of RocksDB, and a Bloom filter.
rocksdb::Options BuildOptions(rocksdb::CompressionType codec) {
  rocksdb::Options options;
  options.compression = codec;
  rocksdb::BlockBasedTableOptions table;
  table.block_size = 4096;
  table.format_version = 6;
  table.checksum = rocksdb::kXXH3;
  table.optimize_filters_for_memory = false;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10, false));
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return options;
}

int Build(const std::string& rows, const std::string& path,
          rocksdb::CompressionType codec) {
  std::ifstream in(rows, std::ios::binary);
  if (!in) return Complain(rocksdb::Status::IOError("cannot read " + rows));
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), BuildOptions(codec));
  rocksdb::Status status = writer.Open(path);
  std::string line;
  while (status.ok() && std::getline(in, line)) {
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      return Complain(rocksdb::Status::InvalidArgument("no TAB", line));
    }
    const rocksdb::Slice row(line);
    status =
        writer.Put(rocksdb::Slice(row.data(), tab),
                   rocksdb::Slice(row.data() + tab + 1, row.size() - tab - 1));
  }
  if (status.ok()) status = writer.Finish();
  return status.ok() ? 0 : Complain(status);
}

int RecompressFile(const std::string& path, uint32_t threads, int level) {
  rocksdb::Options options;
  rocksdb::BlockBasedTableOptions table;
  table.no_block_cache = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  rocksdb::SstFileReader reader(options);
  const rocksdb::Status status = reader.Open(path);
  return status.ok() ? Recompress(&reader, threads, level) : Complain(status);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "build" && argc == 5) {
    const std::string codec = argv[4];
    if (codec == "none")
      return Build(argv[2], argv[3], rocksdb::kNoCompression);
    if (codec == "zstd") return Build(argv[2], argv[3], rocksdb::kZSTD);
  }
  if (command == "recompress" && argc == 5) {
    return RecompressFile(argv[2], static_cast<uint32_t>(std::atoi(argv[3])),
                          std::atoi(argv[4]));
  }
  std::fputs(
      "usage: rocksdb_tool build <rows> <table> none|zstd\n"
      "       rocksdb_tool recompress <table> <parallel_threads> <level>\n",
      stderr);
  return 2;
}
