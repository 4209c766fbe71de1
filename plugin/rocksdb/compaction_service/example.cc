// An example of a database whose compactions workers run:
//
//   ashlar_compaction_example --queue=http://127.0.0.1:8080 /tmp/example-db
//
// Writes 300,000 entries into a new database, compacts them, reads all, and
// prints who has run the compactions. `make rocksdb-compaction-demo` starts it
// with a server and two workers.
#include <rocksdb/db.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "compaction_service.h"
#include "folder_queue.h"
#include "http_queue.h"

namespace {

constexpr uint64_t kEntries = 300'000;

int Fail(const std::string& what) {
  std::fprintf(stderr, "ashlar_compaction_example: %s\n", what.c_str());
  return 1;
}

std::string KeyOf(uint64_t i) {
  // An odd factor: each key once, in an order that is far from sorted.
  std::string key = std::to_string(i * 0x9E3779B97F4A7C15);
  return std::string(20 - key.size(), '0') + key;
}

rocksdb::Status WriteAll(rocksdb::DB* db) {
  for (uint64_t i = 0; i < kEntries; ++i) {
    rocksdb::Status status =
        db->Put({}, KeyOf(i), "value " + std::to_string(i));
    if (!status.ok()) return status;
  }
  return db->CompactRange({}, nullptr, nullptr);
}

// Returns how many entries there are.
rocksdb::Status CountAll(rocksdb::DB* db, uint64_t* entries) {
  *entries = 0;
  const std::unique_ptr<rocksdb::Iterator> walk(db->NewIterator({}));
  for (walk->SeekToFirst(); walk->Valid(); walk->Next()) ++*entries;
  return walk->status();
}

void Print(const ashlar_rocksdb::CompactionServiceCounts& counts) {
  std::printf(
      "%ju jobs: %ju by Ashlar's library, %ju by a worker's RocksDB, %ju left "
      "to the database\n",
      static_cast<uintmax_t>(counts.scheduled),
      static_cast<uintmax_t>(counts.by_library),
      static_cast<uintmax_t>(counts.by_rocksdb),
      static_cast<uintmax_t>(counts.local));
  for (const auto& [reason, times] : counts.local_reasons) {
    std::printf("  %ju left: %s\n", static_cast<uintmax_t>(times),
                reason.c_str());
  }
}

int Run(std::shared_ptr<ashlar_rocksdb::JobQueue> queue,
        const std::string& path) {
  const auto service =
      ashlar_rocksdb::NewAshlarCompactionService({.queue = std::move(queue)});
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  options.write_buffer_size = 1 << 20;
  options.target_file_size_base = 1 << 20;
  options.max_bytes_for_level_base = 4 << 20;
  options.max_subcompactions = 2;
  options.compaction_service = service;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status status = rocksdb::DB::Open(options, path, &db);
  uint64_t entries = 0;
  if (status.ok()) status = WriteAll(db.get());
  if (status.ok()) status = CountAll(db.get(), &entries);
  if (status.ok()) status = db->VerifyChecksum();
  if (!status.ok()) return Fail(status.ToString());
  Print(service->Counts());
  if (entries != kEntries) return Fail(std::to_string(entries) + " entries");
  std::printf("all %ju entries are there\n", static_cast<uintmax_t>(entries));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string where = argc == 3 ? argv[1] : "";
  const std::string value = where.substr(where.find('=') + 1);
  const bool is_folder = where.starts_with("--folder=");
  if (!is_folder && !where.starts_with("--queue=")) {
    return Fail("give --folder=DIR or --queue=URL, and the new database");
  }
  auto queue = is_folder ? ashlar_rocksdb::OpenFolderQueue(
                               std::filesystem::absolute(value).string())
                         : ashlar_rocksdb::OpenHttpQueue(value);
  if (!queue.ok()) return Fail(queue.status().ToString());
  return Run(std::move(*queue), std::filesystem::absolute(argv[2]).string());
}
