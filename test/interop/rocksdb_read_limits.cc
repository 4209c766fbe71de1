// rocksdb_read_limits: options that limit reads, compared with RocksDB on the
// same tables.
//
//   rocksdb_read_limits [<count> [<first seed>]]
//
// For each seed we write a table with random options. RocksDB's SstFileReader
// and our reader, each with a block cache, make the same reads, some of them
// with kBlockCacheTier or with a deadline that has passed: which keys are
// found, absent, Incomplete or TimedOut must agree. Gets of a database without
// a cache, and ours of its table, must ask a rate limiter for as many bytes. A
// database looks up sorted batches with value_size_soft_limit, and gives merge
// operands: as its table does, when we read it.
#include <rocksdb/rate_limiter.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/table.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ashlar/cache/cache_options.h"
#include "ashlar/table/table_reader.h"
#include "test/interop/one_family.h"
#include "test/interop/our_file.h"
#include "test/interop/sample_plans.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

using Random = std::mt19937_64;
using std::chrono::microseconds;

constexpr uint64_t kKeys = 500;

std::vector<Row> UniqueRows(const Comparator& order, Random* random) {
  std::set<std::string> keys;
  for (uint64_t n = 1 + (*random)() % 300; n > 0; --n) {
    keys.insert(NumberedKey((*random)() % kKeys));
  }
  std::vector<Row> rows;
  for (const std::string& key : keys) {
    rows.push_back({key, 1 + (*random)() % 100, ValueType::kTypeValue,
                    std::string((*random)() % 120, 'v') + key});
  }
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return order.Compare(a.user_key, b.user_key) < 0;
  });
  return rows;
}

// Readers in which a data block is in the cache exactly if a read brought it
// there, and nothing else is.
struct BothReaders {
  Status Open(const std::string& path, const Plan& plan) {
    rocksdb::Options their_options = TheirReadOptions(plan);
    auto* const table = their_options.table_factory
                            ->GetOptions<rocksdb::BlockBasedTableOptions>();
    table->no_block_cache = false;
    table->block_cache = rocksdb::NewLRUCache(8 << 20);
    theirs = std::make_unique<rocksdb::SstFileReader>(their_options);
    Status status = FromTheirs("open", theirs->Open(path));
    if (!status.ok()) return status;
    ReaderOptions options;
    options.comparator = plan.options.comparator;
    options.load_index_and_filter = LoadTime::kAtOpen;
    options.block_cache =
        std::move(NewLruCache({.capacity = size_t{8} << 20})).value();
    auto opened = TableReader::Open(path, options);
    if (!opened.ok()) return opened.status();
    ours = std::move(opened).value();
    return {};
  }

  std::unique_ptr<TableReader> ours;
  std::unique_ptr<rocksdb::SstFileReader> theirs;
};

Plan SimplePlan(Random* random) {
  Plan plan = RandomPlans(1, (*random)())[0];
  plan.shape = Shape::kVersions;
  plan.options.prefix_extractor = nullptr;
  // RocksDB keeps partitions in the block cache whatever the options say.
  plan.options.index_type = IndexType::kBinarySearch;
  plan.options.partition_filters = false;
  return plan;
}

bool IsUsable(const Plan& plan) {
  return plan.options.comparator->timestamp_size() == 0 && IsPossible(plan);
}

// "found ...", "absent", or the code.
std::string Told(const Status& status, const GetResult& result) {
  if (!status.ok()) return std::string(StatusCodeName(status.code()));
  return result.state == GetResult::State::kFound
             ? "found " + result.value.ToString()
             : "absent";
}
std::string Told(const rocksdb::Status& status, const std::string& value) {
  if (status.ok()) return "found " + value;
  if (status.IsNotFound()) return "absent";
  if (status.IsIncomplete()) return "Incomplete";
  if (status.IsTimedOut()) return "Timed out";
  if (status.IsAborted()) return "Aborted";
  return status.ToString();
}

Status Compare(const std::string& what, const std::string& theirs,
               const std::string& ours) {
  if (theirs == ours) return {};
  return Status::Corruption(what + ": RocksDB: " + theirs +
                            "; Ashlar: " + ours);
}

// One Get of both, in memory alone, with a passed deadline, or without limits.
Status CheckOneGet(const BothReaders& readers, const std::string& key,
                   uint64_t way) {
  rocksdb::ReadOptions their_options;
  ReadOptions options;
  if (way == 0) {
    their_options.read_tier = rocksdb::kBlockCacheTier;
    options.read_tier = ReadTier::kBlockCacheTier;
  } else if (way == 1) {
    their_options.deadline = options.deadline = microseconds(1);
  } else if (way == 2) {
    // Far in the future.
    their_options.deadline = options.deadline =
        microseconds(int64_t{4'000'000'000} * 1'000'000);
    their_options.io_timeout = options.io_timeout = microseconds(1'000'000);
  }
  std::string value;
  const rocksdb::Status their_status =
      readers.theirs->Get(their_options, key, &value);
  GetResult result;
  const Status our_status =
      readers.ours->Get(options, key, kMaxSequenceNumber, &result);
  const std::string ours = Told(our_status, result);
  // For an absent key RocksDB may need one block more.
  if (ours == "absent" &&
      (their_status.IsIncomplete() || their_status.IsTimedOut())) {
    return {};
  }
  return Compare("Get of " + key + " in way " + std::to_string(way),
                 Told(their_status, value), ours);
}

// A seek and a few steps in memory alone.
Status CheckOneWalk(const BothReaders& readers, const std::string& key,
                    bool forward) {
  rocksdb::ReadOptions their_options;
  their_options.read_tier = rocksdb::kBlockCacheTier;
  their_options.total_order_seek = true;
  ReadOptions options;
  options.read_tier = ReadTier::kBlockCacheTier;
  const std::unique_ptr<rocksdb::Iterator> theirs(
      readers.theirs->NewIterator(their_options));
  Iterator ours = readers.ours->NewIterator(options);
  theirs->Seek(key);
  ours.Seek(key);
  const auto at = [&] {
    return Compare(
        "walk from " + key,
        theirs->Valid() ? theirs->key().ToString() : Told(theirs->status(), ""),
        ours.Valid()
            ? ours.user_key().ToString()
            : (ours.status().ok()
                   ? "found "
                   : std::string(StatusCodeName(ours.status().code()))));
  };
  Status status = at();
  for (int i = 0; i < 30 && status.ok() && ours.Valid(); ++i) {
    forward ? theirs->Next() : theirs->Prev();
    forward ? ours.Next() : ours.Prev();
    // Walking backward, RocksDB looks at one entry more than it shows.
    if (!forward && theirs->status().IsIncomplete()) break;
    status = at();
  }
  return status;
}

Status CheckTiers(const std::string& folder, Random* random) {
  const Plan plan = SimplePlan(random);
  if (!IsUsable(plan)) return {};
  const std::string path = folder + "/limits.sst";
  const std::vector<Row> rows = UniqueRows(*plan.options.comparator, random);
  Status status = WriteOurFile(path, plan.options, {}, false, rows);
  BothReaders readers;
  if (status.ok()) status = readers.Open(path, plan);
  for (int i = 0; i < 60 && status.ok(); ++i) {
    const uint64_t way = (*random)() % 5;
    // What may bring blocks to the cache asks for keys that are there.
    const std::string key = way == 2 || way == 3
                                ? rows[(*random)() % rows.size()].user_key
                                : NumberedKey((*random)() % (kKeys + 5));
    status = way == 4 ? CheckOneWalk(readers, key, (*random)() % 2 == 0)
                      : CheckOneGet(readers, key, way);
  }
  return status.WithPrefix("tiers, " + plan.name);
}

// SstFileReader does not ask a limiter, so this takes a database. It has no
// block cache.
Status OpenLimited(const std::string& folder, const Plan& plan,
                   std::unique_ptr<rocksdb::DB>* db) {
  rocksdb::Options options = TheirOptions(plan);
  Status status = FromTheirs("destroy", rocksdb::DestroyDB(folder, options));
  if (!status.ok()) return status;
  options.create_if_missing = true;
  options.rate_limiter.reset(
      rocksdb::NewGenericRateLimiter(int64_t{1} << 40, 100 * 1000, 10,
                                     rocksdb::RateLimiter::Mode::kReadsOnly));
  auto* const table =
      options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  table->no_block_cache = true;
  table->block_cache = nullptr;
  return FromTheirs("open", rocksdb::DB::Open(options, folder, db));
}

Status FillLimited(rocksdb::DB* db, Random* random, std::string* path,
                   std::vector<std::string>* keys) {
  Status status;
  for (uint64_t n = 1 + (*random)() % 300; n > 0 && status.ok(); --n) {
    keys->push_back(NumberedKey((*random)() % kKeys));
    status = FromTheirs("put", db->Put(rocksdb::WriteOptions(), keys->back(),
                                       std::string((*random)() % 120, 'v')));
  }
  if (status.ok()) {
    status = FromTheirs("flush", db->Flush(rocksdb::FlushOptions()));
  }
  std::vector<rocksdb::LiveFileMetaData> files;
  db->GetLiveFilesMetaData(&files);
  if (status.ok() && files.size() != 1) {
    return Status::Corruption("not one table");
  }
  if (status.ok()) *path = files[0].db_path + files[0].name;
  return status;
}

using Totals = std::vector<int64_t>;

template <typename Priority, typename Limiter>
Totals TotalsOf(const Limiter& limiter) {
  Totals totals(5);
  for (size_t i = 0; i < totals.size(); ++i) {
    totals[i] = static_cast<int64_t>(
        limiter.GetTotalBytesThrough(static_cast<Priority>(i)));
  }
  return totals;
}

// `before`: what a flush of RocksDB has read.
Status CompareTotals(const Totals& before, const Totals& theirs,
                     const Totals& ours) {
  Status status;
  for (size_t i = 0; i < ours.size() && status.ok(); ++i) {
    status =
        Compare("bytes of priority " + std::to_string(i),
                std::to_string(theirs[i] - before[i]), std::to_string(ours[i]));
  }
  return status;
}

Status CheckLimiter(const std::string& folder, Random* random) {
  const Plan plan = SimplePlan(random);
  if (!IsUsable(plan)) return {};
  std::unique_ptr<rocksdb::DB> db;
  std::string path;
  std::vector<std::string> keys;
  Status status = OpenLimited(folder + "/limited", plan, &db);
  if (status.ok()) status = FillLimited(db.get(), random, &path, &keys);
  if (!status.ok()) return status.WithPrefix(plan.name);
  ReaderOptions reader_options;
  reader_options.comparator = plan.options.comparator;
  reader_options.load_index_and_filter = LoadTime::kAtOpen;
  const auto limiter =
      NewGenericRateLimiter({.rate_bytes_per_sec = uint64_t{1} << 40,
                             .mode = RateLimiter::Mode::kReadsOnly});
  reader_options.rate_limiter = limiter;
  const auto their_limiter = db->GetOptions().rate_limiter;
  const Totals before = TotalsOf<rocksdb::Env::IOPriority>(*their_limiter);
  auto reader = TableReader::Open(path, reader_options);
  if (!reader.ok()) return reader.status();
  for (int i = 0; i < 20 && status.ok(); ++i) {
    // For an absent key RocksDB may read one block more.
    const std::string& key = keys[(*random)() % keys.size()];
    rocksdb::ReadOptions their_options;
    ReadOptions options;
    const uint64_t priority = (*random)() % 5;
    their_options.rate_limiter_priority =
        static_cast<rocksdb::Env::IOPriority>(priority);
    options.rate_limiter_priority = static_cast<IoPriority>(priority);
    std::string value;
    const rocksdb::Status got = db->Get(their_options, key, &value);
    GetResult result;
    const Status our_status =
        (*reader)->Get(options, key, kMaxSequenceNumber, &result);
    status = Compare("Get", Told(got, value), Told(our_status, result));
  }
  if (status.ok()) {
    status = CompareTotals(before,
                           TotalsOf<rocksdb::Env::IOPriority>(*their_limiter),
                           TotalsOf<IoPriority>(*limiter));
  }
  return status.WithPrefix("limiter, " + plan.name);
}

// RocksDB gives up absent keys of the same batch too, also those before the
// key that exceeds the limit.
Status CompareLimited(const std::vector<std::string>& keys,
                      const std::vector<std::string>& theirs,
                      const std::vector<std::string>& ours) {
  Status status;
  for (size_t i = 0; i < keys.size() && status.ok(); ++i) {
    if (theirs[i] == "Aborted" && ours[i] == "absent") continue;
    status = Compare("key " + keys[i], theirs[i], ours[i]);
  }
  return status;
}

Status CheckValueSizes(OneFamily& db, const TableReader& reader,
                       const Comparator& order, Random* random) {
  std::set<std::string> some;
  for (uint64_t n = 1 + (*random)() % 32; n > 0; --n) {
    some.insert(NumberedKey((*random)() % kKeys));
  }
  std::vector<std::string> keys(some.begin(), some.end());
  std::sort(keys.begin(), keys.end(), [&](const auto& a, const auto& b) {
    return order.Compare(a, b) < 0;
  });
  rocksdb::ReadOptions their_options;
  ReadOptions options;
  their_options.value_size_soft_limit = options.value_size_soft_limit =
      (*random)() % 1500;
  // Once a batch's deadline has passed, all its keys are TimedOut.
  const bool late = (*random)() % 8 == 0;
  if (late) their_options.deadline = options.deadline = microseconds(1);
  const std::vector<rocksdb::Slice> slices = TheirSlices(keys);
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> their_statuses(keys.size());
  db->MultiGet(their_options, db.handle(), keys.size(), slices.data(),
               values.data(), their_statuses.data());
  const std::vector<Slice> our_keys(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  reader.MultiGet(options, our_keys, kMaxSequenceNumber, results, statuses);
  std::vector<std::string> theirs;
  std::vector<std::string> ours;
  for (size_t i = 0; i < keys.size(); ++i) {
    theirs.push_back(Told(their_statuses[i], values[i].ToString()));
    ours.push_back(Told(statuses[i], results[i]));
  }
  return CompareLimited(keys, theirs, ours)
      .WithPrefix("limit " + std::to_string(options.value_size_soft_limit));
}

Status CheckOperands(OneFamily& db, const TableReader& reader,
                     const std::string& key) {
  std::vector<rocksdb::PinnableSlice> theirs(64);
  rocksdb::GetMergeOperandsOptions limits;
  limits.expected_max_number_of_operands = static_cast<int>(theirs.size());
  int num_theirs = 0;
  const rocksdb::Status got =
      db->GetMergeOperands(rocksdb::ReadOptions(), db.handle(), key,
                           theirs.data(), &limits, &num_theirs);
  std::string told_theirs;
  if (!got.ok() && !got.IsNotFound()) return FromTheirs("operands", got);
  for (int i = 0; got.ok() && i < num_theirs; ++i) {
    told_theirs += theirs[static_cast<size_t>(i)].ToString() + ",";
  }
  std::vector<PinnableSlice> operands;
  GetResult result;
  Status status = reader.Get({}, key, kMaxSequenceNumber, &result,
                             [&](const MergeOperand& operand, SequenceNumber) {
                               operand.Pin(&operands.emplace_back());
                               return true;
                             });
  if (!status.ok()) return status;
  // They are newest first, RocksDB's oldest first, with the value before them.
  std::string told_ours;
  if (result.state == GetResult::State::kFound) {
    told_ours = result.value.ToString() + ",";
  }
  for (size_t i = operands.size(); i > 0; --i) {
    told_ours += operands[i - 1].ToString() + ",";
  }
  return Compare("operands of " + key, told_theirs, told_ours);
}

Status CheckDatabase(OneFamily& db, Random* random) {
  Plan plan = SimplePlan(random);
  if (!IsUsable(plan)) return {};
  Status status = db.Create(plan);
  for (uint64_t n = 100 + (*random)() % 500; n > 0 && status.ok(); --n) {
    status = FromTheirs("put", db->Put(rocksdb::WriteOptions(), db.handle(),
                                       NumberedKey((*random)() % kKeys),
                                       std::string((*random)() % 120, 'v')));
  }
  for (uint64_t n = (*random)() % 200; n > 0 && status.ok(); --n) {
    // Above all other keys, so that those have values alone.
    const std::string key = "operands" + NumberedKey((*random)() % 20);
    status = FromTheirs(
        "write",
        (*random)() % 6 == 0
            ? db->Put(rocksdb::WriteOptions(), db.handle(), key, "base")
            : db->Merge(rocksdb::WriteOptions(), db.handle(), key,
                        std::to_string(n)));
    // A snapshot keeps the operands apart.
    db.TakeSnapshot();
  }
  if (status.ok()) status = db.Flush();
  std::string path;
  if (status.ok()) status = db.OnlyTable(&path);
  if (!status.ok()) return status.WithPrefix(plan.name);
  auto opened =
      TableReader::Open(path, {.comparator = plan.options.comparator});
  if (!opened.ok()) return opened.status();
  for (int i = 0; i < 30 && status.ok(); ++i) {
    status = CheckValueSizes(db, **opened, *plan.options.comparator, random);
  }
  for (uint64_t i = 0; i < 20 && status.ok(); ++i) {
    status = CheckOperands(db, **opened, "operands" + NumberedKey(i));
  }
  return status.WithPrefix("database, " + plan.name);
}

Status CheckSeed(const std::string& folder, OneFamily* family, uint64_t seed) {
  Random random(seed);
  Status status = CheckTiers(folder, &random);
  if (status.ok()) status = CheckLimiter(folder, &random);
  return status.ok() ? CheckDatabase(*family, &random) : status;
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  return ashlar::interop::CheckSeeds(argc, argv, ashlar::interop::CheckSeed);
}
