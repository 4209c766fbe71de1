#include "tools/ashlar/progress.h"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "tools/ashlar/flags.h"
#include "tools/ashlar/output.h"

namespace ashlar::tool {
namespace {

bool Wanted(uint64_t total) {
  constexpr uint64_t kLargeFileBytes = uint64_t{64} << 20;
  if (FLAGS_progress != "auto") return FLAGS_progress == "always";
  return total > kLargeFileBytes && isatty(STDERR_FILENO);
}

}  // namespace

Progress::Progress(std::string path) : path_(std::move(path)) {}

Progress::~Progress() {
  if (shown_percent_ >= 0) std::fputc('\n', stderr);
}

bool Progress::Update(uint64_t done, uint64_t total) {
  if (Interrupted()) return false;
  if (total == 0 || !Wanted(total)) return true;
  const int percent = static_cast<int>(100.0 * static_cast<double>(done) /
                                       static_cast<double>(total));
  if (percent != shown_percent_) {
    shown_percent_ = percent;
    std::fprintf(stderr, "\r%s: %d %%", path_.c_str(), percent);
  }
  return true;
}

}  // namespace ashlar::tool
