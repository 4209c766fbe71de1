// Progress: a line on standard error that shows how far the work on a file is.
//
// There may be one object at a time. The work on a file may use several, one
// after the other.
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
  uint64_t number = 1;  // of the file, among `files`
  uint64_t files = 1;
};
// Returns the parts of the line that fit into `columns`, in printable ASCII.
std::string ProgressLine(const ProgressState& state, size_t columns);

class Progress {
 public:
  explicit Progress(std::string path);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Erases the line.
  ~Progress();

  // Shows the progress, as --progress asks. Returns false if the work should be
  // stopped.
  bool Update(uint64_t done, uint64_t total);
  // Does the same by the number of entries that are done, for a file of `bytes`
  // bytes. `entries` is what the file claims, and may be wrong.
  bool UpdateByEntries(uint64_t done, uint64_t entries, uint64_t bytes);

  // Sets which of the run's files is next. The first is 1.
  static void SetFile(uint64_t number, uint64_t files);
  // Returns how far the work on the last file came, in percent.
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
