#include "tools/ashlar/output.h"

#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <utility>

#include "tools/ashlar/color.h"
#include "tools/ashlar/print_text.h"
#include "tools/ashlar/status_line.h"

namespace ashlar::tool {
namespace {

volatile sig_atomic_t interrupted = 0;

// Both calls are allowed here. What is raised comes when this returns.
void OnInterrupt(int number) {
  if (interrupted != 0) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  interrupted = 1;
}

// nohup, and a shell that starts a job aside, mean it.
void CatchUnlessIgnored(int number) {
  struct sigaction action = {};
  sigaction(number, nullptr, &action);
  if (action.sa_handler == SIG_IGN) return;
  action = {};
  action.sa_handler = OnInterrupt;
  sigaction(number, &action, nullptr);
}

// U+0000 to U+001F and U+007F to U+009F.
bool IsControl(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (first < 0x80) return first < ' ' || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

// Names in files may not begin lines of their own, or steer a terminal.
std::string Printable(std::string_view line) {
  std::string text;
  while (!line.empty()) {
    const size_t length = CharacterBytes(line);
    const std::string_view character = line.substr(0, length == 0 ? 1 : length);
    if (length == 0 || IsControl(character)) {
      text += Escape(Slice(character));
    } else {
      text += character;
    }
    line.remove_prefix(character.size());
  }
  return text;
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
      return;  // there is nowhere left to say so
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

void PrintError(std::string_view line) { WriteError(Printable(line)); }

void PrintFault(const FaultText& line) {
  std::string fault = Printable(line.fault);
  if (!fault.empty()) fault = ColoredError(fault, Color::kBad);
  WriteError(Printable(line.before) + fault + Printable(line.after));
}

void PrintWarning(std::string_view text) {
  WriteError("ashlar: " + ColoredError("warning:", Color::kDoubtful) + " " +
             Printable(text));
}

void PrintHint(std::string_view text) {
  WriteError("ashlar: " + ColoredError("hint:", Color::kAdvice) + " " +
             Printable(text));
}

void CatchInterrupt() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) CatchUnlessIgnored(number);
  // A write to a pipe that nobody reads, or beyond the limit of a file's size,
  // then fails instead.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

bool Interrupted() { return interrupted != 0; }

}  // namespace ashlar::tool
