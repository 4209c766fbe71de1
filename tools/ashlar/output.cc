#include "tools/ashlar/output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace ashlar::tool {
namespace {

volatile sig_atomic_t interrupted = 0;

void OnInterrupt(int) { interrupted = 1; }

}  // namespace

Output::Output(int descriptor)
    : buffer_(std::make_unique_for_overwrite<char[]>(kCapacity)),
      descriptor_(descriptor) {}

bool Output::Flush() {
  Write(buffer_.get(), used_);
  used_ = 0;
  return error_ == 0;
}

void Output::AppendLarge(std::string_view bytes) {
  Flush();
  if (bytes.size() >= kCapacity) {
    Write(bytes.data(), bytes.size());
    return;
  }
  bytes.copy(buffer_.get(), bytes.size());
  used_ = bytes.size();
}

void Output::Write(const char* data, size_t size) {
  while (size > 0 && error_ == 0) {
    const ssize_t written = write(descriptor_, data, size);
    if (written < 0) {
      if (errno != EINTR) error_ = errno;
      continue;
    }
    data += written;
    size -= static_cast<size_t>(written);
  }
}

void PrintError(std::string_view line) {
  std::string text(line);
  text += '\n';
  size_t done = 0;
  while (done < text.size()) {
    const ssize_t written =
        write(STDERR_FILENO, text.data() + done, text.size() - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      return;  // there is nowhere left to say so
    }
    done += static_cast<size_t>(written);
  }
}

void CatchInterrupt() {
  struct sigaction action = {};
  action.sa_handler = OnInterrupt;
  // SA_RESETHAND: the second SIGINT has its usual effect.
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
}

bool Interrupted() { return interrupted != 0; }

}  // namespace ashlar::tool
