#include "test/interop/live_database.h"

#include <rocksdb/db.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "test/interop/their_options.h"

namespace ashlar::interop {

struct LiveDatabase::State {
  std::unique_ptr<rocksdb::DB> db;
  // Of the last call.
  rocksdb::ColumnFamilyHandle* family = nullptr;
  std::vector<const rocksdb::Snapshot*> snapshots;

  ~State() { DropFamily(); }
  void DropFamily();
  Status CreateFamily(const Plan& plan);
  Status PutOldValues(const std::vector<Row>& rows,
                      std::map<std::string, std::string>* state);
  Status Compact();
  Status OnlyTable(std::string* path) const;
  Status Write(const Row& row);
  Status CheckState(const std::map<std::string, std::string>& state,
                    const std::vector<Row>& rows,
                    const std::vector<std::string>& absent);
  Status CheckIterators(const std::map<std::string, std::string>& state);
  Status CheckThroughCompaction(const std::map<std::string, std::string>& state,
                                const std::vector<Row>& rows,
                                const std::vector<std::string>& absent,
                                std::string* compacted);
};

void LiveDatabase::State::DropFamily() {
  for (const rocksdb::Snapshot* snapshot : snapshots) {
    db->ReleaseSnapshot(snapshot);
  }
  snapshots.clear();
  if (family == nullptr) return;
  db->DropColumnFamily(family).PermitUncheckedError();
  db->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  family = nullptr;
}

Status LiveDatabase::State::CreateFamily(const Plan& plan) {
  DropFamily();
  return FromTheirs(
      "create column family",
      db->CreateColumnFamily(TheirOptions(plan), "plan", &family));
}

// For every third key, and for every key that `rows` delete.
Status LiveDatabase::State::PutOldValues(
    const std::vector<Row>& rows, std::map<std::string, std::string>* state) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i % 3 != 0 && rows[i].type != ValueType::kTypeDeletion &&
        rows[i].type != ValueType::kTypeSingleDeletion) {
      continue;
    }
    (*state)[rows[i].user_key] = "old";
    const rocksdb::Status status =
        db->Put(rocksdb::WriteOptions(), family, rows[i].user_key, "old");
    if (!status.ok()) return FromTheirs("put", status);
  }
  return {};
}

Status LiveDatabase::State::Compact() {
  rocksdb::CompactRangeOptions options;
  options.bottommost_level_compaction =
      rocksdb::BottommostLevelCompaction::kForce;
  return FromTheirs("compact",
                    db->CompactRange(options, family, nullptr, nullptr));
}

Status LiveDatabase::State::OnlyTable(std::string* path) const {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(family, &metadata);
  path->clear();
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      if (!path->empty()) return Status::Corruption("RocksDB: two tables");
      *path = file.directory + "/" + file.relative_filename;
    }
  }
  return {};
}

Status LiveDatabase::State::Write(const Row& row) {
  const rocksdb::WriteOptions options;
  rocksdb::Status status;
  if (row.type == ValueType::kTypeValue) {
    status = db->Put(options, family, row.user_key, row.value);
  } else if (row.type == ValueType::kTypeMerge) {
    status = db->Merge(options, family, row.user_key, row.value);
  } else if (row.type == ValueType::kTypeDeletion) {
    status = db->Delete(options, family, row.user_key);
  } else {
    status = db->SingleDelete(options, family, row.user_key);
  }
  return FromTheirs("write", status);
}

Status LiveDatabase::State::CheckIterators(
    const std::map<std::string, std::string>& state) {
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  Pairs expected(state.begin(), state.end());
  Pairs found;
  const auto take = [&found](const rocksdb::Iterator& iterator) {
    found.emplace_back(iterator.key().ToString(), iterator.value().ToString());
  };
  const std::unique_ptr<rocksdb::Iterator> iterator(
      db->NewIterator(rocksdb::ReadOptions(), family));
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    take(*iterator);
  }
  if (found != expected) return Status::Corruption("RocksDB: other rows");
  found.clear();
  for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
    take(*iterator);
  }
  std::reverse(found.begin(), found.end());
  if (found != expected) return Status::Corruption("RocksDB: other rows back");
  return FromTheirs("iterate", iterator->status());
}

Status LiveDatabase::State::CheckState(
    const std::map<std::string, std::string>& state,
    const std::vector<Row>& rows, const std::vector<std::string>& absent) {
  if (Status s = CheckIterators(state); !s.ok()) return s;
  std::vector<std::string> keys = absent;
  for (const Row& row : rows) keys.push_back(row.user_key);
  const std::vector<rocksdb::ColumnFamilyHandle*> families(keys.size(), family);
  std::vector<std::string> values;
  const std::vector<rocksdb::Status> statuses = db->MultiGet(
      rocksdb::ReadOptions(), families, TheirSlices(keys), &values);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::string value;
    const rocksdb::Status status =
        db->Get(rocksdb::ReadOptions(), family, keys[i], &value);
    const auto wanted = state.find(keys[i]);
    const bool right = wanted == state.end()
                           ? status.IsNotFound() && statuses[i].IsNotFound()
                           : status.ok() && statuses[i].ok() &&
                                 value == wanted->second &&
                                 values[i] == wanted->second;
    if (!right) {
      return Status::Corruption("RocksDB: Get or MultiGet of 0x" +
                                ToHex(keys[i]) + ": " + status.ToString());
    }
  }
  return {};
}

Status LiveDatabase::State::CheckThroughCompaction(
    const std::map<std::string, std::string>& state,
    const std::vector<Row>& rows, const std::vector<std::string>& absent,
    std::string* compacted) {
  Status status = CheckState(state, rows, absent);
  if (!status.ok()) return status.WithPrefix("taken in");
  status = Compact();
  if (status.ok()) status = CheckState(state, rows, absent);
  if (!status.ok()) return status.WithPrefix("compacted");
  return OnlyTable(compacted);
}

LiveDatabase::LiveDatabase(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
LiveDatabase::~LiveDatabase() = default;

Result<std::unique_ptr<LiveDatabase>> LiveDatabase::Open(
    const std::string& folder) {
  auto state = std::make_unique<State>();
  const rocksdb::Status status =
      rocksdb::DB::Open(TheirOptions(Plan()), folder, &state->db);
  if (!status.ok()) return FromTheirs("open database", status);
  return std::unique_ptr<LiveDatabase>(new LiveDatabase(std::move(state)));
}

Status LiveDatabase::CheckIngested(const std::string& path, const Plan& plan,
                                   const std::vector<Row>& rows,
                                   const std::vector<std::string>& absent,
                                   std::string* compacted) {
  if (Status s = state_->CreateFamily(plan); !s.ok()) return s;
  std::map<std::string, std::string> state;
  if (Status s = state_->PutOldValues(rows, &state); !s.ok()) return s;
  rocksdb::IngestExternalFileOptions options;
  options.verify_checksums_before_ingest = true;
  const rocksdb::Status status =
      state_->db->IngestExternalFile(state_->family, {path}, options);
  if (!status.ok()) return FromTheirs("ingest", status);
  return state_->CheckThroughCompaction(VisibleState(rows, std::move(state)),
                                        rows, absent, compacted);
}

Status LiveDatabase::CheckImported(const std::string& path, const Plan& plan,
                                   const std::vector<Row>& rows,
                                   const std::vector<std::string>& absent,
                                   std::string* compacted) {
  state_->DropFamily();
  const std::filesystem::path file(path);
  rocksdb::LiveFileMetaData table;
  table.column_family_name = "plan";
  table.level = 1;
  table.name = "/" + file.filename().string();
  table.db_path = file.parent_path().string();
  table.size = std::filesystem::file_size(file);
  table.smallestkey = rows.front().user_key;
  table.largestkey = rows.back().user_key;
  table.smallest = MakeInternalKey(rows.front().user_key, rows.front().sequence,
                                   rows.front().type);
  table.largest = MakeInternalKey(rows.back().user_key, rows.back().sequence,
                                  rows.back().type);
  table.smallest_seqno = rows.front().sequence;
  for (const Row& row : rows) {
    table.smallest_seqno = std::min(table.smallest_seqno, row.sequence);
    table.largest_seqno = std::max(table.largest_seqno, row.sequence);
  }
  rocksdb::ExportImportFilesMetaData metadata;
  metadata.db_comparator_name = rocksdb::BytewiseComparator()->Name();
  metadata.files.push_back(table);
  const rocksdb::Status status = state_->db->CreateColumnFamilyWithImport(
      TheirOptions(plan), "plan", rocksdb::ImportColumnFamilyOptions(),
      metadata, &state_->family);
  if (!status.ok()) return FromTheirs("import", status);
  return state_->CheckThroughCompaction(VisibleState(rows), rows, absent,
                                        compacted);
}

Status LiveDatabase::MakeVersions(const Plan& plan, std::vector<Row>* rows,
                                  std::string* flushed) {
  if (Status s = state_->CreateFamily(plan); !s.ok()) return s;
  std::vector<Row*> writes;
  for (Row& row : *rows) writes.push_back(&row);
  std::sort(writes.begin(), writes.end(), [](const Row* a, const Row* b) {
    return a->sequence < b->sequence;
  });
  for (Row* row : writes) {
    if (Status s = state_->Write(*row); !s.ok()) return s;
    row->sequence = state_->db->GetLatestSequenceNumber();
    state_->snapshots.push_back(state_->db->GetSnapshot());
  }
  const rocksdb::Status status =
      state_->db->Flush(rocksdb::FlushOptions(), state_->family);
  if (!status.ok()) return FromTheirs("flush", status);
  return state_->OnlyTable(flushed);
}

Status LiveDatabase::CompactVersions(std::string* compacted) {
  std::vector<const rocksdb::Snapshot*>& snapshots = state_->snapshots;
  const auto half =
      snapshots.begin() + static_cast<std::ptrdiff_t>(snapshots.size() / 2);
  for (auto at = snapshots.begin(); at != half; ++at) {
    state_->db->ReleaseSnapshot(*at);
  }
  snapshots.erase(snapshots.begin(), half);
  if (Status s = state_->Compact(); !s.ok()) return s;
  return state_->OnlyTable(compacted);
}

}  // namespace ashlar::interop
