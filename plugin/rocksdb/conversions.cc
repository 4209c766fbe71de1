#include "conversions.h"

namespace ashlar_rocksdb {

using Code = ashlar::Status::Code;
using SubCode = ashlar::Status::SubCode;

rocksdb::Status ToRocksDB(const ashlar::Status& status) {
  const std::string_view text = status.message();
  const rocksdb::Slice message(text.data(), text.size());
  switch (status.code()) {
    case Code::kOk:
      return rocksdb::Status::OK();
    case Code::kNotFound:
      return rocksdb::Status::NotFound(message);
    case Code::kCorruption:
      return rocksdb::Status::Corruption(message);
    case Code::kNotSupported:
      return rocksdb::Status::NotSupported(message);
    case Code::kInvalidArgument:
      return rocksdb::Status::InvalidArgument(message);
    case Code::kIOError:
      if (status.subcode() == SubCode::kPathNotFound) {
        return rocksdb::Status::PathNotFound(message);
      }
      if (status.subcode() == SubCode::kNoSpace) {
        return rocksdb::Status::NoSpace(message);
      }
      return rocksdb::Status::IOError(message);
    case Code::kMergeInProgress:
      return rocksdb::Status::MergeInProgress(message);
    case Code::kAborted:
      return rocksdb::Status::Aborted(message);
    case Code::kMemoryLimit:
      return rocksdb::Status::MemoryLimit(message);
    case Code::kIncomplete:
      return rocksdb::Status::Incomplete(message);
    case Code::kTimedOut:
      return rocksdb::Status::TimedOut(message);
  }
  return rocksdb::Status::Corruption("status of an unknown kind", message);
}

ashlar::Status ToAshlar(const rocksdb::IOStatus& status,
                        const std::string& file) {
  if (status.ok()) return ashlar::Status::OK();
  // RocksDB's messages do not always name the file.
  std::string message = status.ToString();
  if (message.find(file) == std::string::npos) message = file + ": " + message;
  if (status.IsTimedOut()) return ashlar::Status::TimedOut(message);
  if (status.IsCorruption()) return ashlar::Status::Corruption(message);
  if (status.IsNotSupported()) return ashlar::Status::NotSupported(message);
  if (status.IsMemoryLimit()) return ashlar::Status::MemoryLimit(message);
  if (status.IsIncomplete()) return ashlar::Status::Incomplete(message);
  const SubCode subcode = status.IsNoSpace()        ? SubCode::kNoSpace
                          : status.IsPathNotFound() ? SubCode::kPathNotFound
                                                    : SubCode::kNone;
  return ashlar::Status::IOError(message, subcode);
}

}  // namespace ashlar_rocksdb
