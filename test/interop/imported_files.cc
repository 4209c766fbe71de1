#include "test/interop/imported_files.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>
#include <rocksdb/wide_columns.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/table_reader.h"
#include "test/interop/one_family.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

std::string ColumnsText(const rocksdb::WideColumns& columns) {
  std::string text;
  for (const rocksdb::WideColumn& column : columns) {
    text += " " + column.name().ToString() + ":" +
            column.value().ToString().substr(0, 40) + "(" +
            std::to_string(column.value().size()) + ")";
  }
  return text;
}

Status AddGets(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
               const rocksdb::ReadOptions& options, const AllReads& reads,
               std::string* text) {
  for (const std::string& key : reads.keys) {
    if (reads.not_got.contains(key)) continue;
    rocksdb::PinnableWideColumns columns;
    const rocksdb::Status status =
        db->GetEntity(options, family, key, &columns);
    if (status.IsNotFound()) continue;
    if (!status.ok()) return FromTheirs("get", status);
    *text += "  get " + key + ColumnsText(columns.columns()) + "\n";
  }
  return {};
}

Status AddWalk(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
               const rocksdb::ReadOptions& options,
               const std::vector<std::string>& keys, std::string* text) {
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(options, family));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const std::string key = it->key().ToString();
    if (!std::binary_search(keys.begin(), keys.end(), key)) continue;
    *text += "  walk " + key + ColumnsText(it->columns()) + "\n";
  }
  return FromTheirs("walk", it->status());
}

rocksdb::ExportImportFilesMetaData MetadataOf(
    const std::vector<CompactedFile>& files) {
  rocksdb::ExportImportFilesMetaData metadata;
  metadata.db_comparator_name = rocksdb::BytewiseComparator()->Name();
  for (const CompactedFile& file : files) {
    metadata.files.push_back(
        FileToImport(file.path, file.level,
                     {file.smallest, file.largest, file.smallest_seqno,
                      file.largest_seqno}));
  }
  return metadata;
}

Status CheckReads(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family,
                  const AllReads& reads, const std::string& expected,
                  const char* when) {
  const Result<std::string> text = ReadAll(db, family, reads);
  if (!text.ok()) return text.status();
  if (*text == expected) return {};
  return Status::Corruption(std::string(when) + ", RocksDB reads:\n" + *text +
                            "before the compaction it read:\n" + expected);
}

Status CompactAll(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  return FromTheirs("compact imported files",
                    db->CompactRange(options, family, nullptr, nullptr));
}

bool Covers(const RangeDeletion& range, const Slice& key) {
  return !(key < range.begin) && key < range.end;
}

// Returns whether versions of the last key of `file`, which is a merge operand,
// go on in the file behind it.
bool EndsAboveBase(const CompactedFile& file, const CompactedFile& behind) {
  return file.level > 0 && file.level == behind.level &&
         TypeOf(file.largest) == ValueType::kTypeMerge &&
         UserKeyOf(file.largest) == UserKeyOf(behind.smallest);
}

}  // namespace

Result<std::set<std::string>> KeysThatGetMisreads(
    std::vector<CompactedFile> files) {
  std::sort(files.begin(), files.end(),
            [](const CompactedFile& a, const CompactedFile& b) {
              if (a.level != b.level) return a.level < b.level;
              return CompareInternalKeys(BytewiseComparator(), a.smallest,
                                         b.smallest) < 0;
            });
  std::set<std::string> keys;
  for (size_t i = 0; i + 1 < files.size(); ++i) {
    if (!EndsAboveBase(files[i], files[i + 1])) continue;
    const Slice key = UserKeyOf(files[i].largest);
    const auto reader = TableReader::Open(files[i].path);
    if (!reader.ok()) return reader.status();
    for (const RangeDeletion& each : (*reader)->RangeDeletions()) {
      if (Covers(each, key)) keys.insert(key.ToString());
    }
  }
  return keys;
}

Result<std::string> ReadAll(rocksdb::DB* db,
                            rocksdb::ColumnFamilyHandle* family,
                            const AllReads& reads) {
  std::string text;
  std::vector<const rocksdb::Snapshot*> snapshots = reads.snapshots;
  snapshots.push_back(nullptr);
  for (const rocksdb::Snapshot* snapshot : snapshots) {
    text += snapshot == nullptr
                ? std::string("now\n")
                : "at " + std::to_string(snapshot->GetSequenceNumber()) + "\n";
    rocksdb::ReadOptions options;
    options.snapshot = snapshot;
    Status status = AddGets(db, family, options, reads, &text);
    if (status.ok()) status = AddWalk(db, family, options, reads.keys, &text);
    if (!status.ok()) return status;
  }
  return text;
}

Status CheckImported(rocksdb::DB* db, const rocksdb::Options& options,
                     const std::vector<CompactedFile>& files,
                     const AllReads& reads, const std::string& expected) {
  rocksdb::ColumnFamilyHandle* family = nullptr;
  Status status = FromTheirs(
      "import", db->CreateColumnFamilyWithImport(
                    options, "imported", rocksdb::ImportColumnFamilyOptions(),
                    MetadataOf(files), &family));
  if (!status.ok()) return status;
  status = CheckReads(db, family, reads, expected, "imported");
  if (status.ok()) status = CompactAll(db, family);
  if (status.ok()) {
    status = CheckReads(db, family, reads, expected, "compacted on");
  }
  db->DropColumnFamily(family).PermitUncheckedError();
  db->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  return status;
}

}  // namespace ashlar::interop
