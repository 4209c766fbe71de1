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

#include "tools/examples/mini_lsm/coding.h"
#include "tools/examples/mini_lsm/memtable.h"

namespace mini_lsm {

constexpr auto kPut = ValueType::kTypeValue;
constexpr auto kMerge = ValueType::kTypeMerge;
constexpr auto kDelete = ValueType::kTypeDeletion;
constexpr auto kSingleDelete = ValueType::kTypeSingleDeletion;
constexpr auto kDeleteRange = ValueType::kTypeRangeDeletion;

// Writes that appear together or not at all.
class WriteBatch {
 public:
  void Put(const Slice& key, const Slice& value) { Add(kPut, key, value); }
  void Merge(const Slice& key, const Slice& value) { Add(kMerge, key, value); }
  void Delete(const Slice& key) { Add(kDelete, key, {}); }
  // For a key that was put once since it was last deleted, and never merged.
  void SingleDelete(const Slice& key) { Add(kSingleDelete, key, {}); }
  // Deletes begin <= key < end.
  void DeleteRange(const Slice& begin, const Slice& end) {
    if (begin < end) Add(kDeleteRange, begin, end);
  }
  const std::string& bytes() const { return bytes_; }

 private:
  void Add(ValueType type, const Slice& key, const Slice& value) {
    PutNumber(static_cast<uint64_t>(type), &bytes_);
    PutString(key, &bytes_);
    PutString(value, &bytes_);
  }
  std::string bytes_;
};

// Adds the writes of a batch to a memtable. *sequence is the number of the last
// write before them, and becomes that of the last of them.
inline Status ApplyBatch(Slice bytes, SequenceNumber* sequence,
                         Memtable* memtable) {
  while (!bytes.empty()) {
    uint64_t type = 0;
    Slice key;
    Slice value;
    if (!TakeNumber(&bytes, &type) || !TakeString(&bytes, &key) ||
        !TakeString(&bytes, &value) || type > 0x0F) {
      return Status::Corruption("a batch is damaged");
    }
    memtable->Add(++*sequence, static_cast<ValueType>(type), key, value);
  }
  return {};
}

constexpr size_t kRecordHeader = 24;

inline uint64_t CheckOfSize(uint64_t size, uint64_t log_number) {
  const uint64_t both[] = {size, log_number};
  return ashlar::ExtendFileChecksum(
      0, {reinterpret_cast<const char*>(both), sizeof both});
}

// Appends a batch by one write of the file, which survives a kill.
inline Status AppendToLog(SequenceNumber first, const WriteBatch& batch,
                          uint64_t log_number, ashlar::WritableFile* log) {
  std::string payload;
  PutNumber(first, &payload);
  payload += batch.bytes();
  std::string record;
  PutNumber(payload.size(), &record);
  PutNumber(CheckOfSize(payload.size(), log_number), &record);
  PutNumber(ashlar::ExtendFileChecksum(0, payload), &record);
  return log->Append(record + payload);
}

// Adds the writes of a log to the memtable, and drops a torn tail. *sequence is
// the number of the last write before the log, and becomes that of its last.
inline Status ReplayLog(const std::string& path, uint64_t log_number,
                        SequenceNumber* sequence, Memtable* memtable) {
  std::string log;
  Status status = ReadWhole(path, &log);
  bool is_torn = false;
  for (size_t at = 0; status.ok() && at + kRecordHeader <= log.size();) {
    Slice rest(log.data() + at, log.size() - at);
    uint64_t size = 0;
    uint64_t size_check = 0;
    uint64_t check = 0;
    uint64_t first = 0;
    TakeNumber(&rest, &size);
    TakeNumber(&rest, &size_check);
    TakeNumber(&rest, &check);
    const bool is_header = size_check == CheckOfSize(size, log_number);
    Slice payload(rest.data(), std::min<uint64_t>(size, rest.size()));
    if (!is_torn && (!is_header || payload.size() < size ||
                     check != ashlar::ExtendFileChecksum(0, payload))) {
      is_torn = true;
      ++at;
    } else if (!is_torn && TakeNumber(&payload, &first) &&
               first == *sequence + 1) {
      status = ApplyBatch(payload, sequence, memtable);
      at += kRecordHeader + size;
    } else if (!is_torn || is_header) {
      status = Status::Corruption(
          path + ": the record at offset " + std::to_string(at) +
          " does not follow write " + std::to_string(*sequence));
    } else {
      ++at;
    }
  }
  return status;
}

}  // namespace mini_lsm

#endif  // ASHLAR_TOOLS_EXAMPLES_MINI_LSM_LOG_H_
