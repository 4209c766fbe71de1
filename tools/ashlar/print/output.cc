#include "tools/ashlar/print/output.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <iterator>
#include <utility>

#include "ashlar/util/printable.h"
#include "tools/ashlar/print/color.h"
#include "tools/ashlar/print/status_line.h"

namespace ashlar::tool {
namespace {

// The state that the signal handler uses. Only the handler and EndOfWork write
// it, and EndOfWork blocks the signals while it does.
// Read by any thread, hence atomically.
volatile sig_atomic_t interrupted = 0;
volatile sig_atomic_t work_is_done = 0;
// The handler writes to the second end, so that a wait for input also ends if
// the signal comes just before the wait.
int wake_pipe[2] = {-1, -1};

constexpr int kCaught[] = {SIGINT, SIGTERM, SIGHUP};

constexpr std::string_view kCameLate =
    "ashlar: a signal came when the work was complete; its result stands\n";

void WriteRaw(std::string_view text) {
  // If this fails, there is no way left to report it.
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, text.data(), text.size());
}

// All functions that are called here are async-signal-safe. A signal that is
// raised here is delivered when the handler returns.
void OnInterrupt(int number) {
  const int error = errno;
  if (work_is_done != 0) {
    if (interrupted == 0) WriteRaw(kCameLate);
  } else if (interrupted != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  __atomic_store_n(&interrupted, 1, __ATOMIC_RELAXED);
  [[maybe_unused]] const ssize_t woken = write(wake_pipe[1], "", 1);
  errno = error;
}

// If a signal is ignored, that is intended: by nohup, or by a shell that starts
// a job in the background.
void CatchUnlessIgnored(int number) {
  struct sigaction action = {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = OnInterrupt;
  sigaction(number, &action, nullptr);
}

void WriteError(std::string line) {
  EraseStatusLine();
  line += '\n';
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t written =
        write(STDERR_FILENO, line.data() + done, line.size() - done);
    if (written < 0) {
      if (errno == EINTR) continue;
      return;  // there is no way left to report it
    }
    done += static_cast<size_t>(written);
  }
}

}  // namespace

Output::Output(int descriptor)
    : buffer_(std::make_unique_for_overwrite<char[]>(kCapacity)),
      descriptor_(descriptor),
      on_terminal_(isatty(descriptor) != 0) {}

Output::Output(WritableFile* file)
    : buffer_(std::make_unique_for_overwrite<char[]>(kCapacity)), file_(file) {}

Output::Output(std::string* text)
    : buffer_(std::make_unique_for_overwrite<char[]>(kCapacity)), text_(text) {}

bool Output::Flush() {
  Write(buffer_.get(), used_);
  used_ = 0;
  return error_ == 0 && file_status_.ok();
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
  if (text_ != nullptr) {
    text_->append(data, size);
    return;
  }
  if (file_ != nullptr) {
    if (file_status_.ok()) file_status_ = file_->Append(Slice(data, size));
    return;
  }
  if (size > 0 && on_terminal_) {
    EraseStatusLine();
    SetRowIsTaken(data[size - 1] != '\n');
  }
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

void PrintError(std::string_view line) { WriteError(PrintableText(line)); }

void PrintFault(const FaultText& line) {
  std::string fault = PrintableText(line.fault);
  if (!fault.empty()) fault = ColoredError(fault, Color::kBad);
  WriteError(PrintableText(line.before) + fault + PrintableText(line.after));
}

void PrintWarning(std::string_view text) {
  WriteError("ashlar: " + ColoredError("warning:", Color::kDoubtful) + " " +
             PrintableText(text));
}

void PrintHint(std::string_view text) {
  WriteError("ashlar: " + ColoredError("hint:", Color::kAdvice) + " " +
             PrintableText(text));
}

void CatchInterrupt() {
  // Without the pipe, a signal still ends a wait, unless it comes just before
  // the wait.
  if (pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
    wake_pipe[0] = wake_pipe[1] = -1;
  }
  for (const int number : kCaught) CatchUnlessIgnored(number);
  // Makes a write fail instead, if it is to a pipe without a reader, or beyond
  // the limit of a file's size.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool Interrupted() {
  return __atomic_load_n(&interrupted, __ATOMIC_RELAXED) != 0;
}

bool WaitForInput(int descriptor) {
  pollfd watched[] = {{descriptor, POLLIN, 0}, {wake_pipe[0], POLLIN, 0}};
  while (!Interrupted()) {
    // If the descriptor cannot be polled, the read reports that.
    if (poll(watched, std::size(watched), -1) >= 0) break;
    if (errno != EINTR) break;
  }
  return !Interrupted();
}

void EndOfWork(bool was_interrupted) {
  sigset_t caught;
  sigset_t before;
  sigemptyset(&caught);
  for (const int number : kCaught) sigaddset(&caught, number);
  sigprocmask(SIG_BLOCK, &caught, &before);
  if (interrupted != 0 && !was_interrupted) WriteRaw(kCameLate);
  work_is_done = 1;
  sigprocmask(SIG_SETMASK, &before, nullptr);
}

void PrintOutOfMemory() {
  EraseStatusLine();
  WriteRaw("ashlar: Memory limit: out of memory\n");
}

}  // namespace ashlar::tool
