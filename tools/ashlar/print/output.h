// Output: text in large pieces, to standard output or into a file; and the flag
// that SIGINT, SIGTERM and SIGHUP set.
//
// Everything a command prints as its result goes through one Output; its first
// error is kept and told at the end. One thread at a time.
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
  // `descriptor` stays open.
  explicit Output(int descriptor);
  explicit Output(WritableFile* file);
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  // Does not flush: the end of a run asks Flush for its outcome.
  ~Output() = default;

  void Append(std::string_view bytes) {
    if (bytes.size() > kCapacity - used_) {
      AppendLarge(bytes);
      return;
    }
    bytes.copy(buffer_.get() + used_, bytes.size());
    used_ += bytes.size();
  }

  // Space for up to `size` bytes (at most kMaxReserve), filled from its start;
  // Advance says how many were.
  static constexpr size_t kMaxReserve = size_t{1} << 16;
  char* Reserve(size_t size) {
    if (size > kCapacity - used_) Flush();
    return buffer_.get() + used_;
  }
  void Advance(size_t size) { used_ += size; }

  // Hands everything to the operating system. False once that has failed.
  bool Flush();

  // errno of the first failure; 0 while there was none. For descriptors.
  int error() const { return error_; }
  bool on_terminal() const { return on_terminal_; }
  // The first failure, of a file.
  const Status& file_status() const { return file_status_; }

 private:
  static constexpr size_t kCapacity = size_t{1} << 18;

  void AppendLarge(std::string_view bytes);
  void Write(const char* data, size_t size);

  std::unique_ptr<char[]> buffer_;
  size_t used_ = 0;
  int error_ = 0;
  int descriptor_ = -1;
  // Perhaps the one with the status line.
  bool on_terminal_ = false;
  WritableFile* file_ = nullptr;
  Status file_status_;
};

// A line about a fault, in parts: names may hold any word, so that which one
// says what is wrong can be told only where the line is made.
struct FaultText {
  std::string before;  // such as "<file>: "
  std::string fault;   // what a terminal with colors shows in red; may be empty
  std::string after;

  std::string ToString() const { return before + fault + after; }
};

// Each of these: one whole line on standard error, in one piece.
void PrintError(std::string_view line);
void PrintFault(const FaultText& line);
// "ashlar: warning: <text>"; a warning changes no exit code.
void PrintWarning(std::string_view text);
// "ashlar: hint: <text>", which says what may be done.
void PrintHint(std::string_view text);

// From here on SIGINT, SIGTERM and SIGHUP, where the parent does not ignore
// them, only set a flag, so that output can be ended properly and nothing
// unfinished stays; a second one, of any of them, ends the program at once.
// Pipes that nobody reads make writes fail, and no longer end the program.
void CatchInterrupt();
bool Interrupted();
// Waits until a read of the descriptor need not wait, or has come to an end or
// an error. False: interrupted, before or meanwhile.
bool WaitForInput(int descriptor);
// Once, when a command has done all that it will do. From here on a signal does
// not stop anything: one that comes, or came too late to be seen, is answered
// on standard error, which says that the work is complete. `was_interrupted`:
// the command saw it, and said so.
void EndOfWork(bool was_interrupted);

// "Memory limit: out of memory", without memory.
void PrintOutOfMemory();

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_OUTPUT_H_
