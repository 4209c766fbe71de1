// space: shows bytes by range of keys, or by prefix.
#include <string>
#include <utility>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/key_prefix.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/file_space.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

class Space {
 public:
  std::string Prepare(const CommandLine& line) {
    if (line.Given("ranges") && WantsPrefixes()) {
      return "--ranges goes with neither --prefix_length nor "
             "--prefix_separator";
    }
    return range_.Parse(line);
  }

  void Show(const std::string& path, Report* report) {
    FileSpace space;
    if (!ReadFileSpace(path, range_, &space, report)) return;
    AddToTotal(space);
    report->Show(ResultOf(std::move(space)));
  }

  // To be called after the last file.
  void Finish(Report* report) {
    if (orders_differ_) {
      all_.blocks.clear();
    } else if (all_.order != nullptr) {
      SortRanges(*all_.order, &all_.blocks);
    }
    report->Show(TotalSpace{files_, orders_differ_, ResultOf(std::move(all_))});
  }

 private:
  void AddToTotal(const FileSpace& space) {
    // A limit of ranges per file, so that memory suffices. It is enough for any
    // chart.
    constexpr uint64_t kMostOfFile = 1024;
    ++files_;
    all_.data_blocks += space.data_blocks;
    all_.data_bytes += space.data_bytes;
    all_.file_bytes += space.file_bytes;
    all_.prefixes.Merge(space.prefixes);
    orders_differ_ = orders_differ_ || space.order == nullptr ||
                     (all_.order != nullptr && all_.order != space.order);
    all_.order = space.order;
    if (orders_differ_) return;
    for (KeySpaceRange& range : CutIntoRanges(space.blocks, kMostOfFile)) {
      all_.blocks.push_back(std::move(range));
    }
  }

  static SpaceResult ResultOf(FileSpace space) {
    SpaceResult result = {.data_blocks = space.data_blocks,
                          .data_bytes = space.data_bytes,
                          .file_bytes = space.file_bytes,
                          .by_prefix = WantsPrefixes()};
    if (result.by_prefix) {
      result.prefixes = space.prefixes.Largest(FLAGS_top, &result.others);
    } else {
      result.ranges = CutIntoRanges(std::move(space.blocks), FLAGS_ranges);
    }
    return result;
  }

  KeyRange range_;
  FileSpace all_;
  uint64_t files_ = 0;
  bool orders_differ_ = false;
};

}  // namespace

int RunSpace(const CommandLine& line) {
  Space space;
  const std::string error = space.Prepare(line);
  if (!error.empty()) return UsageError(error);
  return RunOverFiles(
      line, "space",
      [&space](const std::string& path, Report* report) {
        space.Show(path, report);
      },
      [&space](Report* report) { space.Finish(report); });
}

}  // namespace ashlar::tool
