#include "ashlar/util/status.h"

#include <array>
#include <cerrno>
#include <new>
#include <system_error>
#include <type_traits>

#include "ashlar/util/printable.h"

namespace ashlar {

namespace {

constexpr std::string_view kNoMessage = "there was no memory for the message";

using Code = Status::Code;
using SubCode = Status::SubCode;

constexpr size_t kCodes = static_cast<size_t>(Code::kTimedOut) + 1;
constexpr size_t kSubCodes = static_cast<size_t>(SubCode::kDuplicateKey) + 1;

SubCode SubCodeOfErrno(int errno_value) {
  switch (errno_value) {
    case ENOENT:
    case ENOTDIR:
      return SubCode::kPathNotFound;
    case EACCES:
      return SubCode::kPermissionDenied;
    case ENOSPC:
      return SubCode::kNoSpace;
    case EFBIG:
      return SubCode::kFileTooLarge;
    case EMFILE:
    case ENFILE:
      return SubCode::kTooManyOpenFiles;
    default:
      return SubCode::kNone;
  }
}

}  // namespace

const Status::Error* Status::WithoutMessage(Code code,
                                            SubCode subcode) noexcept {
  static constexpr auto kErrors = [] {
    std::array<std::array<Error, kSubCodes>, kCodes> errors{};
    for (size_t i = 0; i < kCodes; ++i) {
      for (size_t j = 0; j < kSubCodes; ++j) {
        errors[i][j] = {static_cast<Code>(i), static_cast<SubCode>(j), true,
                        kNoMessage.data(), kNoMessage.size()};
      }
    }
    return errors;
  }();
  return &kErrors[static_cast<size_t>(code)][static_cast<size_t>(subcode)];
}

// The error and its text are one allocation.
const Status::Error* Status::Make(Code code, SubCode subcode,
                                  std::string_view prefix,
                                  std::string_view message,
                                  uint64_t payload) noexcept {
  using internal::WritePrintable;
  constexpr std::string_view kBetween = ": ";
  const size_t front =
      prefix.empty() ? 0 : WritePrintable(prefix, nullptr) + kBetween.size();
  const size_t size = front + WritePrintable(message, nullptr);
  auto* const memory =
      static_cast<char*>(::operator new(sizeof(Error) + size, std::nothrow));
  if (memory == nullptr) return WithoutMessage(code, subcode);
  char* const text = memory + sizeof(Error);
  if (front != 0) {
    char* const end = text + WritePrintable(prefix, text);
    kBetween.copy(end, kBetween.size());
  }
  WritePrintable(message, text + front);
  return new (memory) Error{code, subcode, false, text, size, payload};
}

const Status::Error* Status::Copied(const Error& error) noexcept {
  if (error.is_shared) return &error;
  return Make(error.code, error.subcode, {}, {error.text, error.size},
              error.payload);
}

void Status::Free(const Error* error) noexcept {
  static_assert(std::is_trivially_destructible_v<Error>);
  if (error->is_shared) return;
  ::operator delete(const_cast<Error*>(error));
}

Status::Status(Code code, SubCode subcode, std::string_view message) noexcept
    : error_(Make(code, subcode, {}, message, 0)) {}

Status Status::OutOfMemory() noexcept {
  static constexpr std::string_view kText = "out of memory";
  static constexpr Error kError = {Code::kMemoryLimit, SubCode::kNone, true,
                                   kText.data(), kText.size()};
  Status status;
  status.error_ = &kError;
  return status;
}

Status Status::FromErrno(std::string_view operation, std::string_view path,
                         int errno_value) {
  const Code code = errno_value == ENOMEM ? Code::kMemoryLimit : Code::kIOError;
  const SubCode subcode = SubCodeOfErrno(errno_value);
  std::string text;
  try {
    text.append(operation).append(" ").append(path).append(": ");
    text.append(std::generic_category().message(errno_value));
  } catch (const std::bad_alloc&) {
    Status status;
    status.error_ = WithoutMessage(code, subcode);
    return status;
  }
  return Status(code, subcode, text);
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  std::string text(StatusCodeName(code()));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

Status Status::WithPrefix(std::string_view prefix) const noexcept {
  Status status;
  if (ok()) return status;
  status.error_ = Make(code(), subcode(), prefix, message(), payload());
  // Without memory for both, keep the message and drop the prefix.
  if (status.error_->is_shared) status.error_ = Copied(*error_);
  return status;
}

Status Status::WithPayload(uint64_t payload) const noexcept {
  Status status;
  if (!ok()) status.error_ = Make(code(), subcode(), {}, message(), payload);
  return status;
}

std::string_view StatusCodeName(Status::Code code) {
  switch (code) {
    case Status::Code::kOk:
      return "OK";
    case Status::Code::kNotFound:
      return "NotFound";
    case Status::Code::kCorruption:
      return "Corruption";
    case Status::Code::kNotSupported:
      return "Not supported";
    case Status::Code::kInvalidArgument:
      return "Invalid argument";
    case Status::Code::kIOError:
      return "IO error";
    case Status::Code::kMergeInProgress:
      return "Merge in progress";
    case Status::Code::kAborted:
      return "Aborted";
    case Status::Code::kMemoryLimit:
      return "Memory limit";
    case Status::Code::kIncomplete:
      return "Incomplete";
    case Status::Code::kTimedOut:
      return "Timed out";
  }
  return "Unknown code";
}

}  // namespace ashlar
