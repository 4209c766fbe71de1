// Status: the outcome of a call that can fail.
//
// A function that can fail for other reasons than want of memory returns it, or
// a Result. A function that hides an error says so in its comment. It is one
// pointer, null for OK, so success costs nothing. It is [[nodiscard]]: the
// compiler warns if an error is dropped. Thread safety: any number of threads
// may read it at once, and assigning needs the caller's own exclusion. Not
// RocksDB's Status: it has fewer codes and other subcodes, and MemoryLimit is a
// code here, not a subcode of Aborted.
//
// Exceptions. A function that returns Status or Result throws nothing of its
// own, and neither do the functions of an object that has a status(). If memory
// is out, they return MemoryLimit. What a callback or a class of the caller
// throws passes through, unless it is std::bad_alloc. Functions that return a
// plain value, such as a std::string, may throw std::bad_alloc.
//
// Making, copying and prefixing a Status never throws. If there is no memory
// for the message, the code and the subcode are kept, and the message says so.
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
  // What kind of outcome it is.
  enum class Code : uint8_t {
    kOk,
    kNotFound,         // what was asked for is not there; not of table reads
    kCorruption,       // bytes of a file contradict the format
    kNotSupported,     // valid, but this library does not do it (yet)
    kInvalidArgument,  // the caller asked for something impossible
    kIOError,          // the operating system refused or failed
    kMergeInProgress,  // merge operands, and nobody to merge them
    kAborted,          // the caller asked to stop the operation
    kMemoryLimit,      // memory is out, or a limit forbids more of it
    kIncomplete,       // options of the read forbid what the answer needs
    kTimedOut,         // the time that the caller allowed is over
  };

  // The cause of an error, for callers that act on it. Most errors have none.
  // Act on the code and the subcode, never on the message: messages are for
  // people, and their wording changes between releases. Later releases may add
  // subcodes.
  enum class SubCode : uint8_t {
    kNone,

    // Of IOError. FromErrno makes them of an errno.
    kPathNotFound,      // a file or folder of the path does not exist (ENOENT),
                        // or a folder of the path is a file (ENOTDIR)
    kPermissionDenied,  // EACCES
    kNoSpace,           // the file system is full (ENOSPC)
    kFileTooLarge,      // the file would exceed a limit of the system (EFBIG)
    kTooManyOpenFiles,  // the process (EMFILE) or the system (ENFILE) has no
                        // file descriptor left. A TableCache returns it after
                        // it has closed the tables that were not in use.

    // Of Corruption.
    kAboveSizeLimit,          // a block's uncompressed size is above the limit
                              // that the caller set. The block may be sound.
    kCompressionNotVerified,  // TableOptions::verify_compression failed
    kFilterNotVerified,       // detect_filter_construct_corruption failed
    kCodecFailed,             // a codec of the application (CustomCodec) failed
                              // or broke its contract. The block may be sound.

    // Of NotSupported.
    kNewerFormat,        // the file has a format version or a footer that this
                         // release of Ashlar does not know
    kPlainTable,         // the file is one of RocksDB's plain tables
    kCuckooTable,        // the file is one of RocksDB's cuckoo tables
    kPebbleTable,        // the file is in one of Pebble's own formats
    kNotBuiltIn,         // this build lacks the codec, comparator or prefix
                         // extractor that a file or an option names
    kCustomCompression,  // a codec of the application that wrote the file

    // Of InvalidArgument: the entries that an application passes to a builder,
    // or that its EntrySource has, are not in the order of internal keys.
    kKeyOutOfOrder,  // Of a builder: the key belongs before one that was added
                     // earlier. Of a source: Next moved to a smaller key, Prev
                     // to a larger one, or Seek to one before its target.
    kDuplicateKey,   // The key is equal to the one before it. If a user key may
                     // come only once (ExternalFileWriter, or timestamps are
                     // not written), an equal user key is enough.
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

  // Each of these makes a Status with this code and message. A subcode must be
  // one of those that are listed for the code, or kNone.
  static Status OK() { return {}; }
  static Status NotFound(std::string_view message = {}) {
    return Status(Code::kNotFound, SubCode::kNone, message);
  }
  static Status Corruption(std::string_view message,
                           SubCode subcode = SubCode::kNone) {
    return Status(Code::kCorruption, subcode, message);
  }
  static Status NotSupported(std::string_view message,
                             SubCode subcode = SubCode::kNone) {
    return Status(Code::kNotSupported, subcode, message);
  }
  static Status InvalidArgument(std::string_view message,
                                SubCode subcode = SubCode::kNone) {
    return Status(Code::kInvalidArgument, subcode, message);
  }
  static Status IOError(std::string_view message,
                        SubCode subcode = SubCode::kNone) {
    return Status(Code::kIOError, subcode, message);
  }
  static Status MergeInProgress(std::string_view message) {
    return Status(Code::kMergeInProgress, SubCode::kNone, message);
  }
  static Status Aborted(std::string_view message) {
    return Status(Code::kAborted, SubCode::kNone, message);
  }
  static Status MemoryLimit(std::string_view message) {
    return Status(Code::kMemoryLimit, SubCode::kNone, message);
  }
  static Status Incomplete(std::string_view message) {
    return Status(Code::kIncomplete, SubCode::kNone, message);
  }
  static Status TimedOut(std::string_view message) {
    return Status(Code::kTimedOut, SubCode::kNone, message);
  }
  // Returns a MemoryLimit. Needs no memory.
  ASHLAR_EXPORT static Status OutOfMemory() noexcept;
  // Returns an IOError that names the operation, the file and errno's text:
  // "read a.sst: Input/output error", with the subcode of the errno. For ENOMEM
  // it is a MemoryLimit.
  ASHLAR_EXPORT static Status FromErrno(std::string_view operation,
                                        std::string_view path, int errno_value);

  // Return whether it is OK, and what kind of outcome it is.
  bool ok() const { return error_ == nullptr; }
  Code code() const { return error_ ? error_->code : Code::kOk; }
  // Returns kNone if OK, and for errors without a subcode.
  SubCode subcode() const { return error_ ? error_->subcode : SubCode::kNone; }
  // Each returns whether the code is the one of its name.
  bool IsNotFound() const { return code() == Code::kNotFound; }
  bool IsCorruption() const { return code() == Code::kCorruption; }
  bool IsNotSupported() const { return code() == Code::kNotSupported; }
  bool IsInvalidArgument() const { return code() == Code::kInvalidArgument; }
  bool IsIOError() const { return code() == Code::kIOError; }
  bool IsMergeInProgress() const { return code() == Code::kMergeInProgress; }
  bool IsAborted() const { return code() == Code::kAborted; }
  bool IsMemoryLimit() const { return code() == Code::kMemoryLimit; }
  bool IsIncomplete() const { return code() == Code::kIncomplete; }
  bool IsTimedOut() const { return code() == Code::kTimedOut; }

  // Returns the text without the code. Empty if OK. Always printable: other
  // bytes are shown as PrintableText (util/printable.h) shows them. Valid until
  // this Status is changed or destroyed.
  std::string_view message() const {
    return error_ ? std::string_view(error_->text, error_->size)
                  : std::string_view();
  }
  // Returns "Corruption: block checksum mismatch ..." or "OK". May throw
  // std::bad_alloc.
  ASHLAR_EXPORT std::string ToString() const;
  // Returns the same error, with its subcode, and with "<prefix>: " before its
  // message. OK stays OK.
  ASHLAR_EXPORT Status WithPrefix(std::string_view prefix) const noexcept;
  // Returns the same error with this payload: a word of the application's own,
  // such as a code of its file system, which its file classes attach to an
  // error, and which it finds in the Status that the library returns. The
  // library does not look at it. Copies and WithPrefix keep it, unless there is
  // no memory for them. OK stays OK, without a payload.
  ASHLAR_EXPORT Status WithPayload(uint64_t payload) const noexcept;
  // Returns 0 if OK, and for errors without a payload.
  uint64_t payload() const { return error_ ? error_->payload : 0; }
  // Says that the error is dropped on purpose, because nobody is left to get
  // it.
  void IgnoreError() const {}

 private:
  struct Error {
    Code code;
    SubCode subcode;
    bool is_shared;  // a constant, which is never freed
    const char* text;
    size_t size;
    uint64_t payload = 0;
  };
  ASHLAR_EXPORT Status(Code code, SubCode subcode,
                       std::string_view message) noexcept;
  static const Error* WithoutMessage(Code code, SubCode subcode) noexcept;
  // The text is "<prefix>: <message>", or the message alone, made printable.
  static const Error* Make(Code code, SubCode subcode, std::string_view prefix,
                           std::string_view message, uint64_t payload) noexcept;
  ASHLAR_EXPORT static const Error* Copied(const Error& error) noexcept;
  ASHLAR_EXPORT static void Free(const Error* error) noexcept;
  void Drop() {
    if (error_ != nullptr) Free(error_);
  }

  const Error* error_ = nullptr;
};

// Returns the name that messages use: "Corruption", "IO error", "Not supported"
// and so on. The text lives forever.
ASHLAR_EXPORT std::string_view StatusCodeName(Status::Code code);

}  // namespace ashlar

#endif  // ASHLAR_UTIL_STATUS_H_
