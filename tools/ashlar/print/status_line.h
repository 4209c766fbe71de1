// The status line: one line on standard error that is overwritten, for text
// that matters only for a moment.
//
// On a terminal it fits into one row, and is erased before anything else is
// printed. Elsewhere, as in a log, each text is a line. For one thread at a
// time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_STATUS_LINE_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_STATUS_LINE_H_

#include <cstddef>
#include <string_view>

namespace ashlar::tool {

bool StatusIsOnTerminal();

// Returns the columns that the line may take. There is no limit if there is no
// terminal.
size_t StatusColumns();

// Shows `text`, which must be printable ASCII, and not longer than
// StatusColumns.
void ShowStatusLine(std::string_view text);

// Erases the line. To be called before anything else is written to the
// terminal. Takes no time if no line is shown.
void EraseStatusLine();
// Records whether the terminal's last row has part of other output. While it
// does, no status line is shown.
void SetRowIsTaken(bool taken);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_STATUS_LINE_H_
