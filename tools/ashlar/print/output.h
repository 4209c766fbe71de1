// Output: writes text in large pieces to standard output or into a file. Also
// holds the flag that SIGINT, SIGTERM and SIGHUP set.
//
// Everything that a command prints as its result goes through one Output, which
// keeps the first error, to be reported at the end. For one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_OUTPUT_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_OUTPUT_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ashlar/util/file.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

class Output {
 public:
  // Does not close `descriptor`.
  explicit Output(int descriptor);
  explicit Output(WritableFile* file);
  // Appends to *text when it is flushed.
  explicit Output(std::string* text);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  // Does not flush. The end of a run calls Flush, to learn of errors.
  ~Output() = default;

  void Append(std::string_view bytes) {
    if (bytes.size() > kCapacity - used_) {
      AppendLarge(bytes);
      return;
    }
    bytes.copy(buffer_.get() + used_, bytes.size());
    used_ += bytes.size();
  }

  // Returns space for `size` bytes (at most kMaxReserve). The caller fills it
  // from its start, and then passes the number of bytes to Advance.
  static constexpr size_t kMaxReserve = size_t{1} << 16;
  char* Reserve(size_t size) {
    if (size > kCapacity - used_) Flush();
    return buffer_.get() + used_;
  }
  void Advance(size_t size) { used_ += size; }

  // Passes everything to the operating system. Returns false if this has ever
  // failed.
  bool Flush();

  // Returns the errno of the first failure, or 0. For descriptors.
  int error() const { return error_; }
  bool on_terminal() const { return on_terminal_; }
  // Returns the first failure. For files.
  const Status& file_status() const { return file_status_; }

 private:
  static constexpr size_t kCapacity = size_t{1} << 18;

  void AppendLarge(std::string_view bytes);
  void Write(const char* data, size_t size);

  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  int error_ = 0;
  int descriptor_ = -1;
  // The terminal may be the one that shows the status line.
  bool on_terminal_ = false;
  WritableFile* file_ = nullptr;
  std::string* text_ = nullptr;
  Status file_status_;
};

// A line about a fault, in parts. Since names may contain any words, only the
// code that makes the line knows which words describe the fault.
struct FaultText {
  std::string before;  // such as "<file>: "
  std::string fault;   // red on a terminal with colors; may be empty
  std::string after;

  std::string ToString() const { return before + fault + after; }
};

// Each of these prints one line on standard error, with a single write if
// possible.
void PrintError(std::string_view line);
void PrintFault(const FaultText& line);
// Prints "ashlar: warning: <text>". A warning does not change the exit code.
void PrintWarning(std::string_view text);
// Prints "ashlar: hint: <text>", which says what a person may do.
void PrintHint(std::string_view text);

// From now on SIGINT, SIGTERM and SIGHUP, unless the parent process ignores
// them, only set a flag. Output can then be ended properly, and nothing
// unfinished stays. A second such signal ends the program at once. Also from
// now on, a write to a pipe without a reader fails, instead of ending the
// program.
void CatchInterrupt();
// May be called by any thread.
bool Interrupted();
// Waits until a read of the descriptor would not wait, or would return the end
// or an error. Returns false if interrupted, before or during the wait.
bool WaitForInput(int descriptor);
// To be called once, when a command has done all its work. From now on, signals
// stop nothing. If a signal comes later, or came too late to be seen, a line on
// standard error says that the work is complete. `was_interrupted`: the command
// saw the signal, and reported it.
void EndOfWork(bool was_interrupted);

// Prints "Memory limit: out of memory", without allocating memory.
void PrintOutOfMemory();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_OUTPUT_H_
