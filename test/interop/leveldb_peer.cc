#include "test/interop/leveldb_peer.h"

#include <leveldb/comparator.h>
#include <leveldb/db.h>
#include <leveldb/env.h>
#include <leveldb/filter_policy.h>
#include <leveldb/table.h>
#include <leveldb/table_builder.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "test/interop/plan_fields.h"

namespace ashlar::interop {

namespace {

Status FromLevelDb(const std::string& what, const leveldb::Status& status) {
  if (status.ok()) return {};
  return Status::Corruption("LevelDB: " + what + ": " + status.ToString());
}

leveldb::Slice UserKeyPart(const leveldb::Slice& key) {
  return {key.data(), key.size() - sizeof(uint64_t)};
}

class InternalOrder final : public leveldb::Comparator {
 public:
  const char* Name() const override { return "test.InternalOrder"; }
  int Compare(const leveldb::Slice& a, const leveldb::Slice& b) const override {
    const int order = UserKeyPart(a).compare(UserKeyPart(b));
    if (order != 0) return order;
    const uint64_t tail_a = TailOf(Slice(a.data(), a.size()));
    const uint64_t tail_b = TailOf(Slice(b.data(), b.size()));
    return tail_a > tail_b ? -1 : tail_a < tail_b ? 1 : 0;
  }
  void FindShortestSeparator(std::string* start,
                             const leveldb::Slice& limit) const override {
    const std::string before = UserKeyPart(*start).ToString();
    std::string user_key = before;
    leveldb::BytewiseComparator()->FindShortestSeparator(&user_key,
                                                         UserKeyPart(limit));
    Shorten(before, user_key, start);
  }
  void FindShortSuccessor(std::string* key) const override {
    const std::string before = UserKeyPart(*key).ToString();
    std::string user_key = before;
    leveldb::BytewiseComparator()->FindShortSuccessor(&user_key);
    Shorten(before, user_key, key);
  }

 private:
  // The internal key sorts before all entries of the new user key.
  static void Shorten(const std::string& before, const std::string& after,
                      std::string* key) {
    if (after.size() >= before.size() || before >= after) return;
    *key = MakeInternalKey(after, kMaxSequenceNumber, ValueType::kTypeValue);
  }
};

class UserKeyFilter final : public leveldb::FilterPolicy {
 public:
  explicit UserKeyFilter(int bits)
      : bloom_(leveldb::NewBloomFilterPolicy(bits)) {}
  const char* Name() const override { return bloom_->Name(); }
  void CreateFilter(const leveldb::Slice* keys, int n,
                    std::string* filter) const override {
    std::vector<leveldb::Slice> user_keys;
    user_keys.reserve(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i) user_keys.push_back(UserKeyPart(keys[i]));
    bloom_->CreateFilter(user_keys.data(), n, filter);
  }
  bool KeyMayMatch(const leveldb::Slice& key,
                   const leveldb::Slice& filter) const override {
    return bloom_->KeyMayMatch(UserKeyPart(key), filter);
  }

 private:
  const std::unique_ptr<const leveldb::FilterPolicy> bloom_;
};

leveldb::Options OptionsOf(const LevelDbPlan& plan) {
  leveldb::Options options;
  options.block_size = plan.block_size;
  options.block_restart_interval = plan.restart_interval;
  options.compression =
      plan.snappy ? leveldb::kSnappyCompression : leveldb::kNoCompression;
  options.paranoid_checks = true;
  return options;
}

const leveldb::Comparator* TheInternalOrder() {
  static const InternalOrder order;
  return &order;
}

Row RowAt(const leveldb::Iterator& at) {
  const Slice key(at.key().data(), at.key().size());
  return {UserKeyOf(key).ToString(), SequenceOf(key), TypeOf(key),
          at.value().ToString()};
}

// An open table.
struct OpenTable {
  std::unique_ptr<leveldb::RandomAccessFile> file;
  std::unique_ptr<leveldb::Table> table;
  std::unique_ptr<leveldb::Iterator> iterator;
};

Status OpenWithLevelDb(const std::string& path, OpenTable* open) {
  leveldb::Env* const env = leveldb::Env::Default();
  uint64_t size = 0;
  leveldb::RandomAccessFile* file = nullptr;
  leveldb::Status status = env->GetFileSize(path, &size);
  if (status.ok()) status = env->NewRandomAccessFile(path, &file);
  if (!status.ok()) return FromLevelDb("open file", status);
  open->file.reset(file);
  leveldb::Options options;
  options.comparator = TheInternalOrder();
  options.paranoid_checks = true;
  leveldb::Table* table = nullptr;
  status = leveldb::Table::Open(options, file, size, &table);
  if (!status.ok()) return FromLevelDb("open table", status);
  open->table.reset(table);
  leveldb::ReadOptions read;
  read.verify_checksums = true;
  open->iterator.reset(table->NewIterator(read));
  return {};
}

std::string ShapeLabel(Shape shape) {
  for (const PlanField& field : PlanFields()) {
    if (field.name == "shape") {
      return std::string(field.Label(static_cast<size_t>(shape)));
    }
  }
  return "unknown";
}

Status OnlyTable(const std::string& folder, std::string* path) {
  path->clear();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".ldb") continue;
    if (!path->empty()) return Status::Corruption("LevelDB: two tables");
    *path = entry.path();
  }
  return path->empty() ? Status::Corruption("LevelDB: no table") : Status();
}

}  // namespace

std::string LevelDbPlan::Name() const {
  return "b" + std::to_string(block_size) + "_r" +
         std::to_string(restart_interval) + (snappy ? "_snappy" : "_none") +
         "_bits" + std::to_string(bloom_bits) + "_" + ShapeLabel(shape);
}

uint64_t LevelDbPlan::Seed() const {
  uint64_t seed = static_cast<uint64_t>(shape);
  for (const uint64_t field :
       {uint64_t{block_size}, static_cast<uint64_t>(restart_interval),
        static_cast<uint64_t>(bloom_bits), uint64_t{snappy}}) {
    seed = (seed + field + 1) * 0x9E3779B97F4A7C15;
  }
  return seed;
}

std::vector<Row> LevelDbRows(const LevelDbPlan& plan) {
  std::vector<Row> rows = MakeRows(plan.shape, plan.Seed());
  for (Row& row : rows) {
    if (row.type == ValueType::kTypeSingleDeletion) {
      row.type = ValueType::kTypeDeletion;
    } else if (row.type != ValueType::kTypeDeletion) {
      row.type = ValueType::kTypeValue;
    }
  }
  return rows;
}

Status WriteLevelDbTable(const std::string& path, const LevelDbPlan& plan,
                         const std::vector<Row>& rows) {
  leveldb::WritableFile* opened = nullptr;
  leveldb::Status status =
      leveldb::Env::Default()->NewWritableFile(path, &opened);
  if (!status.ok()) return FromLevelDb("create", status);
  const std::unique_ptr<leveldb::WritableFile> file(opened);
  const UserKeyFilter filter(plan.bloom_bits);
  leveldb::Options options = OptionsOf(plan);
  options.comparator = TheInternalOrder();
  if (plan.bloom_bits > 0) options.filter_policy = &filter;
  leveldb::TableBuilder builder(options, file.get());
  for (const Row& row : rows) {
    builder.Add(MakeInternalKey(row.user_key, row.sequence, row.type),
                row.value);
  }
  status = builder.Finish();
  if (status.ok()) status = file->Close();
  return FromLevelDb("finish", status);
}

Status ReadWithLevelDb(const std::string& path, std::vector<Row>* rows) {
  OpenTable open;
  if (Status s = OpenWithLevelDb(path, &open); !s.ok()) return s;
  leveldb::Iterator& at = *open.iterator;
  for (at.SeekToFirst(); at.Valid(); at.Next()) rows->push_back(RowAt(at));
  if (!at.status().ok()) return FromLevelDb("iterate", at.status());
  std::vector<Row> backward;
  for (at.SeekToLast(); at.Valid(); at.Prev()) backward.push_back(RowAt(at));
  std::reverse(backward.begin(), backward.end());
  if (backward != *rows) return Status::Corruption("LevelDB: other rows back");
  return FromLevelDb("iterate back", at.status());
}

Status SeekWithLevelDb(const std::string& path,
                       const std::vector<LevelDbQuestion>& questions,
                       std::vector<std::optional<Row>>* answers) {
  OpenTable open;
  if (Status s = OpenWithLevelDb(path, &open); !s.ok()) return s;
  leveldb::Iterator& at = *open.iterator;
  for (const LevelDbQuestion& question : questions) {
    at.Seek(MakeInternalKey(question.user_key, question.snapshot,
                            ValueType::kTypeValue));
    if (!at.status().ok()) return FromLevelDb("seek", at.status());
    answers->emplace_back();
    if (at.Valid() && UserKeyPart(at.key()) == question.user_key) {
      answers->back() = RowAt(at);
    }
  }
  return {};
}

Status MakeLevelDbDatabase(const std::string& folder, const LevelDbPlan& plan,
                           const std::vector<Row>& rows, std::string* path) {
  const std::unique_ptr<const leveldb::FilterPolicy> bloom(
      leveldb::NewBloomFilterPolicy(plan.bloom_bits));
  leveldb::Options options = OptionsOf(plan);
  options.create_if_missing = true;
  options.error_if_exists = true;
  if (plan.bloom_bits > 0) options.filter_policy = bloom.get();
  leveldb::DB* opened = nullptr;
  leveldb::Status status = leveldb::DB::Open(options, folder, &opened);
  if (!status.ok()) return FromLevelDb("open database", status);
  const std::unique_ptr<leveldb::DB> db(opened);

  std::vector<const Row*> writes;
  writes.reserve(rows.size());
  for (const Row& row : rows) writes.push_back(&row);
  std::sort(writes.begin(), writes.end(), [](const Row* a, const Row* b) {
    return a->sequence < b->sequence;
  });
  std::vector<const leveldb::Snapshot*> snapshots = {db->GetSnapshot()};
  const leveldb::WriteOptions write;
  for (const Row* row : writes) {
    status = row->type == ValueType::kTypeValue
                 ? db->Put(write, row->user_key, row->value)
                 : db->Delete(write, row->user_key);
    if (!status.ok()) break;
    snapshots.push_back(db->GetSnapshot());
  }
  db->CompactRange(nullptr, nullptr);
  for (const leveldb::Snapshot* snapshot : snapshots) {
    db->ReleaseSnapshot(snapshot);
  }
  if (!status.ok()) return FromLevelDb("write", status);
  return OnlyTable(folder, path);
}

}  // namespace ashlar::interop
