// rocksdb_ranges: range deletions and wide columns, exchanged with RocksDB.
//
//   rocksdb_ranges [<count> [<first seed>]]
//
// Each seed has random options.
//
// External files: RocksDB's SstFileWriter and ours get the same calls and must
// write identical files. We must read the rows back and find the file sound. A
// database that ingests our file must show the model's state, before and after
// a compaction. The same is done with files of range deletions alone, with each
// type of index.
//
// Versions: a database makes random writes, each under a snapshot, and flushes.
// In every snapshot, our Get and iterators must find in its table what the
// database finds. Then we write the same history up to some moment, with range
// deletions in their original order. The database imports that table and must
// show its state of that moment.
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <random>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/inspect.h"
#include "ashlar/table/table_reader.h"
#include "test/interop/compare_files.h"
#include "test/interop/one_family.h"
#include "test/interop/our_file.h"
#include "test/interop/sample_plans.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

using Random = std::mt19937_64;
using State = std::map<std::string, std::string>;

constexpr uint64_t kKeys = 60;

std::string DefaultColumn(const std::string& entity) {
  std::optional<WideColumn> column;
  static_cast<void>(FindDefaultColumn(entity, &column));
  return column ? column->value.ToString() : std::string();
}

std::string RandomEntity(Random* random) {
  const std::string a = std::to_string((*random)() % 1000);
  const std::string b(static_cast<size_t>((*random)() % 300), 'b');
  std::vector<WideColumn> columns = {{"name", a}, {"other", b}};
  if ((*random)() % 2 == 0) columns.push_back({"", a});
  std::string entity;
  static_cast<void>(EncodeWideColumns(columns, &entity));
  return entity;
}

Row RandomRange(Random* random) {
  uint64_t begin = (*random)() % kKeys;
  uint64_t end = (*random)() % (kKeys + 1);
  if (begin == end) ++end;
  if (begin > end) std::swap(begin, end);
  return {NumberedKey(begin), 0, ValueType::kTypeRangeDeletion,
          NumberedKey(end)};
}

Row RandomWrite(Random* random) {
  Row row{NumberedKey((*random)() % kKeys), 0, ValueType::kTypeValue, {}};
  const uint64_t draw = (*random)() % 12;
  if (draw == 0) return RandomRange(random);
  if (draw == 1) {
    row.type = ValueType::kTypeDeletion;
  } else if (draw <= 3) {
    row.type = ValueType::kTypeWideColumnEntity;
    row.value = RandomEntity(random);
  } else {
    if (draw <= 5) row.type = ValueType::kTypeMerge;
    row.value = "value" + std::to_string((*random)() % 100000);
  }
  return row;
}

// Applies one write to the state that a reader sees.
void Apply(const Row& row, State* state) {
  if (row.type == ValueType::kTypeRangeDeletion) {
    state->erase(state->lower_bound(row.user_key),
                 state->lower_bound(row.value));
  } else if (row.type == ValueType::kTypeDeletion) {
    state->erase(row.user_key);
  } else if (row.type == ValueType::kTypeWideColumnEntity) {
    (*state)[row.user_key] = DefaultColumn(row.value);
  } else if (row.type == ValueType::kTypeMerge) {
    const auto [at, first] = state->try_emplace(row.user_key, row.value);
    if (!first) at->second.append(",").append(row.value);
  } else {
    (*state)[row.user_key] = row.value;
  }
}

// Entries in key order, newest first, then range deletions in their old order.
std::vector<Row> InTableOrder(std::vector<Row> rows) {
  const auto ranges = std::stable_partition(
      rows.begin(), rows.end(),
      [](const Row& row) { return row.type != ValueType::kTypeRangeDeletion; });
  std::sort(rows.begin(), ranges, [](const Row& a, const Row& b) {
    const int order = Slice(a.user_key).compare(b.user_key);
    return order != 0 ? order < 0 : a.sequence > b.sequence;
  });
  return rows;
}

rocksdb::WideColumns TheirColumns(const std::string& entity) {
  std::vector<WideColumn> columns;
  static_cast<void>(DecodeWideColumns(entity, &columns));
  rocksdb::WideColumns theirs;
  for (const WideColumn& column : columns) {
    theirs.emplace_back(
        rocksdb::Slice(column.name.data(), column.name.size()),
        rocksdb::Slice(column.value.data(), column.value.size()));
  }
  return theirs;
}

// Reads the state that our reader shows in a snapshot, by Get of all keys.
Status StateByGet(const TableReader& reader, SequenceNumber snapshot,
                  State* state) {
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = NumberedKey(i);
    GetResult result;
    std::string operands;
    Status status = reader.Get({}, key, snapshot, &result,
                               [&](const Slice& operand, SequenceNumber) {
                                 operands = "," + operand.ToString() + operands;
                                 return true;
                               });
    if (!status.ok()) return status;
    const bool found = result.state == GetResult::State::kFound;
    if (found) {
      (*state)[key] = result.value.ToString() + operands;
    } else if (!operands.empty()) {
      (*state)[key] = operands.substr(1);
    }
  }
  return {};
}

// Same by an iterator: applies the visible entries from the oldest version on.
Status StateByIterator(const TableReader& reader, SequenceNumber snapshot,
                       State* state) {
  Iterator it = reader.NewIterator({.snapshot = snapshot});
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    Apply({it.user_key().ToString(), it.sequence(), it.type(),
           it.value().ToString()},
          state);
  }
  return it.status();
}

class Exchange {
 public:
  Exchange(std::string folder, OneFamily* db)
      : folder_(std::move(folder)), db_(*db) {}

  Status CheckExternal(const Plan& plan, const std::vector<Row>& rows);
  Status CheckVersions(const Plan& plan, Random* random);

 private:
  Status Write(const Row& row);
  Status CheckState(const State& state);
  Status CheckEntities(const std::vector<Row>& rows);
  Status CheckImport(const Plan& plan, const std::vector<Row>& history);

  const std::string folder_;
  OneFamily& db_;
};

Status Exchange::Write(const Row& row) {
  const rocksdb::WriteOptions options;
  rocksdb::Status status;
  if (row.type == ValueType::kTypeRangeDeletion) {
    status = db_->DeleteRange(options, db_.handle(), row.user_key, row.value);
  } else if (row.type == ValueType::kTypeDeletion) {
    status = db_->Delete(options, db_.handle(), row.user_key);
  } else if (row.type == ValueType::kTypeMerge) {
    status = db_->Merge(options, db_.handle(), row.user_key, row.value);
  } else if (row.type == ValueType::kTypeWideColumnEntity) {
    status = db_->PutEntity(options, db_.handle(), row.user_key,
                            TheirColumns(row.value));
  } else {
    status = db_->Put(options, db_.handle(), row.user_key, row.value);
  }
  return FromTheirs("write", status);
}

// Compares with Get and an iterator of the database.
Status Exchange::CheckState(const State& state) {
  State by_get;
  for (uint64_t i = 0; i < kKeys; ++i) {
    const std::string key = NumberedKey(i);
    std::string value;
    const rocksdb::Status status =
        db_->Get(rocksdb::ReadOptions(), db_.handle(), key, &value);
    if (status.ok()) {
      by_get[key] = value;
    } else if (!status.IsNotFound()) {
      return FromTheirs("Get", status);
    }
  }
  if (by_get != state) return Status::Corruption("RocksDB: other Gets");
  State by_iterator;
  rocksdb::ReadOptions whole;
  whole.total_order_seek = true;  // whatever the prefixes are
  const std::unique_ptr<rocksdb::Iterator> it(
      db_->NewIterator(whole, db_.handle()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    by_iterator[it->key().ToString()] = it->value().ToString();
  }
  if (by_iterator != state) return Status::Corruption("RocksDB: other rows");
  return FromTheirs("iterate", it->status());
}

// Compares all columns of the entities with what RocksDB decodes.
Status Exchange::CheckEntities(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    if (row.type != ValueType::kTypeWideColumnEntity) continue;
    rocksdb::PinnableWideColumns found;
    const rocksdb::Status status = db_->GetEntity(
        rocksdb::ReadOptions(), db_.handle(), row.user_key, &found);
    if (!status.ok()) return FromTheirs("GetEntity", status);
    if (found.columns() != TheirColumns(row.value)) {
      return Status::Corruption("RocksDB: other columns of " + row.user_key);
    }
  }
  return {};
}

Status WriteTheirs(const std::string& path, const Plan& plan,
                   const std::vector<Row>& rows) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), TheirOptions(plan));
  if (Status s = FromTheirs("open", writer.Open(path)); !s.ok()) return s;
  for (const Row& row : rows) {
    rocksdb::Status status;
    if (row.type == ValueType::kTypeRangeDeletion) {
      status = writer.DeleteRange(row.user_key, row.value);
    } else if (row.type == ValueType::kTypeDeletion) {
      status = writer.Delete(row.user_key);
    } else if (row.type == ValueType::kTypeMerge) {
      status = writer.Merge(row.user_key, row.value);
    } else if (row.type == ValueType::kTypeWideColumnEntity) {
      status = writer.PutEntity(row.user_key, TheirColumns(row.value));
    } else {
      status = writer.Put(row.user_key, row.value);
    }
    if (!status.ok()) return FromTheirs("add", status);
  }
  return FromTheirs("finish", writer.Finish());
}

// Returns rows with each key at most once, and sometimes no rows.
std::vector<Row> ExternalRows(Random* random) {
  std::map<std::string, Row> points;
  std::vector<Row> rows;
  for (uint64_t i = (*random)() % 4 == 0 ? 0 : 40; i > 0; --i) {
    Row row = RandomWrite(random);
    if (row.type == ValueType::kTypeRangeDeletion) continue;
    points[row.user_key] = std::move(row);
  }
  for (auto& [key, row] : points) rows.push_back(std::move(row));
  for (uint64_t i = (*random)() % 8 + (rows.empty() ? 1 : 0); i > 0; --i) {
    rows.push_back(RandomRange(random));
  }
  return rows;
}

// Checks that an inspection finds no fault in any block.
Status CheckSound(const std::string& path) {
  auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  TableInspection found;
  Status status = InspectTable(**file, {}, &found);
  if (!status.ok() || found.faults.empty()) return status;
  return found.faults[0].status.WithPrefix(path);
}

Status Exchange::CheckExternal(const Plan& plan, const std::vector<Row>& rows) {
  const std::string theirs = folder_ + "/theirs.sst";
  const std::string ours = folder_ + "/ours.sst";
  Status s = WriteTheirs(theirs, plan, rows);
  ByteCounts counts;
  if (s.ok()) s = CompareBytes(theirs, ours, plan, rows, &counts);
  if (!s.ok()) return s;
  for (const std::string& path : {theirs, ours}) {
    std::vector<Row> found;
    if (s = ReadWithOurs(path, &found); !s.ok()) return s;
    const std::string difference = DescribeDifference(rows, found);
    if (!difference.empty()) return Status::Corruption(path + difference);
    if (s = CheckSound(path); !s.ok()) return s;
  }
  if (s = db_.Create(plan); !s.ok()) return s;
  // Old values, some of which the file's range deletions remove.
  State state;
  for (uint64_t i = 0; i < kKeys; i += 2) {
    const Row old{NumberedKey(i), 0, ValueType::kTypeValue, "old"};
    if (s = Write(old); !s.ok()) return s;
    Apply(old, &state);
  }
  s = FromTheirs("ingest",
                 db_->IngestExternalFile(db_.handle(), {ours},
                                         rocksdb::IngestExternalFileOptions()));
  if (!s.ok()) return s;
  for (const Row& row : rows) {
    if (row.type == ValueType::kTypeRangeDeletion) Apply(row, &state);
  }
  for (const Row& row : rows) {
    if (row.type != ValueType::kTypeRangeDeletion) Apply(row, &state);
  }
  if (s = CheckState(state); !s.ok()) return s.WithPrefix("taken in");
  if (s = CheckEntities(rows); !s.ok()) return s;
  s = db_.Compact();
  if (s.ok()) s = CheckState(state);
  return s.WithPrefix("compacted");
}

Status Exchange::CheckVersions(const Plan& plan, Random* random) {
  Status s = db_.Create(plan);
  std::vector<Row> history;
  std::vector<State> states;
  State state;
  for (uint64_t i = 60 + (*random)() % 200; s.ok() && i > 0; --i) {
    Row row = RandomWrite(random);
    s = Write(row);
    Apply(row, &state);
    row.sequence = db_->GetLatestSequenceNumber();
    history.push_back(std::move(row));
    states.push_back(state);
    db_.TakeSnapshot();
  }
  if (s.ok()) s = CheckState(state);
  if (s.ok()) s = db_.Flush();
  std::string path;
  if (s.ok()) s = db_.OnlyTable(&path);
  if (!s.ok()) return s;
  auto reader = TableReader::Open(path);
  if (!reader.ok()) return reader.status();
  for (size_t i = 0; i < history.size(); ++i) {
    State by_get;
    State by_iterator;
    s = StateByGet(**reader, history[i].sequence, &by_get);
    if (s.ok()) {
      s = StateByIterator(**reader, history[i].sequence, &by_iterator);
    }
    if (!s.ok()) return s;
    if (by_get != states[i] || by_iterator != states[i]) {
      return Status::Corruption(
          path + ": Ashlar reads otherwise at sequence number " +
          std::to_string(history[i].sequence) +
          (by_get != states[i] ? " by Get" : " by an iterator"));
    }
  }
  for (int i = 0; s.ok() && i < 2; ++i) {
    const size_t moment = (*random)() % history.size();
    const auto begin = history.begin();
    const auto end = begin + static_cast<std::ptrdiff_t>(moment) + 1;
    s = CheckImport(plan, {begin, end});
  }
  return s;
}

// Imports our table of these writes into a new column family.
Status Exchange::CheckImport(const Plan& plan,
                             const std::vector<Row>& history) {
  const std::string path = folder_ + "/imported.sst";
  const std::vector<Row> rows = InTableOrder(history);
  Status s = WriteOurFile(path, plan.options, {}, false, rows);
  if (!s.ok()) return s;
  s = db_.Import(plan, path,
                 {MakeInternalKey(NumberedKey(0), kMaxSequenceNumber,
                                  ValueType::kTypeRangeDeletion),
                  MakeInternalKey(NumberedKey(kKeys + 1), kMaxSequenceNumber,
                                  ValueType::kTypeRangeDeletion),
                  history.front().sequence, history.back().sequence});
  State state;
  for (const Row& row : history) Apply(row, &state);
  if (s.ok()) s = CheckState(state);
  if (!s.ok()) return s.WithPrefix("imported");
  s = db_.Compact();
  if (s.ok()) s = CheckState(state);
  return s.WithPrefix("imported and compacted");
}

// Checks files with range deletions alone: each type of index, with a format
// version that depends on the seed.
Status CheckOnlyRanges(Exchange* exchange, uint64_t seed, Random* random) {
  constexpr const char* kVersions[] = {"fv2", "fv3",   "fv4",
                                       "fv5", "plain", "fv7"};
  constexpr const char* kIndexes[] = {"", "twolevel", "firstkey", "partfilter",
                                      "hashsearch"};
  const std::string version = kVersions[seed % std::size(kVersions)];
  Status status;
  for (const std::string index : kIndexes) {
    std::string name = version == "plain" ? index : version;
    if (version != "plain" && !index.empty()) name += "-" + index;
    Plan plan;
    if (!ParsePlan(name.empty() ? "plain" : name, &plan) || !IsPossible(plan)) {
      return Status::InvalidArgument("no plan is called " + name);
    }
    std::vector<Row> rows;
    for (uint64_t i = (*random)() % 8 + 1; i > 0; --i) {
      rows.push_back(RandomRange(random));
    }
    status = exchange->CheckExternal(plan, rows);
    if (!status.ok()) return status.WithPrefix("ranges only, " + plan.name);
  }
  return status;
}

Status CheckSeed(const std::string& folder, OneFamily* family, uint64_t seed) {
  Exchange exchange(folder, family);
  Random random(seed);
  Plan plan = RandomPlans(1, seed)[0];
  plan.shape = Shape::kRandom;
  Status status = exchange.CheckExternal(plan, ExternalRows(&random));
  if (!status.ok()) return status.WithPrefix(plan.name);
  status = CheckOnlyRanges(&exchange, seed, &random);
  if (!status.ok()) return status;
  plan.shape = Shape::kVersions;
  status = exchange.CheckVersions(plan, &random);
  return status.WithPrefix(plan.name);
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  return ashlar::interop::CheckSeeds(argc, argv, ashlar::interop::CheckSeed);
}
