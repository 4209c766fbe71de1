#include "conversions.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

namespace ashlar_rocksdb {

using Code = ashlar::Status::Code;
using SubCode = ashlar::Status::SubCode;

namespace {

// What RocksDB's error handler goes by, in a word: the code, the subcode, the
// scope, and the flags. Behind them the size of RocksDB's own text.
constexpr int kSubCodeShift = 8;
constexpr int kScopeShift = 16;
constexpr uint64_t kIsPayload = uint64_t{1} << 40;
constexpr uint64_t kRetryable = uint64_t{1} << 41;
constexpr uint64_t kDataLoss = uint64_t{1} << 42;
constexpr int kTextShift = 43;
constexpr uint64_t kMostText = UINT64_MAX >> kTextShift;

uint64_t PayloadOf(const rocksdb::IOStatus& status, uint64_t text_size) {
  return kIsPayload | static_cast<uint64_t>(status.code()) |
         static_cast<uint64_t>(status.subcode()) << kSubCodeShift |
         static_cast<uint64_t>(status.GetScope()) << kScopeShift |
         (status.GetRetryable() ? kRetryable : 0) |
         (status.GetDataLoss() ? kDataLoss : 0) |
         std::min(text_size, kMostText) << kTextShift;
}

template <class Enum>
Enum PartOf(uint64_t payload, int shift) {
  return static_cast<Enum>((payload >> shift) & 0xff);
}

rocksdb::IOStatus WithoutFlags(uint64_t payload, const rocksdb::Slice& text) {
  using rocksdb::IOStatus;
  switch (PartOf<IOStatus::Code>(payload, 0)) {
    case IOStatus::kTimedOut:
      return IOStatus::TimedOut(text);
    case IOStatus::kCorruption:
      return IOStatus::Corruption(text);
    case IOStatus::kNotSupported:
      return IOStatus::NotSupported(text);
    case IOStatus::kInvalidArgument:
      return IOStatus::InvalidArgument(text);
    case IOStatus::kBusy:
      return IOStatus::Busy(text);
    case IOStatus::kAborted:
      return IOStatus::Aborted(text);
    case IOStatus::kNotFound:
      return IOStatus::NotFound(text);
    default:
      break;
  }
  switch (PartOf<IOStatus::SubCode>(payload, kSubCodeShift)) {
    case IOStatus::kNoSpace:
      return IOStatus::NoSpace(text);
    case IOStatus::kPathNotFound:
      return IOStatus::PathNotFound(text);
    case IOStatus::kIOFenced:
      return IOStatus::IOFenced(text);
    default:
      return IOStatus::IOError(text);
  }
}

// Ashlar has put the place of the read in front of RocksDB's text, which ends
// the message. It comes off again: RocksDB's own tables do not name it.
rocksdb::IOStatus FromPayload(uint64_t payload, std::string_view message) {
  using rocksdb::IOStatus;
  const uint64_t size = std::min(payload >> kTextShift, message.size());
  const std::string_view text = message.substr(message.size() - size);
  IOStatus status =
      WithoutFlags(payload, rocksdb::Slice(text.data(), text.size()));
  status.SetScope(PartOf<IOStatus::IOErrorScope>(payload, kScopeShift));
  status.SetRetryable((payload & kRetryable) != 0);
  status.SetDataLoss((payload & kDataLoss) != 0);
  return status;
}

ashlar::Status CodeFor(const rocksdb::IOStatus& status,
                       const std::string& message) {
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

}  // namespace

rocksdb::Status ToRocksDB(const ashlar::Status& status) {
  const std::string_view text = status.message();
  const rocksdb::Slice message(text.data(), text.size());
  if ((status.payload() & kIsPayload) != 0) {
    return FromPayload(status.payload(), text);
  }
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
  const char* const text = status.getState();
  const std::string message = text != nullptr ? text : file;
  return CodeFor(status, message)
      .WithPayload(PayloadOf(status, text != nullptr ? message.size() : 0));
}

}  // namespace ashlar_rocksdb
