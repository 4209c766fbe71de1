// recompress: measures the size of a table with other codecs and levels.
//
// For each of them, it builds a whole table into a scratch file, with as little
// of it in memory as usual. The second time that it shows is that of reading
// the table back.
#include <cinttypes>
#include <cstdio>
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

namespace ashlar::tool {
namespace {

double RatioOf(uint64_t uncompressed, uint64_t stored) {
  return stored == 0
             ? 0.0
             : static_cast<double>(uncompressed) / static_cast<double>(stored);
}

struct Trial {
  CompressionType codec;
  int level;
  TableProperties made;
  Elapsed write;
  Elapsed read;

  double ratio() const {
    return RatioOf(made.uncompressed_data_size, made.data_size);
  }
  uint64_t blocks_compressed() const {
    return made.num_data_blocks - made.num_data_blocks_compression_rejected -
           made.num_data_blocks_compression_bypassed;
  }
};

std::string BlockCount(const char* label, uint64_t count, uint64_t total) {
  const double percent = total == 0 ? 0.0
                                    : 100.0 * static_cast<double>(count) /
                                          static_cast<double>(total);
  char text[96];
  std::snprintf(text, sizeof text, " %s: %6" PRIu64 " (%5.1f%%)", label, count,
                percent);
  return text;
}

void PrintTrial(const Trial& run, Output* out) {
  char text[256];
  std::snprintf(text, sizeof text,
                "Cx level: %d Cx size: %10" PRIu64 " Uncx size: %10" PRIu64
                " Ratio: %10.6f Write usec: %10" PRIu64
                "  Read usec: %10" PRIu64 " ",
                run.level, run.made.data_size, run.made.uncompressed_data_size,
                run.ratio(), run.write.wall_micros, run.read.wall_micros);
  out->Append(text);
  const TableProperties& made = run.made;
  const uint64_t total = made.num_data_blocks;
  out->Append(BlockCount("Cx count", run.blocks_compressed(), total));
  out->Append(BlockCount("Not cx for ratio",
                         made.num_data_blocks_compression_rejected, total));
  out->Append(BlockCount("Not cx otherwise",
                         made.num_data_blocks_compression_bypassed, total));
  if (!FLAGS_quiet) {
    out->Append("  Write cpu usec: " + std::to_string(run.write.cpu_micros) +
                "  Read cpu usec: " + std::to_string(run.read.cpu_micros));
  }
  out->Append("\n");
}

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
    if (!report->text()) {
      report->json()->Key("runs");
      report->json()->BeginArray();
    }
    const TableReader* const input =
        options_.sample != 0 ? sample.get() : file.get();
    const Status status = input == nullptr ? Status() : RunAll(*input, report);
    if (!report->text()) {
      report->json()->EndArray();
      if (baseline_is_printed_) WriteBaseline(report->json());
    }
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

  Status RunAll(const TableReader& input, Report* report) {
    options_.table.comparator = input.comparator();
    options_.table.persist_user_defined_timestamps =
        input.properties().user_defined_timestamps_persisted != 0;
    for (const RecompressOptions::Codec& codec : options_.codecs) {
      if (!IsCompressionSupported(codec.type)) {
        Refuse(codec.type, report);
        continue;
      }
      bool has_heading = false;
      for (const int level : codec.levels) {
        Trial run = {codec.type, level, {}, {}, {}};
        Status status = Rebuild(input, report->path(), &run);
        PrintBaselineOnce(report);
        if (report->text() && !has_heading) PrintHeading(codec, report);
        has_heading = true;
        if (!status.ok()) return status;
        if (report->text()) {
          PrintTrial(run, report->out());
          report->out()->Flush();  // the next may take long
        } else {
          WriteJson(run, report->json());
        }
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

  void PrintBaselineOnce(Report* report) {
    if (!baseline_is_known_ || baseline_is_printed_) return;
    baseline_is_printed_ = true;
    if (!report->text() || FLAGS_quiet) return;
    const StoredBlocks& stored = baseline_;
    char text[256];
    std::snprintf(text, sizeof text,
                  "Baseline: %-24s Cx size: %10" PRIu64 " Uncx size: %10" PRIu64
                  " Ratio: %10.6f  Blocks: %" PRIu64,
                  stored.CodecName(CompressionTypeEnumName).c_str(),
                  stored.data_size, stored.uncompressed,
                  RatioOf(stored.uncompressed, stored.data_size),
                  stored.blocks);
    report->out()->Append(text);
    if (options_.sample != 0) {
      report->out()->Append(" of " + std::to_string(stored.of_blocks));
    }
    report->out()->Append("\n");
  }

  void WriteBaseline(JsonWriter* json) const {
    json->Key("baseline");
    json->BeginObject();
    json->Member("codec", baseline_.CodecName(CompressionTypeName));
    json->NumberMember("data_size", baseline_.data_size);
    json->NumberMember("uncompressed_size", baseline_.uncompressed);
    json->Key("ratio");
    json->Decimal(RatioOf(baseline_.uncompressed, baseline_.data_size));
    json->NumberMember("blocks", baseline_.blocks);
    json->NumberMember("file_blocks", baseline_.of_blocks);
    json->EndObject();
  }

  static void Refuse(CompressionType type, Report* report) {
    const std::string name(CompressionTypeEnumName(type));
    report->RaiseExitCode(kExitFailure);
    if (report->text()) {
      report->out()->Append("Unsupported compression type: " + name + ".\n");
    } else {
      PrintError("ashlar: Not supported: compression " + name);
    }
  }

  void PrintHeading(const RecompressOptions::Codec& codec, Report* report) {
    char text[128];
    std::snprintf(text, sizeof text,
                  "Compression: %-24s Block Size: %" PRIu64 "  Threads: %u\n",
                  std::string(CompressionTypeEnumName(codec.type)).c_str(),
                  options_.table.block_size, options_.threads);
    report->out()->Append(text);
  }

  Status Rebuild(const TableReader& input, const std::string& path,
                 Trial* run) {
    options_.table.compression = run->codec;
    options_.table.compression_opts.level = run->level;
    TrialTable trial(input, path);
    const uint64_t expansion = Expansion();
    Status status = trial.Write(options_.table, options_.build);
    if (!status.ok()) return status;
    FindBaseline(Expansion() - expansion);
    status = trial.ReadBack(workers_.pool());
    run->made = trial.made();
    run->write = trial.write();
    run->read = trial.read();
    if (!status.ok() || !FLAGS_verify_compression) return status;
    return trial.Compare();
  }

  void WriteJson(const Trial& run, JsonWriter* json) const {
    const TableProperties& made = run.made;
    json->BeginObject();
    json->Member("codec", CompressionTypeName(run.codec));
    json->IntegerMember("level", run.level);
    json->NumberMember("block_size", options_.table.block_size);
    json->NumberMember("threads", options_.threads);
    json->NumberMember("dict_bytes",
                       options_.table.compression_opts.max_dict_bytes);
    json->NumberMember("data_size", made.data_size);
    json->NumberMember("uncompressed_size", made.uncompressed_data_size);
    json->NumberMember("index_size", made.index_size);
    json->Key("ratio");
    json->Decimal(run.ratio());
    json->NumberMember("write_us", run.write.wall_micros);
    json->NumberMember("write_cpu_us", run.write.cpu_micros);
    json->NumberMember("read_us", run.read.wall_micros);
    json->NumberMember("read_cpu_us", run.read.cpu_micros);
    json->NumberMember("blocks_compressed", run.blocks_compressed());
    json->NumberMember("blocks_rejected",
                       made.num_data_blocks_compression_rejected);
    json->NumberMember("blocks_bypassed",
                       made.num_data_blocks_compression_bypassed);
    json->EndObject();
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
