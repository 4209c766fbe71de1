// Status: the outcome of a call that can fail.
//
// Returned by every fallible function of Ashlar; no exception crosses the
// API. One pointer, null when all is well, so that success costs nothing.
// [[nodiscard]]: an error cannot be dropped unseen. Safe to read from any
// number of threads; assigning needs the caller's own exclusion.
#ifndef ASHLAR_UTIL_STATUS_H_
#define ASHLAR_UTIL_STATUS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "util/export.h"

namespace ashlar {

class [[nodiscard]] Status {
 public:
  enum class Code : uint8_t {
    kOk,
    kNotFound,         // what was asked for is not there; nothing is wrong
    kCorruption,       // bytes of a file contradict the format
    kNotSupported,     // legal, but not something this library does (yet)
    kInvalidArgument,  // the caller asked for something impossible
    kIOError,          // the operating system refused or failed
    kMergeInProgress,  // merge operands were met and nobody takes them
    kAborted,          // the operation was given up on request
    kMemoryLimit,      // there is no room, and room was to be kept to
  };

  Status() = default;
  Status(Status&&) noexcept = default;
  Status& operator=(Status&&) noexcept = default;
  Status(const Status& other)
      : error_(other.error_ ? std::make_unique<Error>(*other.error_)
                            : nullptr) {}
  Status& operator=(const Status& other) {
    if (this != &other) *this = Status(other);
    return *this;
  }
  ~Status() = default;

  static Status OK() { return {}; }
  static Status NotFound(std::string message = {}) {
    return Status(Code::kNotFound, std::move(message));
  }
  static Status Corruption(std::string message) {
    return Status(Code::kCorruption, std::move(message));
  }
  static Status NotSupported(std::string message) {
    return Status(Code::kNotSupported, std::move(message));
  }
  static Status InvalidArgument(std::string message) {
    return Status(Code::kInvalidArgument, std::move(message));
  }
  static Status IOError(std::string message) {
    return Status(Code::kIOError, std::move(message));
  }
  static Status MergeInProgress(std::string message) {
    return Status(Code::kMergeInProgress, std::move(message));
  }
  static Status Aborted(std::string message) {
    return Status(Code::kAborted, std::move(message));
  }
  static Status MemoryLimit(std::string message) {
    return Status(Code::kMemoryLimit, std::move(message));
  }
  // An I/O error that names the operation, the file and errno's text:
  // "read a.sst: Input/output error".
  ASHLAR_EXPORT static Status FromErrno(std::string_view operation,
                                        std::string_view path, int errno_value);

  bool ok() const { return error_ == nullptr; }
  Code code() const { return error_ ? error_->code : Code::kOk; }
  bool IsNotFound() const { return code() == Code::kNotFound; }
  bool IsCorruption() const { return code() == Code::kCorruption; }
  bool IsNotSupported() const { return code() == Code::kNotSupported; }
  bool IsInvalidArgument() const { return code() == Code::kInvalidArgument; }
  bool IsIOError() const { return code() == Code::kIOError; }
  bool IsMergeInProgress() const { return code() == Code::kMergeInProgress; }
  bool IsAborted() const { return code() == Code::kAborted; }
  bool IsMemoryLimit() const { return code() == Code::kMemoryLimit; }

  // The text without the code; empty when ok.
  std::string_view message() const {
    return error_ ? std::string_view(error_->message) : std::string_view();
  }
  // "Corruption: block checksum mismatch ...", or "OK".
  ASHLAR_EXPORT std::string ToString() const;
  // The same error with "<prefix>: " in front of its message; ok stays ok.
  ASHLAR_EXPORT Status WithPrefix(std::string_view prefix) const;
  // For the rare place where an error has no one left to go to.
  void IgnoreError() const {}

 private:
  struct Error {
    Code code;
    std::string message;
  };
  ASHLAR_EXPORT Status(Code code, std::string message);

  std::unique_ptr<Error> error_;
};

// The name that messages use: "Corruption", "IO error", "Not supported", ...
ASHLAR_EXPORT std::string_view StatusCodeName(Status::Code code);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_STATUS_H_
