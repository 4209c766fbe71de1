// recompress: measures the size of a table with other codecs and levels.
//
// For each of them, it builds a whole table into a scratch file, with as little
// of it in memory as usual. The second time that it shows is that of reading
// the table back.
#include <memory>
#include <string>
#include <utility>

#include "ashlar/table/inspect.h"
#include "ashlar/table/statistics.h"
#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/measure/block_sample.h"
#include "tools/ashlar/measure/recompress_options.h"
#include "tools/ashlar/measure/trial_table.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

class Recompressor {
 public:
  explicit Recompressor(RecompressOptions options)
      : options_(std::move(options)) {}

  void Recompress(const std::string& path, Report* report) {
    const std::unique_ptr<TableReader> file = Open(path, report);
    if (file == nullptr) return;
    baseline_ = StoredBlocks();
    baseline_is_known_ = options_.sample != 0;
    baseline_is_printed_ = false;
    std::unique_ptr<TableReader> sample;
    if (options_.sample != 0) {
      const bool stripped =
          file->properties().user_defined_timestamps_persisted == 0;
      sample = TakeBlockSample(
          path, stripped ? StoredOrder(file->properties()) : file->comparator(),
          options_.sample, report, &baseline_);
    } else {
      baseline_ = FindStoredBlocks(path, file->properties());
    }
    report->BeginList("runs");
    const TableReader* const input =
        options_.sample != 0 ? sample.get() : file.get();
    const Status status = input == nullptr ? Status() : RunAll(*input, report);
    report->EndList();
    // In text, it came before the first run.
    if (!report->text() && baseline_is_printed_) report->Show(BaselineResult());
    if (!status.ok()) report->AddFault(status);
    if (input != nullptr) report->AddEntries(input->properties().num_entries);
  }

 private:
  // Opens the table with statistics that count the decompressed bytes of data
  // blocks only. For that, index partitions are loaded at open.
  std::unique_ptr<TableReader> Open(const std::string& path, Report* report) {
    ReaderOptions options = ReaderOptionsFromFlags();
    statistics_ = std::make_shared<Statistics>();
    options.statistics = statistics_;
    options.partition_pinning = PinningTier::kAll;
    return ReportOpened(TableReader::Open(path, options), path, report);
  }

  // Returns how much larger the blocks that were read so far are than their
  // stored form, in bytes.
  uint64_t Expansion() const {
    return statistics_->GetTickerCount(Ticker::kBytesDecompressedTo) -
           statistics_->GetTickerCount(Ticker::kBytesDecompressedFrom);
  }

  // How many builds there are, and how often each goes through the table: it
  // is written, read back, and perhaps compared.
  uint64_t CountParts() const {
    uint64_t runs = 0;
    for (const RecompressOptions::Codec& codec : options_.codecs) {
      if (IsCompressionSupported(codec.type)) runs += codec.levels.size();
    }
    return runs * (FLAGS_verify_compression ? 3 : 2);
  }

  static std::string NameOf(const RecompressRun& run) {
    std::string name(CompressionTypeName(run.codec));
    if (run.level != CompressionOptions::kDefaultLevel) {
      name += " level " + std::to_string(run.level);
    }
    return name;
  }

  // In text, what RocksDB's tool prints, among the results.
  static void RefuseCodec(CompressionType codec, Report* report) {
    const std::string name(CompressionTypeEnumName(codec));
    report->RaiseExitCode(kExitFailure);
    if (report->text()) {
      report->ShowText(UnsupportedCodec{codec});
    } else {
      report->AddFault(Status::NotSupported("compression " + name));
    }
  }

  Status RunAll(const TableReader& input, Report* report) {
    Progress progress(report->path());
    options_.table.comparator = input.comparator();
    options_.table.persist_user_defined_timestamps =
        input.properties().user_defined_timestamps_persisted != 0;
    for (const RecompressOptions::Codec& codec : options_.codecs) {
      if (!IsCompressionSupported(codec.type)) {
        RefuseCodec(codec.type, report);
        continue;
      }
      bool has_heading = false;
      for (const int level : codec.levels) {
        RecompressRun run = {
            .codec = codec.type,
            .level = level,
            .block_size = options_.table.block_size,
            .threads = options_.threads,
            .max_dict_bytes = options_.table.compression_opts.max_dict_bytes};
        Status status = Rebuild(input, &progress, &run);
        ShowBaselineOnce(report);
        if (!has_heading) {
          report->ShowText(RunsHeading{run.codec, run.block_size, run.threads});
        }
        has_heading = true;
        if (!status.ok()) return status;
        report->Show(run);
      }
    }
    return {};
  }

  // The first pass through the table shows the uncompressed size of its blocks.
  void FindBaseline(uint64_t expansion) {
    if (baseline_is_known_) return;
    baseline_is_known_ = true;
    baseline_.uncompressed =
        baseline_.data_size - kBlockTrailerBytes * baseline_.blocks + expansion;
  }

  void ShowBaselineOnce(Report* report) {
    if (!baseline_is_known_ || baseline_is_printed_) return;
    baseline_is_printed_ = true;
    report->ShowText(BaselineResult());
  }

  Baseline BaselineResult() const { return {baseline_, options_.sample != 0}; }

  Status Rebuild(const TableReader& input, Progress* progress,
                 RecompressRun* run) {
    options_.table.compression = run->codec;
    options_.table.compression_opts.level = run->level;
    TrialTable trial(input, progress);
    const uint64_t parts = CountParts();
    const uint64_t bytes = input.file().Size();
    const std::string name = NameOf(*run);
    progress->BeginPart(parts, bytes, name);
    const uint64_t expansion = Expansion();
    Status status = trial.Write(options_.table, options_.build);
    if (!status.ok()) return status;
    FindBaseline(Expansion() - expansion);
    progress->BeginPart(parts, bytes, name);
    status = trial.ReadBack(workers_.pool());
    run->made = trial.made();
    run->write = trial.write();
    run->read = trial.read();
    if (!status.ok() || !FLAGS_verify_compression) return status;
    progress->BeginPart(parts, bytes, name);
    return trial.Compare();
  }

  RecompressOptions options_;
  Workers workers_;
  // The state of the current file.
  std::shared_ptr<Statistics> statistics_;
  StoredBlocks baseline_;
  bool baseline_is_known_ = false;
  bool baseline_is_printed_ = false;
};

}  // namespace

int RunRecompress(const CommandLine& line) {
  RecompressOptions options;
  std::string error = CheckComparatorFlag();
  if (error.empty()) error = RecompressOptionsFromFlags(line, &options);
  if (!error.empty()) return UsageError(error);
  Recompressor recompressor(std::move(options));
  return RunOverFiles(line, "recompress",
                      [&recompressor](const std::string& path, Report* report) {
                        recompressor.Recompress(path, report);
                      });
}

}  // namespace ashlar::tool
