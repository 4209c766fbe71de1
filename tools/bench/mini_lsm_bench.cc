// mini_lsm_bench: times the flush of a memtable in mini_lsm, the example of a
// storage engine (tools/examples/mini_lsm), and in RocksDB.
//
//   mini_lsm_bench [--codecs=none,lz4,zstd] [--rounds=15]
//
// In each round both fill a new database with the same entries, in random
// order. Only the flush is timed: mini_lsm's Db::Flush and RocksDB's DB::Flush.
// Both write a table with a Bloom filter of 10 bits per key, blocks of 4 KiB
// and the same codec, and then their manifest. With --sync, both sync table,
// folder and manifest. Without, mini_lsm syncs nothing and RocksDB, which has
// no such option, runs on a folder in memory, where a sync costs nothing.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "third-party/gflags_lib.h"
#include "tools/bench/command_line.h"
#include "tools/bench/flush_load.h"
#include "tools/bench/rocksdb_library.h"
#include "tools/bench/rounds.h"
#include "tools/examples/mini_lsm/db.h"

DEFINE_string(codecs, "none,lz4,zstd", "comma-separated: none, lz4, zstd");
DEFINE_int32(rounds, 15, "rounds that count");
DEFINE_uint64(num, 380000, "entries: as many as a skip list of 64 MiB holds");
DEFINE_uint64(value_size, 100, "bytes of a value; a key has 16");
DEFINE_string(folder, "/dev/shm", "where the databases are made");
DEFINE_bool(sync, true, "whether mini_lsm syncs what it writes");
DEFINE_bool(keep_disturbed, false, "also count rounds that others disturbed");

namespace ashlar::bench {
namespace {

Status FlushMiniLsm(const FlushLoad& load, RunResult* result) {
  mini_lsm::Options options;
  options.write_buffer_size = size_t{1} << 30;  // flushes come when asked for
  options.sync_files = load.sync;
  options.table.compression =
      load.codec == "lz4"    ? CompressionType::kLZ4Compression
      : load.codec == "zstd" ? CompressionType::kZSTD
                             : CompressionType::kNoCompression;
  auto db = mini_lsm::Db::Open(load.folder, options);
  if (!db.ok()) return db.status();
  std::string value;
  for (uint64_t i = 0; i < load.num;) {
    mini_lsm::WriteBatch batch;
    for (const uint64_t end = i + 1000; i < load.num && i < end; ++i) {
      load.ValueOf(i, &value);
      batch.Put(load.KeyOf(i), value);
    }
    Status status = (*db)->Write(batch);
    if (!status.ok()) return status;
  }
  const Stopwatch stopwatch(Stopwatch::Load::kManyThreads);
  Status status = (*db)->Flush();
  result->measured = stopwatch.Stop();
  result->operations = load.num;
  for (const auto& file : std::filesystem::directory_iterator(load.folder)) {
    if (file.path().extension() == ".sst") {
      result->file_bytes += file.file_size();
    }
  }
  return status;
}

void RunMiniLsm(const FlushLoad& load, RunResult* result, std::string* error) {
  const Status status = FlushMiniLsm(load, result);
  *error = status.ok() ? "" : status.ToString();
}

// Runs one side in a folder of its own.
std::string RunIn(FlushLoad load, FlushFunction flush, RunResult* result) {
  load.folder = FLAGS_folder + "/mini_lsm_bench_XXXXXX";
  if (::mkdtemp(load.folder.data()) == nullptr) return "mkdtemp failed";
  std::string error;
  flush(load, result, &error);
  std::filesystem::remove_all(load.folder);
  return error;
}

void Print(const BenchmarkReport& report, const std::string& codec) {
  for (const auto& [engine, runs] : report.results) {
    const Spread seconds = SpreadOf(report.Seconds(engine));
    std::printf("%-5s %-9s %7.1f ms (%.1f to %.1f), table of %.1f MiB\n",
                codec.c_str(), engine.c_str(), seconds.median * 1e3,
                seconds.low * 1e3, seconds.high * 1e3,
                static_cast<double>(runs.front().file_bytes) / (1 << 20));
  }
  if (report.results.size() == 2) {
    const Spread ratio = report.TimesFaster("mini_lsm", "rocksdb");
    std::printf(
        "%-5s mini_lsm is %.2f times as fast (%.2f to %.2f), %d rounds"
        ", %d dropped\n",
        codec.c_str(), ratio.median, ratio.low, ratio.high, report.kept,
        report.dropped);
  }
}

int Main() {
  std::string why;
  const auto rocksdb_flush = reinterpret_cast<FlushFunction>(
      FindInRocksDbLibrary(kRocksDbFlush, 0, &why));
  if (rocksdb_flush == nullptr) {
    std::fprintf(stderr, "mini_lsm_bench: without RocksDB: %s\n", why.c_str());
  }
  for (const std::string& codec : Split(FLAGS_codecs)) {
    const FlushLoad load = {.num = FLAGS_num,
                            .value_size = FLAGS_value_size,
                            .codec = codec,
                            .folder = {},
                            .sync = FLAGS_sync};
    std::vector<Contestant> contestants;
    contestants.push_back({"mini_lsm", [&](RunResult* result) {
                             return RunIn(load, RunMiniLsm, result);
                           }});
    if (rocksdb_flush != nullptr) {
      contestants.push_back({"rocksdb", [&](RunResult* result) {
                               return RunIn(load, rocksdb_flush, result);
                             }});
    }
    std::string error;
    const BenchmarkReport report = RunRounds("flush", contestants, FLAGS_rounds,
                                             FLAGS_keep_disturbed, &error);
    if (!error.empty()) {
      std::fprintf(stderr, "mini_lsm_bench: %s\n", error.c_str());
      return 1;
    }
    Print(report, codec);
  }
  return 0;
}

}  // namespace
}  // namespace ashlar::bench

int main(int argc, char** argv) {
  ashlar::bench::ReadUnits(argc, argv);
  ashlar::bench::ParseFlags(
      "Times the flush of a memtable in mini_lsm and in RocksDB.", argc, argv);
  return ashlar::bench::Main();
}
