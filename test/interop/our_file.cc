#include "test/interop/our_file.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "ashlar/table/entry/wide_columns.h"
#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"

namespace ashlar::interop {

namespace {

Status AddExternal(const Row& row, ExternalFileWriter* writer) {
  switch (row.type) {
    case ValueType::kTypeValue:
      return writer->Put(row.user_key, row.value);
    case ValueType::kTypeMerge:
      return writer->Merge(row.user_key, row.value);
    case ValueType::kTypeDeletion:
      return writer->Delete(row.user_key);
    case ValueType::kTypeSingleDeletion:
      return writer->SingleDelete(row.user_key);
    case ValueType::kTypeRangeDeletion:
      return writer->DeleteRange(row.user_key, row.value);
    case ValueType::kTypeWideColumnEntity: {
      std::vector<WideColumn> columns;
      Status status = DecodeWideColumns(row.value, &columns);
      return status.ok() ? writer->PutEntity(row.user_key, columns) : status;
    }
    case ValueType::kTypeDeletionWithTimestamp: {
      const size_t size = sizeof(uint64_t);
      return writer->DeleteAt(WithoutTimestamp(row.user_key, size),
                              TimestampOf(row.user_key, size));
    }
    default:
      return Status::InvalidArgument("a type that no row has");
  }
}

Status WriteExternal(const std::string& path, const TableOptions& options,
                     const BuildOptions& build, const std::vector<Row>& rows) {
  AtomicFile::Options no_sync;
  no_sync.sync = false;
  auto writer = ExternalFileWriter::Open(path, options, build, no_sync);
  if (!writer.ok()) return writer.status();
  for (const Row& row : rows) {
    if (Status s = AddExternal(row, writer->get()); !s.ok()) return s;
  }
  return (*writer)->Finish();
}

Status WriteInternal(const std::string& path, const TableOptions& options,
                     const BuildOptions& build, const std::vector<Row>& rows) {
  auto file = OpenWritableFile(path);
  if (!file.ok()) return file.status();
  auto builder = TableBuilder::Create(options, build, file->get());
  if (!builder.ok()) return builder.status();
  for (const Row& row : rows) {
    const std::string key =
        MakeInternalKey(row.user_key, row.sequence, row.type);
    if (Status s = (*builder)->Add(key, row.value); !s.ok()) return s;
  }
  if (Status s = (*builder)->Finish(); !s.ok()) return s;
  return (*file)->Close();
}

Row RowAt(const Iterator& iterator) {
  return {iterator.user_key().ToString(), iterator.sequence(), iterator.type(),
          iterator.value().ToString()};
}

Status Disagreement(const std::string& what) {
  return Status::Corruption("Ashlar reads otherwise: " + what);
}

// The expected answer of Get: the state, and the operands, newest first.
struct Expected {
  GetResult::State state = GetResult::State::kNotFound;
  std::string value;
  std::vector<std::string> operands;
};

std::map<std::string, Expected> ExpectedOf(const std::vector<Row>& rows) {
  std::map<std::string, Expected> all;
  for (const Row& row : rows) {
    const auto [at, first] = all.try_emplace(row.user_key);
    Expected& e = at->second;
    if (!first && e.state != GetResult::State::kMerged) continue;
    if (row.type == ValueType::kTypeMerge) {
      e.state = GetResult::State::kMerged;
      e.operands.push_back(row.value);
    } else if (row.type == ValueType::kTypeValue) {
      e.state = GetResult::State::kFound;
      e.value = row.value;
    } else {
      e.state = GetResult::State::kDeleted;
    }
  }
  return all;
}

Status CheckGet(const TableReader& reader, const std::string& key,
                const Expected& expected) {
  GetResult result;
  std::vector<std::string> operands;
  Status status = reader.Get(ReadOptions(), key, kMaxSequenceNumber, &result,
                             [&](const Slice& operand, SequenceNumber) {
                               operands.push_back(operand.ToString());
                               return true;
                             });
  if (!status.ok()) return status;
  if (result.state != expected.state || operands != expected.operands ||
      (result.state == GetResult::State::kFound &&
       result.value.ToString() != expected.value)) {
    return Disagreement("Get of 0x" + ToHex(key));
  }
  return {};
}

Status CheckBackward(const TableReader& reader, const std::vector<Row>& rows) {
  std::vector<Row> found;
  Iterator iterator = reader.NewIterator();
  for (iterator.SeekToLast(); iterator.Valid(); iterator.Prev()) {
    found.push_back(RowAt(iterator));
  }
  if (!iterator.status().ok()) return iterator.status();
  std::reverse(found.begin(), found.end());
  const std::string difference = DescribeDifference(rows, found);
  return difference.empty() ? Status() : Disagreement("back: " + difference);
}

Status CheckGets(const TableReader& reader, const std::vector<Row>& rows,
                 const std::vector<std::string>& absent) {
  for (const auto& [key, expected] : ExpectedOf(rows)) {
    if (Status s = CheckGet(reader, key, expected); !s.ok()) return s;
  }
  size_t ruled_out = 0;
  bool has_filter = false;
  for (const std::string& key : absent) {
    GetResult result;
    if (Status s = reader.Get(key, &result); !s.ok()) return s;
    if (result.state != GetResult::State::kNotFound) {
      return Disagreement("Get finds the absent key 0x" + ToHex(key));
    }
    has_filter |= result.filter != GetResult::Filter::kNone;
    ruled_out += result.filter == GetResult::Filter::kAbsent ? 1 : 0;
  }
  // A tenth of the absent keys may match; with 10 bits per key about 1 in 100
  // does. A filter of prefixes alone cannot rule out that many.
  const bool whole_keys = reader.properties().whole_key_filtering != "0";
  if (has_filter && whole_keys && ruled_out < absent.size() * 9 / 10) {
    return Disagreement("the filter rules out only " +
                        std::to_string(ruled_out) + " absent keys");
  }
  return {};
}

}  // namespace

Status WriteOurFile(const std::string& path, const TableOptions& options,
                    const BuildOptions& build, bool external,
                    const std::vector<Row>& rows) {
  return external ? WriteExternal(path, options, build, rows)
                  : WriteInternal(path, options, build, rows);
}

Status ReadWithOurs(const std::string& path, std::vector<Row>* rows) {
  auto reader = TableReader::Open(path);
  if (!reader.ok()) return reader.status();
  Iterator iterator = (*reader)->NewIterator({.ignore_range_deletions = true});
  for (iterator.SeekToFirst(); iterator.Valid(); iterator.Next()) {
    rows->push_back(RowAt(iterator));
  }
  for (const RangeDeletion& deletion : (*reader)->RangeDeletions()) {
    rows->push_back({deletion.begin.ToString(), deletion.sequence,
                     ValueType::kTypeRangeDeletion, deletion.end.ToString()});
  }
  return iterator.status();
}

Status CheckWithOurs(const std::string& path, const std::vector<Row>& rows,
                     const std::vector<std::string>& absent) {
  std::vector<Row> found;
  if (Status s = ReadWithOurs(path, &found); !s.ok()) return s;
  const std::string difference = DescribeDifference(rows, found);
  if (!difference.empty()) return Disagreement(difference);
  auto reader = TableReader::Open(path);
  if (!reader.ok()) return reader.status();
  if (Status s = (*reader)->VerifyChecksum(); !s.ok()) return s;
  if (Status s = CheckBackward(**reader, rows); !s.ok()) return s;
  return CheckGets(**reader, rows, absent);
}

}  // namespace ashlar::interop
