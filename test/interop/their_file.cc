#include "test/interop/their_file.h"

#include <rocksdb/iterator.h>
#include <rocksdb/sst_file_reader.h>
#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "test/interop/their_options.h"

namespace ashlar::interop {

namespace {

rocksdb::Status AddRow(const Row& row, rocksdb::SstFileWriter* writer) {
  switch (row.type) {
    case ValueType::kTypeValue:
      return writer->Put(row.user_key, row.value);
    case ValueType::kTypeMerge:
      return writer->Merge(row.user_key, row.value);
    case ValueType::kTypeDeletion:
      return writer->Delete(row.user_key);
    default:
      return rocksdb::Status::InvalidArgument("a type it cannot write");
  }
}

Row RowAt(const rocksdb::Iterator& iterator) {
  const Slice key(iterator.key().data(), iterator.key().size());
  return {UserKeyOf(key).ToString(), SequenceOf(key), TypeOf(key),
          iterator.value().ToString()};
}

Status Disagreement(const std::string& what) {
  return Status::Corruption("RocksDB reads otherwise: " + what);
}

Status CheckRows(rocksdb::SstFileReader* reader, const std::vector<Row>& rows) {
  const std::unique_ptr<rocksdb::Iterator> iterator =
      reader->NewTableIterator();
  std::vector<Row> forward;
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    forward.push_back(RowAt(*iterator));
  }
  if (Status s = FromTheirs("iterate", iterator->status()); !s.ok()) return s;
  std::string difference = DescribeDifference(rows, forward);
  if (!difference.empty()) return Disagreement(difference);

  std::vector<Row> backward;
  for (iterator->SeekToLast(); iterator->Valid(); iterator->Prev()) {
    backward.push_back(RowAt(*iterator));
  }
  if (Status s = FromTheirs("iterate back", iterator->status()); !s.ok()) {
    return s;
  }
  std::reverse(backward.begin(), backward.end());
  difference = DescribeDifference(rows, backward);
  return difference.empty() ? Status() : Disagreement("back: " + difference);
}

// Keys and the expected answers: first all keys of the file, then absent ones.
struct Questions {
  std::vector<std::string> keys;
  size_t present = 0;  // number of keys in the file
  std::map<std::string, std::string> state;
  // Merge operands without a base value: one file alone cannot give their
  // value.
  std::set<std::string> unresolved;
};

std::set<std::string> KeysWithoutBase(const std::vector<Row>& rows) {
  std::set<std::string> keys;
  for (const Row& row : rows) {
    if (row.type == ValueType::kTypeMerge) keys.insert(row.user_key);
  }
  for (const Row& row : rows) {
    if (row.type != ValueType::kTypeMerge) keys.erase(row.user_key);
  }
  return keys;
}

Questions MakeQuestions(const std::vector<Row>& rows,
                        const std::vector<std::string>& absent) {
  Questions questions;
  for (const Row& row : rows) {
    if (questions.keys.empty() || questions.keys.back() != row.user_key) {
      questions.keys.push_back(row.user_key);
    }
  }
  questions.present = questions.keys.size();
  questions.keys.insert(questions.keys.end(), absent.begin(), absent.end());
  questions.state = VisibleState(rows);
  questions.unresolved = KeysWithoutBase(rows);
  return questions;
}

Status CheckAnswer(const std::string& call, const Questions& questions,
                   const std::string& key, const rocksdb::Status& status,
                   const std::string& value) {
  if (questions.unresolved.count(key) > 0) {
    return status.IsMergeInProgress()
               ? Status()
               : Disagreement(call + " of operands at 0x" + ToHex(key));
  }
  const auto wanted = questions.state.find(key);
  const bool found = status.ok();
  if (!found && !status.IsNotFound()) {
    return FromTheirs(call + " of 0x" + ToHex(key), status);
  }
  if (found != (wanted != questions.state.end()) ||
      (found && value != wanted->second)) {
    return Disagreement(call + " of 0x" + ToHex(key));
  }
  return {};
}

// How often a filter was used since the last TakeFilterUse.
struct FilterUse {
  uint64_t ruled_out = 0;
  uint64_t let_pass_rightly = 0;
};

FilterUse TakeFilterUse() {
  rocksdb::Statistics& counters = TheirCounters();
  FilterUse use;
  use.ruled_out = counters.getAndResetTickerCount(rocksdb::BLOOM_FILTER_USEFUL);
  use.let_pass_rightly =
      counters.getAndResetTickerCount(rocksdb::BLOOM_FILTER_FULL_TRUE_POSITIVE);
  return use;
}

Status CheckFilterUse(const std::string& call, const Plan& plan,
                      const Questions& questions) {
  const FilterUse use = TakeFilterUse();
  // Other keys of the same prefix may be present.
  if (!plan.options.whole_key_filtering) return {};
  const size_t absent = questions.keys.size() - questions.present;
  // About 1 in 100 absent keys matches.
  const bool right =
      plan.HasFilter() ? use.ruled_out >= absent * 9 / 10 &&
                             use.ruled_out <= absent && use.let_pass_rightly > 0
                       : use.ruled_out + use.let_pass_rightly == 0;
  if (right) return {};
  return Disagreement(call + ": the filter ruled out " +
                      std::to_string(use.ruled_out) + " of " +
                      std::to_string(absent) + " absent keys, and let " +
                      std::to_string(use.let_pass_rightly) + " of " +
                      std::to_string(questions.present) + " others pass");
}

// SstFileReader::MultiGet overruns its arrays with more keys at once.
constexpr size_t kBatch = 32;

Status CheckBatch(rocksdb::SstFileReader* reader, const Questions& questions,
                  size_t at) {
  const size_t end = std::min(at + kBatch, questions.keys.size());
  const std::vector<rocksdb::Slice> batch(
      questions.keys.begin() + static_cast<std::ptrdiff_t>(at),
      questions.keys.begin() + static_cast<std::ptrdiff_t>(end));
  std::vector<std::string> values;
  const std::vector<rocksdb::Status> statuses =
      reader->MultiGet(rocksdb::ReadOptions(), batch, &values);
  for (size_t i = 0; i < batch.size(); ++i) {
    if (Status s = CheckAnswer("MultiGet", questions, questions.keys[at + i],
                               statuses[i], values[i]);
        !s.ok()) {
      return s;
    }
  }
  return {};
}

Status CheckGets(rocksdb::SstFileReader* reader, const Plan& plan,
                 const Questions& questions) {
  const rocksdb::ReadOptions read;
  TakeFilterUse();
  for (const std::string& key : questions.keys) {
    std::string value;
    const rocksdb::Status status = reader->Get(read, key, &value);
    if (Status s = CheckAnswer("Get", questions, key, status, value); !s.ok()) {
      return s;
    }
  }
  if (Status s = CheckFilterUse("Get", plan, questions); !s.ok()) return s;

  for (size_t at = 0; at < questions.keys.size(); at += kBatch) {
    if (Status s = CheckBatch(reader, questions, at); !s.ok()) return s;
  }
  return CheckFilterUse("MultiGet", plan, questions);
}

}  // namespace

Status WriteTheirExternal(const std::string& path, const Plan& plan,
                          const std::vector<Row>& rows) {
  rocksdb::SstFileWriter writer(rocksdb::EnvOptions(), TheirOptions(plan));
  if (Status s = FromTheirs("open", writer.Open(path)); !s.ok()) return s;
  for (const Row& row : rows) {
    if (Status s = FromTheirs("add", AddRow(row, &writer)); !s.ok()) return s;
  }
  return FromTheirs("finish", writer.Finish());
}

Status ReadWithTheirs(const std::string& path, const Plan& plan,
                      std::vector<Row>* rows) {
  rocksdb::SstFileReader reader(TheirReadOptions(plan));
  if (Status s = FromTheirs("open", reader.Open(path)); !s.ok()) return s;
  const std::unique_ptr<rocksdb::Iterator> iterator = reader.NewTableIterator();
  for (iterator->SeekToFirst(); iterator->Valid(); iterator->Next()) {
    rows->push_back(RowAt(*iterator));
  }
  return FromTheirs("iterate", iterator->status());
}

Status CheckWithTheirs(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent) {
  rocksdb::SstFileReader reader(TheirReadOptions(plan));
  const rocksdb::ReadOptions read;
  if (Status s = FromTheirs("open", reader.Open(path)); !s.ok()) return s;
  if (Status s = FromTheirs("VerifyChecksum", reader.VerifyChecksum(read));
      !s.ok()) {
    return s;
  }
  if (Status s = FromTheirs("VerifyNumEntries", reader.VerifyNumEntries(read));
      !s.ok()) {
    return s;
  }
  if (Status s = CheckRows(&reader, rows); !s.ok()) return s;
  return CheckGets(&reader, plan, MakeQuestions(rows, absent));
}

}  // namespace ashlar::interop
