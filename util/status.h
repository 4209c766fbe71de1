// Status: the outcome of a call that can fail.
//
// Returned by every fallible function of Ashlar. One pointer, null when all is
// well, so that success costs nothing. [[nodiscard]]: an error cannot be
// dropped unseen. Safe to read from any number of threads; assigning needs the
// caller's own exclusion.
//
// Exceptions. A function that returns Status or Result, and the calls of an
// object that has a status(), throw nothing of their own: where memory is out
// they return MemoryLimit. (What a callback or a class of the caller's throws,
// other than std::bad_alloc, passes through.) Functions that return a plain
// value, such as a std::string, may throw std::bad_alloc.
//
// Making, copying and prefixing a Status never throw. Where there is no memory
// for the message, the code is kept and the message says that.
#ifndef ASHLAR_UTIL_STATUS_H_
#define ASHLAR_UTIL_STATUS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "ashlar/util/export.h"

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
    kMemoryLimit,      // memory is out, or a limit on it forbids more
  };

  Status() = default;
  Status(Status&& other) noexcept
      : error_(std::exchange(other.error_, nullptr)) {}
  Status& operator=(Status&& other) noexcept {
    if (this != &other) {
      Drop();
      error_ = std::exchange(other.error_, nullptr);
    }
    return *this;
  }
  Status(const Status& other) noexcept
      : error_(other.error_ == nullptr ? nullptr : Copied(*other.error_)) {}
  Status& operator=(const Status& other) noexcept {
    if (this != &other) *this = Status(other);
    return *this;
  }
  ~Status() { Drop(); }

  static Status OK() { return {}; }
  static Status NotFound(std::string_view message = {}) {
    return Status(Code::kNotFound, message);
  }
  static Status Corruption(std::string_view message) {
    return Status(Code::kCorruption, message);
  }
  static Status NotSupported(std::string_view message) {
    return Status(Code::kNotSupported, message);
  }
  static Status InvalidArgument(std::string_view message) {
    return Status(Code::kInvalidArgument, message);
  }
  static Status IOError(std::string_view message) {
    return Status(Code::kIOError, message);
  }
  static Status MergeInProgress(std::string_view message) {
    return Status(Code::kMergeInProgress, message);
  }
  static Status Aborted(std::string_view message) {
    return Status(Code::kAborted, message);
  }
  static Status MemoryLimit(std::string_view message) {
    return Status(Code::kMemoryLimit, message);
  }
  // MemoryLimit, made without any memory.
  ASHLAR_EXPORT static Status OutOfMemory() noexcept;
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

  // The text without the code; empty when ok. Always printable: bytes of names
  // that are not are shown as PrintableText (util/printable.h) shows them.
  std::string_view message() const {
    return error_ ? std::string_view(error_->text, error_->size)
                  : std::string_view();
  }
  // "Corruption: block checksum mismatch ...", or "OK".
  ASHLAR_EXPORT std::string ToString() const;
  // The same error with "<prefix>: " in front of its message; ok stays ok.
  ASHLAR_EXPORT Status WithPrefix(std::string_view prefix) const noexcept;
  // For the rare place where an error has no one left to go to.
  void IgnoreError() const {}

 private:
  struct Error {
    Code code;
    bool is_shared;  // one of those that are there from the start
    const char* text;
    size_t size;
  };
  ASHLAR_EXPORT Status(Code code, std::string_view message) noexcept;
  static const Error* WithoutMessage(Code code) noexcept;
  // Of printable text "<prefix>: <message>", or of the message alone.
  static const Error* Make(Code code, std::string_view prefix,
                           std::string_view message) noexcept;
  ASHLAR_EXPORT static const Error* Copied(const Error& error) noexcept;
  ASHLAR_EXPORT static void Free(const Error* error) noexcept;
  void Drop() {
    if (error_ != nullptr) Free(error_);
  }

  const Error* error_ = nullptr;
};

// The name that messages use: "Corruption", "IO error", "Not supported", ...
ASHLAR_EXPORT std::string_view StatusCodeName(Status::Code code);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_STATUS_H_
