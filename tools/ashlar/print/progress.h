// Progress: a line on standard error that says how far the work on a file is.
//
// One at a time: the work on a file may have several, one after the other.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PROGRESS_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "tools/ashlar/print/stopwatch.h"

namespace ashlar::tool {

struct ProgressState {
  std::string_view path;
  int percent = 0;
  uint64_t done = 0;  // of `total` bytes
  uint64_t total = 0;
  double seconds = 0;
  uint64_t number = 1;  // of the file, of `files`
  uint64_t files = 1;
};
// As much of it as so many columns take, in printable ASCII.
std::string ProgressLine(const ProgressState& state, size_t columns);

class Progress {
 public:
  explicit Progress(std::string path);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Erases the line.
  ~Progress();

  // Shows it, as --progress asks. False when the work should be given up.
  bool Update(uint64_t done, uint64_t total);
  // The same of a file of so many bytes, by the entries that are done. What a
  // file says of their number may be wrong.
  bool UpdateByEntries(uint64_t done, uint64_t entries, uint64_t bytes);

  // Of the files of this run, which one the next is, from 1.
  static void SetFile(uint64_t number, uint64_t files);
  // Hundredths that the work on the last file had come to.
  static int percent();

 private:
  bool IsNews() const;
  void Show(uint64_t done, uint64_t total);

  const std::string path_;
  const Stopwatch stopwatch_;
  int shown_percent_ = -1;
  uint64_t shown_micros_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PROGRESS_H_
