// The status line: one line on standard error that is written over, for what
// is only of interest while it is true.
//
// On a terminal it stays within one row and leaves nothing behind; whatever is
// printed meanwhile takes its place. Elsewhere (a log) each of them is a line.
// One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_STATUS_LINE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_STATUS_LINE_H_

#include <cstddef>
#include <string_view>

namespace ashlar::tool {

bool StatusIsOnTerminal();

// What a line may take up; without a limit where there is no terminal.
size_t StatusColumns();

// Printable ASCII, no longer than StatusColumns.
void ShowStatusLine(std::string_view text);

// To be called before anything else is written to the terminal. Costs nothing
// where no line is shown.
void EraseStatusLine();
// Whether the terminal's last row holds part of something else: no line is
// shown while it does.
void SetRowIsTaken(bool taken);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_STATUS_LINE_H_
