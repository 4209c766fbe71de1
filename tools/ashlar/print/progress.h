// Progress: a line on standard error that shows how far the work on a file is.
//
// There may be one object at a time. The work on a file may use several, one
// after the other.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_PROGRESS_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
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
  // Which part of the work is going on; may be empty.
  std::string_view what = {};
  std::optional<double> seconds_left = {};  // none: unknown
};
// Returns the parts of the line that fit into `columns`, in printable ASCII.
std::string ProgressLine(const ProgressState& state, size_t columns);

// Estimates how long work of several parts still takes. Each part does as much,
// but may be slower or faster than others: so those to come count as long as
// the parts so far took on average.
class PartTimes {
 public:
  // Begins the next part, of `parts` in all, `seconds` after the work began.
  void Begin(uint64_t parts, double seconds);
  // How many parts are done.
  uint64_t done() const { return begun_ == 0 ? 0 : begun_ - 1; }
  // Returns the time left if this share of the present part is done; nothing
  // if that is too little to tell, and no part is done.
  std::optional<double> Left(double share, double seconds) const;

 private:
  uint64_t parts_ = 1;
  uint64_t begun_ = 0;
  double begin_ = 0;  // of the present part
};

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

  // Says that the updates from here on are of the next of `parts` parts of the
  // work, and shows what that is. Each part counts as `part_bytes`, whatever
  // the total of its updates is.
  void BeginPart(uint64_t parts, uint64_t part_bytes, std::string what);

  // Sets which of the run's files is next. The first is 1.
  static void SetFile(uint64_t number, uint64_t files);
  // Returns how far the work on the last file came, in percent.
  static int percent();

 private:
  bool IsNews() const;
  void Show(uint64_t done, uint64_t total,
            const std::optional<double>& seconds_left);
  double Seconds() const;

  const std::string path_;
  const Stopwatch stopwatch_;
  uint64_t parts_ = 0;  // 0: the work has no parts
  uint64_t part_bytes_ = 0;
  std::string what_;
  PartTimes times_;
  int shown_percent_ = -1;
  uint64_t shown_micros_ = 0;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_PROGRESS_H_
