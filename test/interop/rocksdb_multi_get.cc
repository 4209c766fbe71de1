// rocksdb_multi_get: compares our MultiGet with RocksDB's on the same tables.
//
//   rocksdb_multi_get [<count> [<first seed>]]
//
// For each seed, with random options, a database makes random writes of all
// kinds, most of them under a snapshot, and flushes. Then batches of present,
// absent and repeated keys are looked up in random snapshots: in the database
// by its batched MultiGet, and in its table by ours. Our reader has no block
// cache, a large one, or one for a block or two. Statuses and values must
// agree. Finally we write the newest state as an external file and compare
// RocksDB's SstFileReader with our reader on it.
#include <rocksdb/sst_file_reader.h>

#include <algorithm>
#include <memory>
#include <random>
#include <span>
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

// Only every third key is ever written.
constexpr uint64_t kKeys = 900;
constexpr size_t kLargestBatch = 300;

// The result of a read, from either library.
struct Answer {
  bool found = false;
  std::string value;

  bool operator==(const Answer&) const = default;
};
using Answers = std::vector<Answer>;

Row RandomWrite(Random* random) {
  Row row{
      NumberedKey((*random)() % kKeys / 3 * 3), 0, ValueType::kTypeValue, {}};
  const uint64_t draw = (*random)() % 40;
  if (draw == 0) {
    const uint64_t begin = (*random)() % kKeys;
    row.type = ValueType::kTypeRangeDeletion;
    row.user_key = NumberedKey(begin);
    row.value = NumberedKey(begin + 1 + (*random)() % 30);
    return row;
  }
  // Some writes go to keys between, so that blocks hold both kinds.
  if ((*random)() % 4 == 0) row.user_key += "b";
  if (draw < 8) {
    row.type = ValueType::kTypeDeletion;
    return row;
  }
  if (draw < 14) row.type = ValueType::kTypeMerge;
  // Some values are as large as a block.
  const uint64_t size = (*random)() % 50 == 0 ? 5000 : (*random)() % 120;
  row.value = std::to_string((*random)() % 100000) +
              std::string(static_cast<size_t>(size), 'v');
  return row;
}

Status Write(OneFamily& db, const Row& row) {
  const rocksdb::WriteOptions options;
  rocksdb::Status status;
  if (row.type == ValueType::kTypeRangeDeletion) {
    status = db->DeleteRange(options, db.handle(), row.user_key, row.value);
  } else if (row.type == ValueType::kTypeDeletion) {
    status = db->Delete(options, db.handle(), row.user_key);
  } else if (row.type == ValueType::kTypeMerge) {
    status = db->Merge(options, db.handle(), row.user_key, row.value);
  } else {
    status = db->Put(options, db.handle(), row.user_key, row.value);
  }
  return FromTheirs("write", status);
}

// Random order: among a few hot keys, among all keys, or consecutive keys.
std::vector<std::string> RandomBatch(Random* random) {
  const size_t size = 1 + (*random)() % kLargestBatch;
  const uint64_t span = (*random)() % 3 == 0 ? 6 : kKeys + 20;
  const uint64_t base = (*random)() % kKeys;
  const bool rising = (*random)() % 4 == 0;
  std::vector<std::string> keys;
  for (size_t i = 0; i < size; ++i) {
    const uint64_t number = rising ? base + i : base + (*random)() % span;
    keys.push_back(NumberedKey(number % (kKeys + 50)));
    if ((*random)() % 3 == 0) keys.back() += (*random)() % 2 == 0 ? "b" : "c";
  }
  return keys;
}

Status Differs(const std::vector<std::string>& keys, size_t i,
               const Answer& theirs, const Answer& ours) {
  const auto told = [](const Answer& answer) {
    return answer.found ? "\"" + answer.value + "\"" : std::string("nothing");
  };
  return Status::Corruption("key " + keys[i] + ", " + std::to_string(i) +
                            " of " + std::to_string(keys.size()) +
                            ": RocksDB has " + told(theirs) + ", Ashlar " +
                            told(ours));
}

Status Compare(const std::vector<std::string>& keys, const Answers& theirs,
               const Answers& ours) {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (theirs[i] != ours[i]) return Differs(keys, i, theirs[i], ours[i]);
  }
  return {};
}

template <typename Values>
Status TakeTheirs(const std::vector<rocksdb::Status>& statuses,
                  const Values& values, Answers* answers) {
  for (size_t i = 0; i < statuses.size(); ++i) {
    if (statuses[i].IsNotFound()) continue;
    if (!statuses[i].ok()) return FromTheirs("MultiGet", statuses[i]);
    (*answers)[i] = {true, values[i].ToString()};
  }
  return {};
}

Status AskDatabase(OneFamily& db, const rocksdb::Snapshot* snapshot,
                   const std::vector<std::string>& keys, Answers* answers) {
  rocksdb::ReadOptions options;
  options.snapshot = snapshot;
  const std::vector<rocksdb::Slice> slices = TheirSlices(keys);
  std::vector<rocksdb::PinnableSlice> values(keys.size());
  std::vector<rocksdb::Status> statuses(keys.size());
  db->MultiGet(options, db.handle(), keys.size(), slices.data(), values.data(),
               statuses.data());
  return TakeTheirs(statuses, values, answers);
}

// RocksDB 11.8.1 writes beyond its arrays if SstFileReader::MultiGet gets more
// than 32 keys at once (its pull request 15196).
Status AskTheirReader(rocksdb::SstFileReader* reader,
                      const std::vector<std::string>& keys, Answers* answers) {
  constexpr size_t kMostKeys = 32;
  const std::vector<rocksdb::Slice> slices = TheirSlices(keys);
  for (size_t begin = 0; begin < keys.size(); begin += kMostKeys) {
    const size_t end = std::min(begin + kMostKeys, keys.size());
    const std::vector<rocksdb::Slice> part(slices.data() + begin,
                                           slices.data() + end);
    std::vector<rocksdb::PinnableSlice> values(part.size());
    const std::vector<rocksdb::Status> statuses =
        reader->MultiGet(rocksdb::ReadOptions(), part, &values);
    Answers of_part(part.size());
    Status status = TakeTheirs(statuses, values, &of_part);
    if (!status.ok()) return status;
    std::move(of_part.begin(), of_part.end(),
              answers->begin() + static_cast<std::ptrdiff_t>(begin));
  }
  return {};
}

// Joins merge operands as stringappend does.
Status AskOurs(const TableReader& reader, SequenceNumber snapshot,
               const std::vector<std::string>& keys, Answers* answers) {
  const std::vector<Slice> slices(keys.begin(), keys.end());
  std::vector<GetResult> results(keys.size());
  std::vector<Status> statuses(keys.size());
  std::vector<std::string> operands(keys.size());
  reader.MultiGet({}, slices, snapshot, results, statuses,
                  [&](size_t i, const Slice& operand, SequenceNumber) {
                    operands[i].insert(0, "," + operand.ToString());
                    return true;
                  });
  for (size_t i = 0; i < keys.size(); ++i) {
    if (!statuses[i].ok()) return statuses[i].WithPrefix(keys[i]);
    const bool base = results[i].state == GetResult::State::kFound;
    if (base) {
      (*answers)[i] = {true, results[i].value.ToString() + operands[i]};
    } else if (!operands[i].empty()) {
      (*answers)[i] = {true, operands[i].substr(1)};
    }
  }
  return {};
}

// Opens one file in each of the ways in which MultiGet finds its blocks.
Status OpenReaders(const std::string& path, const Plan& plan,
                   std::vector<std::unique_ptr<TableReader>>* readers) {
  for (const size_t cache_bytes : {size_t{0}, size_t{8} << 20, size_t{6000}}) {
    for (const bool words : {true, false}) {
      ReaderOptions options;
      options.comparator = plan.options.comparator;
      options.cache_entry_words = words;
      if (cache_bytes != 0) {
        auto cache = NewLruCache({.capacity = cache_bytes});
        if (!cache.ok()) return cache.status();
        options.block_cache = std::move(cache).value();
      }
      auto reader = TableReader::Open(path, options);
      if (!reader.ok()) return reader.status();
      readers->push_back(std::move(reader).value());
    }
  }
  return {};
}

struct Moment {
  const rocksdb::Snapshot* snapshot;
  SequenceNumber sequence;
};

// Enough batches to reach each block of a table.
constexpr int kBatches = 12;

Status CheckFlushed(OneFamily& db, const Plan& plan,
                    const std::vector<Moment>& moments, Random* random) {
  std::string path;
  Status status = db.OnlyTable(&path);
  std::vector<std::unique_ptr<TableReader>> readers;
  if (status.ok()) status = OpenReaders(path, plan, &readers);
  for (int i = 0; i < kBatches && status.ok(); ++i) {
    const std::vector<std::string> keys = RandomBatch(random);
    const Moment& moment = moments[(*random)() % moments.size()];
    Answers theirs(keys.size());
    status = AskDatabase(db, moment.snapshot, keys, &theirs);
    for (const auto& reader : readers) {
      Answers ours(keys.size());
      if (status.ok()) status = AskOurs(*reader, moment.sequence, keys, &ours);
      if (status.ok()) status = Compare(keys, theirs, ours);
    }
  }
  return status.WithPrefix("flushed");
}

// Writes the database's state as a table of ours, with deletions of the keys
// that it does not show. Both libraries read it.
Status CheckExternal(const std::string& folder, OneFamily& db, const Plan& plan,
                     Random* random) {
  const std::string path = folder + "/multi_get.sst";
  std::vector<Row> rows;
  const std::unique_ptr<rocksdb::Iterator> it(
      db->NewIterator(rocksdb::ReadOptions(), db.handle()));
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    const bool deleted = (*random)() % 5 == 0;
    rows.push_back({it->key().ToString(), 0,
                    deleted ? ValueType::kTypeDeletion : ValueType::kTypeValue,
                    deleted ? std::string() : it->value().ToString()});
  }
  Status status = FromTheirs("iterate", it->status());
  if (status.ok() && rows.empty()) return {};
  if (status.ok()) status = WriteOurFile(path, plan.options, {}, true, rows);
  rocksdb::SstFileReader peer(TheirOptions(plan));
  if (status.ok()) status = FromTheirs("open", peer.Open(path));
  std::vector<std::unique_ptr<TableReader>> readers;
  if (status.ok()) status = OpenReaders(path, plan, &readers);
  for (int i = 0; i < kBatches && status.ok(); ++i) {
    const std::vector<std::string> keys = RandomBatch(random);
    Answers theirs(keys.size());
    status = AskTheirReader(&peer, keys, &theirs);
    for (const auto& reader : readers) {
      Answers ours(keys.size());
      if (status.ok()) {
        status = AskOurs(*reader, kMaxSequenceNumber, keys, &ours);
      }
      if (status.ok()) status = Compare(keys, theirs, ours);
    }
  }
  return status.WithPrefix("external");
}

Status CheckSeed(const std::string& folder, OneFamily* family, uint64_t seed) {
  OneFamily& db = *family;
  Random random(seed);
  Plan plan = RandomPlans(1, seed)[0];
  plan.shape = Shape::kVersions;
  Status status = db.Create(plan);
  std::vector<Moment> moments;
  for (uint64_t i = 200 + random() % 2500; status.ok() && i > 0; --i) {
    status = Write(db, RandomWrite(&random));
    if (i % 16 != 1) continue;
    const rocksdb::Snapshot* const snapshot = db.TakeSnapshot();
    moments.push_back({snapshot, snapshot->GetSequenceNumber()});
  }
  if (status.ok()) status = db.Flush();
  if (status.ok()) status = CheckFlushed(db, plan, moments, &random);
  plan.shape = Shape::kRandom;
  if (status.ok()) status = CheckExternal(folder, db, plan, &random);
  return status.WithPrefix(plan.name);
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  return ashlar::interop::CheckSeeds(argc, argv, ashlar::interop::CheckSeed);
}
