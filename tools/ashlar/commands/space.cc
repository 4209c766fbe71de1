// space: shows bytes by range of keys, or by prefix.
#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/key_prefix.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/file_space.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

// The space of several tables together.
class SpaceSum {
 public:
  void Add(const FileSpace& space) {
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

  uint64_t files() const { return files_; }
  bool orders_differ() const { return orders_differ_; }
  // To be called last.
  FileSpace Take() {
    if (orders_differ_) {
      all_.blocks.clear();
    } else if (all_.order != nullptr) {
      SortRanges(*all_.order, &all_.blocks);
    }
    return std::move(all_);
  }

 private:
  FileSpace all_;
  uint64_t files_ = 0;
  bool orders_differ_ = false;
};

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
    if (IsDatabase(path, FolderUse::kDatabases))
      return ShowDatabase(path, report);
    FileSpace space;
    if (!ReadFileSpace(path, range_, &space, report)) return;
    ++inputs_;
    total_.Add(space);
    report->Show(ResultOf(std::move(space)));
  }

  // To be called after the last file.
  void Finish(Report* report) {
    const bool orders_differ = total_.orders_differ();
    const uint64_t files = total_.files();
    report->Show(
        TotalSpace{files, inputs_ > 1, orders_differ, ResultOf(total_.Take())});
  }

 private:
  void ShowDatabase(const std::string& folder, Report* report) {
    const auto database = Database::Open(folder);
    if (!database.ok()) return report->AddFault(database.status());
    (*database)->WarnOfTheRest();
    SpaceSum sum;
    std::map<uint32_t, LevelSpace> levels;
    (*database)->ForEachTable(
        report, [&](const LiveTable& table, const std::string& path) {
          FileSpace space;
          if (!ReadFileSpace(path, range_, &space, report)) return;
          LevelSpace& level = levels[table.level];
          level.level = table.level;
          ++level.files;
          level.data_blocks += space.data_blocks;
          level.data_bytes += space.data_bytes;
          level.file_bytes += space.file_bytes;
          sum.Add(space);
          total_.Add(space);
        });
    ++inputs_;
    DatabaseSpace result;
    for (const auto& [number, level] : levels) result.levels.push_back(level);
    result.space = ResultOf(sum.Take());
    report->Show(result);
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
  SpaceSum total_;
  uint64_t inputs_ = 0;  // that have something to show
};

}  // namespace

int RunSpace(const CommandLine& line) {
  Space space;
  std::string error = CheckComparatorFlag();
  if (error.empty()) error = space.Prepare(line);
  if (!error.empty()) return UsageError(error);
  return RunOverFiles(
      line, "space",
      [&space](const std::string& path, Report* report) {
        space.Show(path, report);
      },
      [&space](Report* report) { space.Finish(report); },
      FolderUse::kDatabases);
}

}  // namespace ashlar::tool
