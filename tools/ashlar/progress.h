// A line on standard error that says how far the work on a file is.
#ifndef ASHLAR_TOOLS_ASHLAR_PROGRESS_H_
#define ASHLAR_TOOLS_ASHLAR_PROGRESS_H_

#include <cstdint>
#include <string>

namespace ashlar::tool {

class Progress {
 public:
  explicit Progress(std::string path);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Ends the line.
  ~Progress();

  // Shows it, as --progress asks. False when the work should be given up.
  bool Update(uint64_t done, uint64_t total);

 private:
  const std::string path_;
  int shown_percent_ = -1;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PROGRESS_H_
