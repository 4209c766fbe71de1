// rocksdb_walk_options: options of iterators, compared with RocksDB's
// SstFileReader on the same tables.
//
//   rocksdb_walk_options [<count> [<first seed>]]
//
// For each seed we write tables with random options and read them with both
// libraries: versions from iter_start_ts to a timestamp; entries under a
// snapshot, with max_skippable_internal_keys; prefixes with auto_prefix_mode;
// and walks with allow_unprepared_value. Keys, values and ends must agree, and
// which calls are Incomplete.
#include <rocksdb/slice_transform.h>
#include <rocksdb/snapshot.h>
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "ashlar/table/table_reader.h"
#include "test/interop/one_family.h"
#include "test/interop/our_file.h"
#include "test/interop/sample_plans.h"
#include "test/interop/their_options.h"

namespace ashlar::interop {
namespace {

using Random = std::mt19937_64;
using Theirs = std::unique_ptr<rocksdb::Iterator>;

// One file, open in both libraries.
struct BothReaders {
  Status Open(const std::string& path, const Plan& plan,
              const std::vector<Row>& rows) {
    Status status = WriteOurFile(path, plan.options, {}, false, rows);
    theirs = std::make_unique<rocksdb::SstFileReader>(TheirReadOptions(plan));
    if (status.ok()) status = FromTheirs("open", theirs->Open(path));
    if (!status.ok()) return status;
    ReaderOptions options;
    options.comparator = plan.options.comparator;
    auto opened = TableReader::Open(path, options);
    if (!opened.ok()) return opened.status();
    ours = std::move(opened).value();
    return {};
  }

  std::unique_ptr<TableReader> ours;
  std::unique_ptr<rocksdb::SstFileReader> theirs;
};

Plan RandomPlan(Random* random) {
  Plan plan = RandomPlans(1, (*random)())[0];
  plan.shape = Shape::kVersions;
  return plan;
}

std::string Told(bool valid, const Status& status, const std::string& key) {
  if (valid) return "key " + ToHex(key);
  return status.ok() ? "an end" : status.ToString();
}

// Compares where both are. `key` is the key that RocksDB shows, as a user key
// with its timestamp.
Status CompareAt(const std::string& what, const Iterator& ours,
                 const rocksdb::Iterator& theirs, const std::string& key) {
  const rocksdb::Status status = theirs.status();
  const bool agree =
      ours.Valid() == theirs.Valid() &&
      ours.status().IsIncomplete() == status.IsIncomplete() &&
      (ours.Valid() ? ours.user_key() == Slice(key) &&
                          ours.value() == Slice(theirs.value().ToString())
                    : ours.status().ok() == status.ok());
  if (agree) return {};
  return Status::Corruption(
      what + ": RocksDB is at " +
      Told(theirs.Valid(), FromTheirs("", status), key) + ", Ashlar at " +
      Told(ours.Valid(), ours.status(),
           ours.Valid() ? ours.user_key().ToString() : ""));
}

// --- iter_start_ts

std::vector<Row> TimedRows(const Comparator& order, Random* random) {
  std::vector<Row> rows;
  std::set<std::pair<std::string, uint64_t>> seen;
  for (uint64_t n = 1 + (*random)() % 200; n > 0; --n) {
    const std::string key = NumberedKey((*random)() % 60);
    const uint64_t time = (*random)() % 50;
    if (!seen.insert({key, time}).second) continue;
    Row row{key + EncodeU64Ts(time), n, ValueType::kTypeValue,
            "value" + std::to_string(n)};
    if ((*random)() % 4 == 0) {
      row.type = ValueType::kTypeDeletionWithTimestamp;
      row.value.clear();
    }
    rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return order.Compare(a.user_key, b.user_key) < 0;
  });
  return rows;
}

// With iter_start_ts RocksDB shows internal keys.
std::string TheirTimedKey(const rocksdb::Iterator& it) {
  if (!it.Valid()) return "";
  return UserKeyOf(Slice(it.key().data(), it.key().size())).ToString();
}

Status CheckTimestamps(const std::string& folder, Random* random) {
  Plan plan = RandomPlan(random);
  plan.options.prefix_extractor = nullptr;
  plan.options.comparator = (*random)() % 2 == 0
                                ? BytewiseComparatorWithU64Ts()
                                : ReverseBytewiseComparatorWithU64Ts();
  if (!IsPossible(plan)) return {};
  BothReaders readers;
  Status status = readers.Open(folder + "/timed.sst", plan,
                               TimedRows(*plan.options.comparator, random));
  for (int i = 0; i < 6 && status.ok(); ++i) {
    const std::string oldest = EncodeU64Ts((*random)() % 55);
    const std::string newest = EncodeU64Ts((*random)() % 55);
    rocksdb::ReadOptions their_options;
    const rocksdb::Slice their_oldest(oldest);
    const rocksdb::Slice their_newest(newest);
    their_options.iter_start_ts = &their_oldest;
    their_options.timestamp = &their_newest;
    ReadOptions options;
    options.iter_start_ts = oldest;
    options.timestamp = newest;
    const Theirs theirs(readers.theirs->NewIterator(their_options));
    Iterator ours = readers.ours->NewIterator(options);
    theirs->SeekToFirst();
    ours.SeekToFirst();
    status = CompareAt("first", ours, *theirs, TheirTimedKey(*theirs));
    while (status.ok() && ours.Valid()) {
      theirs->Next();
      ours.Next();
      status = CompareAt("next", ours, *theirs, TheirTimedKey(*theirs));
    }
    const std::string target = NumberedKey((*random)() % 60);
    theirs->Seek(target);
    ours.Seek(target);
    if (status.ok()) {
      status = CompareAt("seek", ours, *theirs, TheirTimedKey(*theirs));
    }
  }
  return status.WithPrefix("iter_start_ts, " + plan.name);
}

// --- snapshot and max_skippable_internal_keys

class FixedSnapshot final : public rocksdb::Snapshot {
 public:
  explicit FixedSnapshot(SequenceNumber sequence) : sequence_(sequence) {}
  rocksdb::SequenceNumber GetSequenceNumber() const override {
    return sequence_;
  }
  int64_t GetUnixTime() const override { return 0; }
  uint64_t GetTimestamp() const override { return 0; }
  ~FixedSnapshot() override = default;

 private:
  const SequenceNumber sequence_;
};

std::vector<Row> UniqueRows(const Comparator& order, Random* random) {
  std::set<std::string> keys;
  for (uint64_t n = 1 + (*random)() % 150; n > 0; --n) {
    keys.insert(NumberedKey((*random)() % 400));
  }
  std::vector<Row> rows;
  for (const std::string& key : keys) {
    rows.push_back(
        {key, 1 + (*random)() % 100, ValueType::kTypeValue, "value of " + key});
  }
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return order.Compare(a.user_key, b.user_key) < 0;
  });
  return rows;
}

Status CheckSkips(const std::string& folder, Random* random) {
  Plan plan = RandomPlan(random);
  if (plan.options.comparator->timestamp_size() != 0) return {};
  plan.options.prefix_extractor = nullptr;
  if (!IsPossible(plan)) return {};
  BothReaders readers;
  Status status = readers.Open(folder + "/skips.sst", plan,
                               UniqueRows(*plan.options.comparator, random));
  for (int i = 0; i < 12 && status.ok(); ++i) {
    const FixedSnapshot snapshot((*random)() % 101);
    rocksdb::ReadOptions their_options;
    their_options.total_order_seek = true;
    their_options.snapshot = &snapshot;
    their_options.max_skippable_internal_keys = (*random)() % 8;
    ReadOptions options;
    options.snapshot = snapshot.GetSequenceNumber();
    options.max_skippable_internal_keys =
        their_options.max_skippable_internal_keys;
    const std::string bound = NumberedKey((*random)() % 400);
    const rocksdb::Slice their_bound(bound);
    const Slice our_bound(bound);
    if ((*random)() % 3 == 0) {
      their_options.iterate_upper_bound = &their_bound;
      options.iterate_upper_bound = &our_bound;
    }
    const Theirs theirs(readers.theirs->NewIterator(their_options));
    Iterator ours = readers.ours->NewIterator(options);
    const auto at = [&](const std::string& what) {
      return CompareAt(what, ours, *theirs,
                       theirs->Valid() ? theirs->key().ToString() : "");
    };
    const std::string target = NumberedKey((*random)() % 400);
    theirs->Seek(target);
    ours.Seek(target);
    status = at("seek");
    while (status.ok() && ours.Valid()) {
      theirs->Next();
      ours.Next();
      status = at("next");
    }
    theirs->SeekToFirst();
    ours.SeekToFirst();
    if (status.ok()) status = at("first");
    if (options.max_skippable_internal_keys != 0) continue;
    theirs->SeekToLast();
    ours.SeekToLast();
    if (status.ok()) status = at("last");
    while (status.ok() && ours.Valid()) {
      theirs->Prev();
      ours.Prev();
      status = at("prev");
    }
  }
  return status.WithPrefix("skips, " + plan.name);
}

// --- auto_prefix_mode

Status CheckPrefixes(const std::string& folder, Random* random) {
  Plan plan = RandomPlan(random);
  if (plan.options.comparator->timestamp_size() != 0) return {};
  plan.options.prefix_extractor = NewFixedPrefixExtractor(5);
  if (!IsPossible(plan)) return {};
  BothReaders readers;
  Status status = readers.Open(folder + "/prefix.sst", plan,
                               UniqueRows(*plan.options.comparator, random));
  for (int i = 0; i < 20 && status.ok(); ++i) {
    const std::string target = NumberedKey((*random)() % 400);
    std::string bound = target;
    ++bound[(*random)() % 2 == 0 ? 4 : 5];
    if ((*random)() % 3 == 0) bound.resize(5);
    if ((*random)() % 3 == 0) bound = NumberedKey((*random)() % 400);
    const rocksdb::Slice their_bound(bound);
    const Slice our_bound(bound);
    rocksdb::ReadOptions their_options;
    their_options.auto_prefix_mode = true;
    their_options.iterate_upper_bound = &their_bound;
    ReadOptions options;
    options.auto_prefix_mode = true;
    options.iterate_upper_bound = &our_bound;
    const Theirs theirs(readers.theirs->NewIterator(their_options));
    Iterator ours = readers.ours->NewIterator(options);
    const auto at = [&](const std::string& what) {
      return CompareAt(what + " " + target + " to " + bound, ours, *theirs,
                       theirs->Valid() ? theirs->key().ToString() : "");
    };
    theirs->Seek(target);
    ours.Seek(target);
    status = at("seek");
    while (status.ok() && ours.Valid()) {
      theirs->Next();
      ours.Next();
      status = at("next");
    }
  }
  return status.WithPrefix("prefixes, " + plan.name);
}

// --- allow_unprepared_value

Status CheckUnprepared(const std::string& folder, Random* random) {
  Plan plan = RandomPlan(random);
  if (plan.options.comparator->timestamp_size() != 0) return {};
  plan.options.prefix_extractor = nullptr;
  if ((*random)() % 2 == 0) {
    plan.options.index_type = IndexType::kBinarySearchWithFirstKey;
  }
  if (!IsPossible(plan)) return {};
  BothReaders readers;
  Status status = readers.Open(folder + "/unprepared.sst", plan,
                               UniqueRows(*plan.options.comparator, random));
  if (!status.ok()) return status;
  rocksdb::ReadOptions their_options;
  their_options.total_order_seek = true;
  their_options.allow_unprepared_value = true;
  ReadOptions options;
  options.allow_unprepared_value = true;
  const Theirs theirs(readers.theirs->NewIterator(their_options));
  Iterator ours = readers.ours->NewIterator(options);
  theirs->SeekToFirst();
  ours.SeekToFirst();
  for (int i = 0; i < 120 && status.ok(); ++i) {
    if (ours.Valid() != theirs->Valid()) {
      status = Status::Corruption("one is at an end, the other is not");
    } else if (ours.Valid() &&
               (!ours.PrepareValue() || !theirs->PrepareValue())) {
      status = Status::Corruption("a value could not be prepared");
    } else {
      status = CompareAt("step", ours, *theirs,
                         theirs->Valid() ? theirs->key().ToString() : "");
    }
    const uint64_t draw = (*random)() % 8;
    const std::string target = NumberedKey((*random)() % 400);
    if (!ours.Valid() || draw == 0) {
      theirs->Seek(target);
      ours.Seek(target);
    } else if (draw == 1) {
      theirs->SeekForPrev(target);
      ours.SeekForPrev(target);
    } else if (draw == 2) {
      theirs->Prev();
      ours.Prev();
    } else {
      theirs->Next();
      ours.Next();
    }
  }
  return status.WithPrefix("unprepared, " + plan.name);
}

Status CheckSeed(const std::string& folder, OneFamily* /*family*/,
                 uint64_t seed) {
  Random random(seed);
  Status status = CheckTimestamps(folder, &random);
  if (status.ok()) status = CheckSkips(folder, &random);
  if (status.ok()) status = CheckPrefixes(folder, &random);
  return status.ok() ? CheckUnprepared(folder, &random) : status;
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  return ashlar::interop::CheckSeeds(argc, argv, ashlar::interop::CheckSeed);
}
