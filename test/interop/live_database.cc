#include "test/interop/live_database.h"

#include <algorithm>
#include <utility>

#include "test/interop/one_family.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {

struct LiveDatabase::State {
  std::unique_ptr<OneFamily> db;

  Status PutOldValues(const std::vector<Row>& rows,
                      std::map<std::string, std::string>* state);
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

// Puts old values of every third key, and of every key that `rows` delete.
Status LiveDatabase::State::PutOldValues(
    const std::vector<Row>& rows, std::map<std::string, std::string>* state) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i % 3 != 0 && rows[i].type != ValueType::kTypeDeletion &&
        rows[i].type != ValueType::kTypeSingleDeletion) {
      continue;
    }
    (*state)[rows[i].user_key] = "old";
    const rocksdb::Status status = (*db)->Put(
        rocksdb::WriteOptions(), db->handle(), rows[i].user_key, "old");
    if (!status.ok()) return FromTheirs("put", status);
  }
  return {};
}

Status LiveDatabase::State::Write(const Row& row) {
  const rocksdb::WriteOptions options;
  rocksdb::ColumnFamilyHandle* const family = db->handle();
  rocksdb::Status status;
  if (row.type == ValueType::kTypeValue) {
    status = (*db)->Put(options, family, row.user_key, row.value);
  } else if (row.type == ValueType::kTypeMerge) {
    status = (*db)->Merge(options, family, row.user_key, row.value);
  } else if (row.type == ValueType::kTypeDeletion) {
    status = (*db)->Delete(options, family, row.user_key);
  } else {
    status = (*db)->SingleDelete(options, family, row.user_key);
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
      (*db)->NewIterator(rocksdb::ReadOptions(), db->handle()));
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
  const std::vector<rocksdb::ColumnFamilyHandle*> families(keys.size(),
                                                           db->handle());
  std::vector<std::string> values;
  const std::vector<rocksdb::Status> statuses = (*db)->MultiGet(
      rocksdb::ReadOptions(), families, TheirSlices(keys), &values);
  for (size_t i = 0; i < keys.size(); ++i) {
    std::string value;
    const rocksdb::Status status =
        (*db)->Get(rocksdb::ReadOptions(), db->handle(), keys[i], &value);
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
  status = db->Compact();
  if (status.ok()) status = CheckState(state, rows, absent);
  if (!status.ok()) return status.WithPrefix("compacted");
  return db->OnlyTable(compacted);
}

namespace {

std::string InternalKeyOf(const Row& row) {
  return MakeInternalKey(row.user_key, row.sequence, row.type);
}

}  // namespace

LiveDatabase::LiveDatabase(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
LiveDatabase::~LiveDatabase() = default;

Result<std::unique_ptr<LiveDatabase>> LiveDatabase::Open(
    const std::string& folder) {
  auto state = std::make_unique<State>();
  auto opened = OneFamily::Open(folder);
  if (!opened.ok()) return opened.status();
  state->db = std::move(opened).value();
  return std::unique_ptr<LiveDatabase>(new LiveDatabase(std::move(state)));
}

Status LiveDatabase::CheckIngested(const std::string& path, const Plan& plan,
                                   const std::vector<Row>& rows,
                                   const std::vector<std::string>& absent,
                                   std::string* compacted) {
  if (Status s = state_->db->Create(plan); !s.ok()) return s;
  std::map<std::string, std::string> state;
  if (Status s = state_->PutOldValues(rows, &state); !s.ok()) return s;
  rocksdb::IngestExternalFileOptions options;
  options.verify_checksums_before_ingest = true;
  const rocksdb::Status status =
      (*state_->db)->IngestExternalFile(state_->db->handle(), {path}, options);
  if (!status.ok()) return FromTheirs("ingest", status);
  return state_->CheckThroughCompaction(VisibleState(rows, std::move(state)),
                                        rows, absent, compacted);
}

Status LiveDatabase::CheckImported(const std::string& path, const Plan& plan,
                                   const std::vector<Row>& rows,
                                   const std::vector<std::string>& absent,
                                   std::string* compacted) {
  FileBounds bounds;
  bounds.smallest = InternalKeyOf(rows.front());
  bounds.largest = InternalKeyOf(rows.back());
  for (const Row& row : rows) {
    bounds.smallest_seqno = std::min(bounds.smallest_seqno, row.sequence);
    bounds.largest_seqno = std::max(bounds.largest_seqno, row.sequence);
  }
  Status s = state_->db->Import(plan, path, bounds);
  if (!s.ok()) return s;
  return state_->CheckThroughCompaction(VisibleState(rows), rows, absent,
                                        compacted);
}

Status LiveDatabase::MakeVersions(const Plan& plan, std::vector<Row>* rows,
                                  std::string* flushed) {
  if (Status s = state_->db->Create(plan); !s.ok()) return s;
  std::vector<Row*> writes;
  for (Row& row : *rows) writes.push_back(&row);
  std::sort(writes.begin(), writes.end(), [](const Row* a, const Row* b) {
    return a->sequence < b->sequence;
  });
  for (Row* row : writes) {
    if (Status s = state_->Write(*row); !s.ok()) return s;
    row->sequence = (*state_->db)->GetLatestSequenceNumber();
    state_->db->TakeSnapshot();
  }
  if (Status s = state_->db->Flush(); !s.ok()) return s;
  return state_->db->OnlyTable(flushed);
}

Status LiveDatabase::CompactVersions(std::string* compacted) {
  state_->db->ReleaseHalf();
  if (Status s = state_->db->Compact(); !s.ok()) return s;
  return state_->db->OnlyTable(compacted);
}

}  // namespace ashlar::interop
