#include "tools/ashlar/print/progress.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/status_line.h"

namespace ashlar::tool {
namespace {

struct {
  uint64_t number = 1;
  uint64_t files = 1;
  int percent = 0;
} run;

bool Wanted(uint64_t total) {
  constexpr uint64_t kLargeFileBytes = uint64_t{64} << 20;
  if (FLAGS_progress != "auto") return FLAGS_progress == "always";
  return total > kLargeFileBytes && StatusIsOnTerminal();
}

std::string ProgressBar(int percent, size_t width) {
  const size_t share = static_cast<size_t>(std::clamp(percent, 0, 100));
  const size_t full = share * width / 100;
  return "[" + std::string(full, '#') + std::string(width - full, '.') + "]";
}

// Returns the end of the path, within `columns`. Shows characters that are not
// printable ASCII as '?', since they may have any width or effect.
std::string ShortPath(std::string_view path, size_t columns) {
  std::string shown;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool continues = byte >= 0x80 && byte < 0xc0;
    if (!continues) shown += byte >= 0x20 && byte < 0x7f ? c : '?';
  }
  if (shown.size() <= columns) return shown;
  constexpr std::string_view kCut = "...";
  if (columns <= kCut.size()) return {};
  return std::string(kCut) +
         shown.substr(shown.size() - (columns - kCut.size()));
}

std::string TimeLeft(double seconds) {
  const auto left = static_cast<uint64_t>(seconds);
  char text[48];
  std::snprintf(text, sizeof text, "%llu:%02llu left",
                static_cast<unsigned long long>(left / 60),
                static_cast<unsigned long long>(left % 60));
  return text;
}

std::string Format(const char* format, double a, double b = 0) {
  char text[96];
  std::snprintf(text, sizeof text, format, a, b);
  return text;
}

}  // namespace

Progress::Progress(std::string path) : path_(std::move(path)) {
  run.percent = 0;
}

Progress::~Progress() { EraseStatusLine(); }

void Progress::SetFile(uint64_t number, uint64_t files) {
  run = {number, files, 0};
}

int Progress::percent() { return run.percent; }

void PartTimes::Begin(uint64_t parts, double seconds) {
  parts_ = parts;
  ++begun_;
  begin_ = seconds;
}

std::optional<double> PartTimes::Left(double share, double seconds) const {
  constexpr double kLeastShare = 0.01;
  if (begun_ == 0) return std::nullopt;
  const auto done = static_cast<double>(begun_ - 1);
  const auto to_come = static_cast<double>(parts_ - std::min(begun_, parts_));
  if (share < kLeastShare) {
    if (begun_ == 1) return std::nullopt;
    return begin_ / done * (to_come + 1);
  }
  const double present = (seconds - begin_) / share;
  const double average = (begin_ + present) / (done + 1);
  return present * (1 - share) + average * to_come;
}

void Progress::BeginPart(uint64_t parts, uint64_t part_bytes,
                         std::string what) {
  parts_ = parts;
  part_bytes_ = part_bytes;
  what_ = std::move(what);
  times_.Begin(parts, Seconds());
  // The name of the part is news by itself.
  shown_percent_ = -1;
}

double Progress::Seconds() const {
  return static_cast<double>(stopwatch_.WallMicros()) / 1e6;
}

bool Progress::Update(uint64_t done, uint64_t total) {
  // A damaged file may name offsets beyond its end.
  done = std::min(done, total);
  std::optional<double> seconds_left;
  if (parts_ != 0 && total != 0) {
    const double share = static_cast<double>(done) / static_cast<double>(total);
    seconds_left = times_.Left(share, Seconds());
    done = std::min(times_.done(), parts_ - 1) * part_bytes_ +
           static_cast<uint64_t>(share * static_cast<double>(part_bytes_));
    total = parts_ * part_bytes_;
  } else if (done != 0) {
    seconds_left = Seconds() * static_cast<double>(total - done) /
                   static_cast<double>(done);
  }
  if (total != 0) {
    run.percent = static_cast<int>(100.0 * static_cast<double>(done) /
                                   static_cast<double>(total));
  }
  if (Interrupted()) return false;
  if (total != 0 && Wanted(total) && IsNews()) {
    Show(done, total, seconds_left);
  }
  return true;
}

// In a log, there is one line per percent. On a terminal, the line is also
// updated every 200 ms.
bool Progress::IsNews() const {
  constexpr uint64_t kPeriodMicros = 200000;
  return run.percent != shown_percent_ ||
         (StatusIsOnTerminal() &&
          stopwatch_.WallMicros() - shown_micros_ >= kPeriodMicros);
}

bool Progress::UpdateByEntries(uint64_t done, uint64_t entries,
                               uint64_t bytes) {
  const uint64_t share = std::min(done, entries);
  const double part =
      entries == 0 ? 0.0
                   : static_cast<double>(share) / static_cast<double>(entries);
  return Update(static_cast<uint64_t>(part * static_cast<double>(bytes)),
                bytes);
}

std::string ProgressLine(const ProgressState& state, size_t columns) {
  constexpr double kMega = 1e6;
  const double done = static_cast<double>(state.done) / kMega;
  const double all = static_cast<double>(state.total) / kMega;
  const double rate = state.seconds > 0 ? done / state.seconds : 0;
  const std::string bare_percent = std::to_string(state.percent) + " %";
  const std::string percent =
      state.what.empty() ? bare_percent
                         : std::string(state.what) + ": " + bare_percent;
  const std::string bar = " " + ProgressBar(state.percent, 20);
  const std::string short_bar = " " + ProgressBar(state.percent, 10);
  const std::string sizes = Format(" %.1f of %.1f MB", done, all);
  const std::string speed = Format(", %.0f MB/s", rate);
  const std::string left =
      state.seconds_left ? ", " + TimeLeft(*state.seconds_left) : "";
  std::string file;
  if (state.files > 1) {
    file = std::to_string(state.number) + "/" + std::to_string(state.files);
  }
  // From the longest form to the shortest.
  const std::string tails[] = {
      percent + bar + sizes + speed + left,
      percent + short_bar + sizes + speed + left,
      percent + short_bar + speed + left,
      percent + short_bar + left,
      percent + left,
      percent,
      bare_percent,
  };
  // Enough to distinguish files.
  constexpr size_t kLeastPath = 16;
  const size_t least = std::min(state.path.size(), kLeastPath) + 2;
  for (const std::string& tail : tails) {
    std::string head = file.empty() ? file : file + " ";
    if (head.size() + least + tail.size() > columns) continue;
    head += ShortPath(state.path, columns - head.size() - tail.size() - 2);
    head += ": ";
    return head += tail;
  }
  return bare_percent.size() <= columns ? bare_percent : std::string();
}

void Progress::Show(uint64_t done, uint64_t total,
                    const std::optional<double>& seconds_left) {
  constexpr double kMega = 1e6;
  shown_percent_ = run.percent;
  shown_micros_ = stopwatch_.WallMicros();
  const double seconds = static_cast<double>(shown_micros_) / kMega;
  ShowStatusLine(ProgressLine({path_, run.percent, done, total, seconds,
                               run.number, run.files, what_, seconds_left},
                              StatusColumns()));
}

}  // namespace ashlar::tool
