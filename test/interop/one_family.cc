#include "test/interop/one_family.h"

#include <rocksdb/metadata.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "test/interop/their_options.h"
#include "test/support/folder.h"

namespace ashlar::interop {

Result<std::unique_ptr<OneFamily>> OneFamily::Open(const std::string& folder) {
  std::unique_ptr<rocksdb::DB> db;
  const rocksdb::Status status =
      rocksdb::DB::Open(TheirOptions(Plan()), folder, &db);
  if (!status.ok()) return FromTheirs("open database", status);
  return std::unique_ptr<OneFamily>(new OneFamily(std::move(db)));
}

Status OneFamily::Create(const Plan& plan) {
  Drop();
  return FromTheirs(
      "create column family",
      db_->CreateColumnFamily(TheirOptions(plan), "plan", &handle_));
}

rocksdb::LiveFileMetaData FileToImport(const std::string& path, int level,
                                       const FileBounds& bounds) {
  const std::filesystem::path file(path);
  rocksdb::LiveFileMetaData table;
  table.level = level;
  table.name = "/" + file.filename().string();
  table.db_path = file.parent_path().string();
  table.size = std::filesystem::file_size(file);
  table.smallest = bounds.smallest;
  table.largest = bounds.largest;
  table.smallestkey = UserKeyOf(bounds.smallest).ToString();
  table.largestkey = UserKeyOf(bounds.largest).ToString();
  table.smallest_seqno = bounds.smallest_seqno;
  table.largest_seqno = bounds.largest_seqno;
  return table;
}

Status OneFamily::Import(const Plan& plan, const std::string& path,
                         const FileBounds& bounds) {
  Drop();
  rocksdb::ExportImportFilesMetaData metadata;
  metadata.db_comparator_name = std::string(plan.options.comparator->Name());
  metadata.files.push_back(FileToImport(path, 1, bounds));
  return FromTheirs(
      "import", db_->CreateColumnFamilyWithImport(
                    TheirOptions(plan), "plan",
                    rocksdb::ImportColumnFamilyOptions(), metadata, &handle_));
}

void OneFamily::Drop() {
  ReleaseFirst(snapshots_.size());
  if (handle_ == nullptr) return;
  db_->DropColumnFamily(handle_).PermitUncheckedError();
  db_->DestroyColumnFamilyHandle(handle_).PermitUncheckedError();
  handle_ = nullptr;
}

void OneFamily::ReleaseFirst(size_t count) {
  const auto end = snapshots_.begin() + static_cast<std::ptrdiff_t>(count);
  for (auto at = snapshots_.begin(); at != end; ++at) db_->ReleaseSnapshot(*at);
  snapshots_.erase(snapshots_.begin(), end);
}

void OneFamily::ReleaseHalf() { ReleaseFirst(snapshots_.size() / 2); }

Status OneFamily::Flush() {
  return FromTheirs("flush", db_->Flush(rocksdb::FlushOptions(), handle_));
}

Status OneFamily::Compact() {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  return FromTheirs("compact",
                    db_->CompactRange(options, handle_, nullptr, nullptr));
}

Status OneFamily::OnlyTable(std::string* path) const {
  rocksdb::ColumnFamilyMetaData metadata;
  db_->GetColumnFamilyMetaData(handle_, &metadata);
  path->clear();
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (!path->empty()) return Status::Corruption("RocksDB: two tables");
      *path = file.directory + "/" + file.relative_filename;
    }
  }
  return {};
}

int CheckSeeds(int argc, char** argv, const SeedCheck& check) {
  const auto number = [&](int i, uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  const uint64_t count = number(1, 40);
  const uint64_t first = number(2, 1);
  const testing::TestFolder folder;
  const auto family = OneFamily::Open(folder / "db");
  if (!family.ok()) {
    std::fprintf(stderr, "%s\n", family.status().ToString().c_str());
    return 1;
  }
  uint64_t failures = 0;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Status status = check(folder.path(), family->get(), seed);
    if (status.ok()) continue;
    ++failures;
    std::printf("FAILED seed %ju, %s\n", uintmax_t{seed},
                status.ToString().c_str());
  }
  std::printf("%ju seeds, %ju failed\n", uintmax_t{count}, uintmax_t{failures});
  return failures == 0 ? 0 : 1;
}

}  // namespace ashlar::interop
