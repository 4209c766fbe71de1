// cache-sim: replays traces of a block cache through caches of other sizes.
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/replayed_trace.h"
#include "tools/ashlar/print/results/results.h"
#include "tools/quantity.h"
#include "tools/replay/reuse_chart.h"

namespace ashlar::tool {
namespace {

// Returns what is wrong with the list, or an empty string.
std::string ParseSizes(std::string_view list, std::vector<uint64_t>* sizes) {
  while (true) {
    const size_t comma = list.find(',');
    const std::string_view text = list.substr(0, comma);
    const std::optional<uint64_t> bytes = ParseBytes(text);
    if (!bytes || *bytes == 0) {
      return "--sizes: '" + std::string(text) +
             "' is not a size of a cache, such as 512M or 1GiB";
    }
    sizes->push_back(*bytes);
    if (comma == std::string_view::npos) return {};
    list.remove_prefix(comma + 1);
  }
}

class CacheSim {
 public:
  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Prepare() {
    const Status status =
        sim::FindSimulatedCaches(FLAGS_caches, &options_.caches);
    if (!status.ok()) return "--caches: " + std::string(status.message());
    if (FLAGS_unknown_block_size == 0) {
      return "--unknown_block_size must be 1 or more";
    }
    options_.sampling_frequency = FLAGS_sampling_frequency;
    options_.unknown_block_bytes = FLAGS_unknown_block_size;
    return ParseSizes(FLAGS_sizes, &options_.sizes);
  }

  void Replay(const std::string& path, Report* report) {
    sim::NamedReplay named = {.name = path, .replay = {}};
    sim::TraceReplay& replay = named.replay;
    const Status status = ReplayFile(path, &replay);
    if (replay.was_stopped) return;
    if (!status.ok() && replay.accesses.all == 0) {
      report->AddFault(status);
      return;
    }
    report->OpenedTrace();
    report->AddEntries(replay.accesses.all);
    report->Show(ReplayedTrace{replay, options_.unknown_block_bytes});
    if (replay.is_cut_off) {
      report->out()->Flush();
      PrintWarning(status.message());
    } else if (!status.ok()) {
      report->AddFault(status);
    }
    report->FileIsDone();
    if (!FLAGS_out.empty()) replays_.push_back(std::move(named));
  }

  // To be called after the last trace.
  void Finish(Report* report) const {
    if (FLAGS_out.empty() || replays_.empty() || report->MustStop()) return;
    const std::string chart = sim::DrawReuse(replays_);
    if (FLAGS_out == "-") {
      report->out()->Append(chart);
      return;
    }
    const Status status = WriteChart(chart);
    if (status.ok()) {
      report->Show(WrittenFile{"chart", "chart", FLAGS_out});
      return;
    }
    report->out()->Flush();
    PrintFault(FaultLine(FLAGS_out, status));
    report->RaiseExitCode(kExitFailure);
  }

 private:
  Status ReplayFile(const std::string& path, sim::TraceReplay* replay) {
    const std::optional<uint64_t> total = SizeOf(path);
    Progress progress(path);
    options_.on_progress = [&](uint64_t bytes) {
      return progress.Update(bytes, total.value_or(0));
    };
    return ReplayTrace(path, options_, replay);
  }

  static std::optional<uint64_t> SizeOf(const std::string& path) {
    if (!IsRegularFile(path)) return std::nullopt;
    const auto file = OpenRandomAccessFile(path);
    return file.ok() ? std::optional((*file)->Size()) : std::nullopt;
  }

  static Status WriteChart(const std::string& chart) {
    auto file = OutputFile::Create(FLAGS_out, {.overwrite = FLAGS_overwrite});
    if (!file.ok()) return file.status();
    Status status = (*file)->file()->Append(chart);
    return status.ok() ? (*file)->Commit() : status;
  }

  sim::ReplayOptions options_;
  std::vector<sim::NamedReplay> replays_;  // with --out
};

}  // namespace

int RunCacheSim(const CommandLine& line) {
  CacheSim cache_sim;
  const std::string error = cache_sim.Prepare();
  if (!error.empty()) return UsageError(error);
  for (const std::string& input : line.inputs) {
    if (IsDirectory(input)) {
      return UsageError("'" + input +
                        "' is a folder: cache-sim reads files of traces");
    }
  }
  if (FLAGS_out == "-" && (FLAGS_json || FLAGS_jsonl)) {
    return UsageError("--out=- goes with neither --json nor --jsonl");
  }
  if (!FLAGS_out.empty() && FLAGS_out != "-") {
    WarnOfLeftFiles(FLAGS_out);
    const Status free = CheckIsFree(FLAGS_out, line.inputs);
    if (!free.ok()) return OutputIsTaken(free);
  }
  return RunOverFiles(
      line, "cache-sim",
      [&](const std::string& path, Report* report) {
        cache_sim.Replay(path, report);
      },
      [&](Report* report) { cache_sim.Finish(report); });
}

}  // namespace ashlar::tool
