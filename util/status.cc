#include "util/status.h"

#include <system_error>

namespace ashlar {

Status::Status(Code code, std::string message)
    : error_(std::make_unique<Error>(Error{code, std::move(message)})) {}

Status Status::FromErrno(std::string_view operation, std::string_view path,
                         int errno_value) {
  std::string text(operation);
  text.append(" ").append(path).append(": ");
  text.append(std::generic_category().message(errno_value));
  return IOError(std::move(text));
}

std::string Status::ToString() const {
  if (ok()) return "OK";
  std::string text(StatusCodeName(code()));
  if (!message().empty()) text.append(": ").append(message());
  return text;
}

Status Status::WithPrefix(std::string_view prefix) const {
  if (ok()) return {};
  std::string text(prefix);
  text.append(": ").append(message());
  return Status(code(), std::move(text));
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
  }
  return "Unknown code";
}

}  // namespace ashlar
