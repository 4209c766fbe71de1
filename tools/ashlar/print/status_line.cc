#include "tools/ashlar/print/status_line.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace ashlar::tool {
namespace {

// When a terminal sends the signal, it prints ^C after the line. These columns
// stay free for it, so that the row does not break, and are erased with the
// line.
constexpr size_t kEchoColumns = 3;

// The number of columns of the line on the terminal; 0 if none is shown.
size_t shown_columns = 0;
bool row_is_taken = false;

void WriteAll(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace

bool StatusIsOnTerminal() {
  static const bool on_terminal = isatty(STDERR_FILENO) != 0;
  return on_terminal;
}

size_t StatusColumns() {
  if (!StatusIsOnTerminal()) return std::string_view::npos;
  constexpr size_t kUsualColumns = 80;
  winsize size = {};
  size_t columns = kUsualColumns;
  // Asks each time, because the terminal may have been resized.
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col != 0) {
    columns = size.ws_col;
  }
  return columns > kEchoColumns ? columns - kEchoColumns : 0;
}

void ShowStatusLine(std::string_view text) {
  if (!StatusIsOnTerminal()) {
    WriteAll(std::string(text) + '\n');
    return;
  }
  if (row_is_taken) return;
  if (text.empty()) {
    EraseStatusLine();
    return;
  }
  std::string line = '\r' + std::string(text);
  if (shown_columns > text.size()) {
    line.append(shown_columns - text.size(), ' ');
  }
  shown_columns = text.size();
  WriteAll(line);
}

void EraseStatusLine() {
  if (shown_columns == 0) return;
  // Writes blanks, which work on all terminals. Allocates no memory, because
  // destructors call this.
  std::fputc('\r', stderr);
  for (size_t i = 1; i < shown_columns + kEchoColumns; ++i) {
    std::fputc(' ', stderr);
  }
  std::fputc('\r', stderr);
  shown_columns = 0;
}

void SetRowIsTaken(bool taken) { row_is_taken = taken; }

}  // namespace ashlar::tool
