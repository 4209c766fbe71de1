// rocksdb_timed_ranges: range deletions of keys with timestamps, exchanged with
// RocksDB.
//
//   rocksdb_timed_ranges [<count> [<first seed>]]
//
// Each seed has random options.
//
// External files, with timestamps written or stripped: RocksDB's SstFileWriter
// and ours get the same calls and must write identical files, and we read the
// rows back.
//
// Versions: a database makes random writes, each at a newer timestamp, and
// flushes. At every timestamp, our Get and iterators must find in its table
// what the database finds. Then we write the same history. The database imports
// that table and must show the same, before and after a compaction.
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <random>

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

constexpr uint64_t kKeys = 40;

// Returns a write at timestamp `ts`. In reverse order, a range begins at the
// larger key.
Row RandomWrite(uint64_t ts, bool reverse, Random* random) {
  const std::string stamp = EncodeU64Ts(ts);
  Row row{
      NumberedKey((*random)() % kKeys) + stamp, 0, ValueType::kTypeValue, {}};
  const uint64_t draw = (*random)() % 8;
  if (draw == 0) {
    uint64_t begin = (*random)() % kKeys;
    uint64_t end = (*random)() % (kKeys + 1);
    if (begin == end) ++end;
    if ((begin > end) != reverse) std::swap(begin, end);
    return {NumberedKey(begin) + stamp, 0, ValueType::kTypeRangeDeletion,
            NumberedKey(end) + stamp};
  }
  if (draw <= 2) {
    row.type = ValueType::kTypeDeletionWithTimestamp;
  } else {
    row.value = "value" + std::to_string(ts);
  }
  return row;
}

std::string Bare(const std::string& user_key) {
  return user_key.substr(0, user_key.size() - sizeof(uint64_t));
}
std::string StampOf(const std::string& user_key) {
  return user_key.substr(user_key.size() - sizeof(uint64_t));
}

// Applies one write to the state that a reader sees.
void Apply(const Row& row, State* state) {
  if (row.type == ValueType::kTypeRangeDeletion) {
    std::string low = Bare(row.user_key);
    std::string high = Bare(row.value);
    const bool reverse = low > high;
    if (reverse) std::swap(low, high);
    // In reverse order, the begin is the larger key, and it is deleted.
    state->erase(reverse ? state->upper_bound(low) : state->lower_bound(low),
                 reverse ? state->upper_bound(high) : state->lower_bound(high));
  } else if (row.type == ValueType::kTypeValue) {
    (*state)[Bare(row.user_key)] = row.value;
  } else {
    state->erase(Bare(row.user_key));
  }
}

std::vector<Row> InTableOrder(std::vector<Row> rows,
                              const Comparator& comparator) {
  const auto ranges = std::stable_partition(
      rows.begin(), rows.end(),
      [](const Row& row) { return row.type != ValueType::kTypeRangeDeletion; });
  std::sort(rows.begin(), ranges, [&](const Row& a, const Row& b) {
    return comparator.Compare(a.user_key, b.user_key) < 0;
  });
  return rows;
}

Status Differs(const std::string& what, uint64_t ts) {
  return Status::Corruption(what + " at timestamp " + std::to_string(ts));
}

// Compares with Get and an iterator of our reader, at a timestamp.
Status CheckOurs(const TableReader& reader, uint64_t ts, const State& state) {
  const std::string stamp = EncodeU64Ts(ts);
  ReadOptions options;
  options.timestamp = stamp;
  State by_get;
  for (uint64_t i = 0; i < kKeys; ++i) {
    GetResult result;
    Status s = reader.Get(options, NumberedKey(i), kMaxSequenceNumber, &result);
    if (!s.ok()) return s;
    if (result.state == GetResult::State::kFound) {
      by_get[NumberedKey(i)] = result.value.ToString();
    }
  }
  if (by_get != state) return Differs("our Gets differ", ts);
  State by_iterator;
  Iterator it = reader.NewIterator(options);
  // From the oldest version of a key to its newest.
  for (it.SeekToLast(); it.Valid(); it.Prev()) {
    const std::string key = Bare(it.user_key().ToString());
    by_iterator.erase(key);
    if (it.type() == ValueType::kTypeValue) {
      by_iterator[key] = it.value().ToString();
    }
  }
  if (!it.status().ok()) return it.status();
  return by_iterator == state ? Status() : Differs("our iterators differ", ts);
}

class Exchange {
 public:
  Exchange(std::string folder, OneFamily* db)
      : folder_(std::move(folder)), db_(*db) {}

  Status CheckExternal(const Plan& plan, Random* random) const;
  Status CheckVersions(const Plan& plan, Random* random);

 private:
  Status Write(const Row& row);
  Status CheckTheirs(uint64_t ts, const State& state);
  Status CheckImport(const Plan& plan, const std::vector<Row>& history,
                     const std::vector<State>& states);

  const std::string folder_;
  OneFamily& db_;
};

Status Exchange::Write(const Row& row) {
  const rocksdb::WriteOptions options;
  const std::string key = Bare(row.user_key);
  const std::string stamp = StampOf(row.user_key);
  if (row.type == ValueType::kTypeRangeDeletion) {
    return FromTheirs("write", db_->DeleteRange(options, db_.handle(), key,
                                                Bare(row.value), stamp));
  }
  return FromTheirs("write",
                    row.type == ValueType::kTypeValue
                        ? db_->Put(options, db_.handle(), key, stamp, row.value)
                        : db_->Delete(options, db_.handle(), key, stamp));
}

Status Exchange::CheckTheirs(uint64_t ts, const State& state) {
  const std::string encoded = EncodeU64Ts(ts);
  const rocksdb::Slice stamp = encoded;
  rocksdb::ReadOptions options;
  options.timestamp = &stamp;
  options.total_order_seek = true;
  State by_get;
  for (uint64_t i = 0; i < kKeys; ++i) {
    std::string value;
    const rocksdb::Status s =
        db_->Get(options, db_.handle(), NumberedKey(i), &value);
    if (s.ok()) by_get[NumberedKey(i)] = value;
    if (!s.ok() && !s.IsNotFound()) return FromTheirs("Get", s);
  }
  if (by_get != state) return Differs("RocksDB: other Gets", ts);
  State by_iterator;
  const std::unique_ptr<rocksdb::Iterator> it(
      db_->NewIterator(options, db_.handle()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    by_iterator[it->key().ToString()] = it->value().ToString();
  }
  if (!it->status().ok()) return FromTheirs("iterate", it->status());
  return by_iterator == state ? Status() : Differs("RocksDB: other rows", ts);
}

Status WriteTheirs(const std::string& path, const Plan& plan,
                   const std::vector<Row>& rows) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), TheirOptions(plan));
  if (Status s = FromTheirs("open", writer.Open(path)); !s.ok()) return s;
  for (const Row& row : rows) {
    const std::string key = Bare(row.user_key);
    const std::string stamp = StampOf(row.user_key);
    rocksdb::Status status;
    if (row.type == ValueType::kTypeRangeDeletion) {
      status = writer.DeleteRange(key, Bare(row.value), stamp);
    } else {
      status = row.type == ValueType::kTypeValue
                   ? writer.Put(key, stamp, row.value)
                   : writer.Delete(key, stamp);
    }
    if (!status.ok()) return FromTheirs("add", status);
  }
  return FromTheirs("finish", writer.Finish());
}

bool IsReverse(const Plan& plan) {
  return plan.options.comparator == ReverseBytewiseComparatorWithU64Ts();
}

// Each key has a few timestamps, or only the oldest. Sometimes there are no
// rows.
Status Exchange::CheckExternal(const Plan& plan, Random* random) const {
  const bool stripped = !plan.options.persist_user_defined_timestamps;
  std::map<std::string, Row> points;
  std::vector<Row> rows;
  for (uint64_t i = (*random)() % 4 == 0 ? 0 : 150; i > 0; --i) {
    Row row =
        RandomWrite(stripped ? 0 : (*random)() % 9, IsReverse(plan), random);
    if (row.type == ValueType::kTypeRangeDeletion) {
      rows.push_back(std::move(row));
    } else {
      points[row.user_key] = std::move(row);
    }
  }
  const std::string stamp = EncodeU64Ts(0);
  if (rows.empty()) {
    const uint64_t first = IsReverse(plan) ? 9 : 1;
    rows.push_back({NumberedKey(first) + stamp, 0,
                    ValueType::kTypeRangeDeletion,
                    NumberedKey(10 - first) + stamp});
  }
  for (auto& [key, row] : points) rows.push_back(std::move(row));
  rows = InTableOrder(std::move(rows), *plan.options.comparator);
  const std::string theirs = folder_ + "/theirs.sst";
  Status s = WriteTheirs(theirs, plan, rows);
  ByteCounts counts;
  if (s.ok()) {
    s = CompareBytes(theirs, folder_ + "/ours.sst", plan, rows, &counts);
  }
  std::vector<Row> found;
  if (s.ok()) s = ReadWithOurs(theirs, &found);
  if (!s.ok()) return s;
  const std::string difference = DescribeDifference(rows, found);
  return difference.empty() ? Status() : Status::Corruption(difference);
}

Status Exchange::CheckVersions(const Plan& plan, Random* random) {
  Status s = db_.Create(plan);
  std::vector<Row> history;
  std::vector<State> states(1);
  for (uint64_t ts = 1; s.ok() && ts <= 150; ++ts) {
    Row row = RandomWrite(ts, IsReverse(plan), random);
    s = Write(row);
    states.push_back(states.back());
    Apply(row, &states.back());
    row.sequence = db_->GetLatestSequenceNumber();
    history.push_back(std::move(row));
  }
  if (s.ok()) s = db_.Flush();
  std::string path;
  if (s.ok()) s = db_.OnlyTable(&path);
  if (!s.ok()) return s;
  auto reader = TableReader::Open(path);
  if (!reader.ok()) return reader.status();
  for (uint64_t ts = 0; ts < states.size(); ++ts) {
    if (s = CheckTheirs(ts, states[ts]); !s.ok()) return s;
    if (s = CheckOurs(**reader, ts, states[ts]); !s.ok()) return s;
  }
  return CheckImport(plan, history, states);
}

// Imports our table of these writes into a new column family.
Status Exchange::CheckImport(const Plan& plan, const std::vector<Row>& history,
                             const std::vector<State>& states) {
  const std::string path = folder_ + "/imported.sst";
  const std::vector<Row> rows = InTableOrder(history, *plan.options.comparator);
  Status s = WriteOurFile(path, plan.options, {}, false, rows);
  if (!s.ok()) return s;
  // Bounds outside all keys. Of equal keys, the newest timestamp comes first.
  const std::string newest(sizeof(uint64_t), '\xff');
  const std::string oldest(sizeof(uint64_t), '\0');
  const char* const first = IsReverse(plan) ? "kez" : "kex";
  const char* const last = IsReverse(plan) ? "kex" : "kez";
  s = db_.Import(plan, path,
                 {MakeInternalKey(first + newest, kMaxSequenceNumber,
                                  ValueType::kTypeRangeDeletion),
                  MakeInternalKey(last + oldest, kMaxSequenceNumber,
                                  ValueType::kTypeRangeDeletion),
                  history.front().sequence, history.back().sequence});
  for (uint64_t ts = 0; s.ok() && ts < states.size(); ts += 3) {
    s = CheckTheirs(ts, states[ts]).WithPrefix("imported");
  }
  if (s.ok()) s = db_.Compact();
  for (uint64_t ts = 0; s.ok() && ts < states.size(); ts += 3) {
    s = CheckTheirs(ts, states[ts]).WithPrefix("imported and compacted");
  }
  return s;
}

// A random plan with an order of keys that has timestamps. Every other plan has
// partitioned filters.
Plan PlanFor(uint64_t seed, Random* random) {
  Plan plan = RandomPlans(1, seed, [seed](const Plan& candidate) {
    const TableOptions& options = candidate.options;
    const bool in_parts = options.partition_filters && candidate.HasFilter() &&
                          options.format_version >= 5;
    return options.index_type != IndexType::kHashSearch &&
           (seed % 2 == 0 || in_parts);
  })[0];
  plan.options.comparator = (*random)() % 3 == 0
                                ? ReverseBytewiseComparatorWithU64Ts()
                                : BytewiseComparatorWithU64Ts();
  // Older formats have another kind of filter.
  if (plan.options.format_version < 5) {
    plan.options.filter = FilterType::kNone;
  }
  return plan;
}

Status CheckSeed(const std::string& folder, OneFamily* family, uint64_t seed) {
  Exchange exchange(folder, family);
  Random random(seed);
  Plan plan = PlanFor(seed, &random);
  plan.shape = Shape::kRandom;
  Status status = exchange.CheckExternal(plan, &random).WithPrefix("external");
  Plan stripped = plan;
  stripped.options.persist_user_defined_timestamps = false;
  if (status.ok()) {
    status = exchange.CheckExternal(stripped, &random).WithPrefix("stripped");
  }
  plan.shape = Shape::kVersions;
  if (status.ok()) status = exchange.CheckVersions(plan, &random);
  return status.WithPrefix(plan.name);
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  return ashlar::interop::CheckSeeds(argc, argv, ashlar::interop::CheckSeed);
}
