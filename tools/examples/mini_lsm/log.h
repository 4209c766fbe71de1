// WriteBatch, and the write-ahead log: a batch is in the log before it is in
// the memtable, so a kill loses nothing that was acknowledged.
//
//   record = size of the payload, its check, check of the payload, payload
//   payload = sequence number of the first write, bytes of the batch
//
// Checks are CRC32C; that of the size also covers the number of the log. A kill
// may cut off the last record. Nothing is ever appended after such a torn tail,
// since each opening begins a new log. So a record that is not whole is a torn
// tail if no other record follows it, and damage if one does; where records
// begin is seen by the check of the size.
#ifndef ASHLAR_TOOLS_EXAMPLES_MINI_LSM_LOG_H_
#define ASHLAR_TOOLS_EXAMPLES_MINI_LSM_LOG_H_

#include "ashlar/util/byte_strings.h"
#include "ashlar/util/file_checksum.h"
#include "ashlar/util/whole_file.h"
#include "tools/examples/mini_lsm/memtable.h"

namespace mini_lsm {

using ashlar::Status;

// Writes that appear together or not at all.
class WriteBatch {
  using enum ValueType;

 public:
  void Put(const Slice& key, const Slice& value) {
    Add(kTypeValue, key, value);
  }
  void Merge(const Slice& key, const Slice& value) {
    Add(kTypeMerge, key, value);
  }
  void Delete(const Slice& key) { Add(kTypeDeletion, key, {}); }
  // For a key that was put once since it was last deleted, and never merged.
  void SingleDelete(const Slice& key) { Add(kTypeSingleDeletion, key, {}); }
  // Deletes begin <= key < end.
  void DeleteRange(const Slice& begin, const Slice& end) {
    if (begin < end) Add(kTypeRangeDeletion, begin, end);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Add(ValueType type, const Slice& key, const Slice& value) {
    ashlar::AppendFixed64(static_cast<uint64_t>(type), &bytes_);
    ashlar::AppendLengthPrefixed(key, &bytes_);
    ashlar::AppendLengthPrefixed(value, &bytes_);
  }
  std::string bytes_;
};

// Adds the writes of a batch to a memtable. *sequence is the number of the last
// write before them, and becomes that of the last of them.
inline Status ApplyBatch(const Slice& bytes, SequenceNumber* sequence,
                         Memtable* memtable) {
  for (ashlar::ByteReader batch(bytes); !batch.rest().empty();) {
    const uint64_t type = batch.Fixed64();
    const Slice key = batch.LengthPrefixed();
    const Slice value = batch.LengthPrefixed();
    if (!batch.ok() || type > 0x0F) {
      return Status::Corruption("a batch is damaged");
    }
    memtable->Add(++*sequence, static_cast<ValueType>(type), key, value);
  }
  return {};
}

constexpr size_t kRecordHeader = 24;

inline uint64_t CheckOfSize(uint64_t size, uint64_t log_number) {
  std::string both;
  ashlar::AppendFixed64(size, &both);
  ashlar::AppendFixed64(log_number, &both);
  return ashlar::ExtendFileChecksum(0, both);
}

// Appends a batch by one write of the file, which survives a kill.
inline Status AppendToLog(SequenceNumber first, const WriteBatch& batch,
                          uint64_t log_number, ashlar::WritableFile* log) {
  std::string payload;
  ashlar::AppendFixed64(first, &payload);
  payload += batch.bytes();
  std::string record;
  ashlar::AppendFixed64(payload.size(), &record);
  ashlar::AppendFixed64(CheckOfSize(payload.size(), log_number), &record);
  ashlar::AppendFixed64(ashlar::ExtendFileChecksum(0, payload), &record);
  return log->Append(record + payload);
}

// Adds the writes of a log to the memtable, and drops a torn tail. *sequence is
// the number of the last write before the log, and becomes that of its last.
inline Status ReplayLog(const std::string& path, uint64_t log_number,
                        SequenceNumber* sequence, Memtable* memtable) {
  std::string log;
  Status status = ashlar::ReadFileToString(path, &log);
  bool is_torn = false;  // a record before was not whole
  for (size_t at = 0; status.ok() && at + kRecordHeader <= log.size();) {
    ashlar::ByteReader record({log.data() + at, log.size() - at});
    const uint64_t size = record.Fixed64();
    const bool is_header = record.Fixed64() == CheckOfSize(size, log_number);
    const uint64_t check = record.Fixed64();
    ashlar::ByteReader payload(record.Bytes(size));
    const bool is_whole =
        is_header && record.ok() &&
        check == ashlar::ExtendFileChecksum(0, payload.rest());
    if (is_torn ? !is_header : !is_whole) {
      is_torn = true;
      ++at;
    } else if (!is_torn && payload.Fixed64() == *sequence + 1) {
      status = ApplyBatch(payload.rest(), sequence, memtable);
      at += kRecordHeader + size;
    } else {
      status = Status::Corruption(
          path + ": the record at offset " + std::to_string(at) +
          " does not follow write " + std::to_string(*sequence));
    }
  }
  return status;
}

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_LOG_H_
