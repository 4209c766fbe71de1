// check and scan: read every entry in order.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/commands/scan_database.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/inputs/merge_flags.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/inputs/workers.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/results/entry_printer.h"

namespace ashlar::tool {
namespace {

class Scanner {
 public:
  Scanner(bool print, bool takes_databases)
      : print_(print),
        takes_databases_(takes_databases),
        walks_(print && FLAGS_output_format != "count"),
        limit_(std::max(FLAGS_read_num, FLAGS_limit)),
        left_(limit_) {}

  // Reads the flags. Returns what is wrong with them, or an empty string.
  std::string Prepare(const CommandLine& line) {
    const std::string error = ReadMergeOperator(line, &merge_operator_);
    return error.empty() ? range_.Parse(line) : error;
  }

  void Scan(const std::string& path, Report* report) {
    if (takes_databases_ && IsDatabase(path, FolderUse::kOneDatabase))
      return ScanAsDatabase(path, report);
    const std::unique_ptr<TableReader> reader =
        OpenTable(path, range_.IsAll(), report);
    if (reader == nullptr) return;
    PrintRange(report);
    PrintHeader(report);
    EntryPrinter printer(
        print_,
        {.size = reader->comparator()->timestamp_size(),
         .stripped =
             reader->properties().user_defined_timestamps_persisted == 0},
        report);
    Progress progress(path);
    const Walk walk = walks_ || !range_.IsAll() || limit_ != 0
                          ? WalkOneByOne(*reader, &printer, &progress, report)
                          : CheckAll(*reader, &progress);
    if (walk.complete && FLAGS_range_dels) {
      PrintRangeDeletions(*reader, &printer);
    }
    printer.Finish(walk.entries);
    entries_ += walk.entries;
    report->AddEntries(walk.entries);
    if (!walk.status.ok()) {
      report->AddFault(walk.status);
    } else if (walk.complete && range_.IsAll()) {
      CheckCount(walk.entries, *reader, report);
    }
  }

  // For `check`, after the last file.
  void PrintVerdict(Report* report) const {
    if (FLAGS_quiet || !report->AllSound() || report->AllSkipped()) return;
    report->ShowText(CheckedEntries{entries_, range_.IsAll() && limit_ == 0});
  }

 private:
  struct Walk {
    uint64_t entries = 0;
    bool complete = false;  // reached the end of the range
    Status status;
  };

  void ScanAsDatabase(const std::string& folder, Report* report) {
    PrintRange(report);
    PrintHeader(report);
    const uint64_t most =
        limit_ == 0 ? std::numeric_limits<uint64_t>::max() : left_;
    left_ -= std::min(
        left_, ScanDatabase(folder, range_, merge_operator_, most, report));
  }

  // Prints the range once, before the first table.
  void PrintRange(Report* report) {
    if (range_printed_ || !report->headings()) return;
    range_printed_ = true;
    report->ShowText(ScannedRange{range_.start(), range_.limit()});
  }

  void PrintHeader(Report* report) {
    if (header_printed_ || !print_ || FLAGS_output_format != "csv") return;
    header_printed_ = true;
    report->ShowText(CsvHeader{});
  }

  // Checks all entries, if none are printed.
  Walk CheckAll(const TableReader& reader, Progress* progress) {
    Walk walk;
    walk.status = reader.CheckEntries(
        ReadOptionsFromFlags(), workers_.pool(),
        [progress](uint64_t done, uint64_t total) {
          return progress->Update(done, total);
        },
        &walk.entries);
    const uint64_t bytes = reader.file().Size();
    walk.complete = walk.status.ok() && progress->Update(bytes, bytes);
    // An interrupt is not a fault.
    if (walk.status.IsAborted()) walk.status = Status();
    return walk;
  }

  Walk WalkOneByOne(const TableReader& reader, EntryPrinter* printer,
                    Progress* progress, Report* report) {
    ReadOptions options = ReadOptionsFromFlags();
    options.ignore_range_deletions = true;
    Iterator iterator = reader.NewIterator(options);
    Walk walk = WalkRange(reader, &iterator, printer, progress, report);
    walk.status = iterator.status();
    return walk;
  }

  Walk WalkRange(const TableReader& reader, Iterator* iterator,
                 EntryPrinter* printer, Progress* progress, Report* report) {
    constexpr uint64_t kEntriesBetweenLooks = 256;
    const Comparator& comparator = *reader.comparator();
    const uint64_t bytes = reader.file().Size();
    const uint64_t count = reader.properties().num_entries;
    const bool limited = limit_ != 0;
    Walk walk;
    if (limited && left_ == 0) return walk;
    for (range_.SeekToStart(comparator, iterator); iterator->Valid();
         iterator->Next()) {
      if (range_.EndsBefore(iterator->user_key(), comparator)) break;
      if (walk.entries % kEntriesBetweenLooks == 0 &&
          (!progress->UpdateByEntries(walk.entries, count, bytes) ||
           report->MustStop())) {
        return walk;
      }
      ++walk.entries;
      printer->Print({iterator->user_key(), iterator->sequence(),
                      iterator->type(), iterator->value()});
      if (limited && --left_ == 0) return walk;
    }
    walk.complete = progress->Update(bytes, bytes);
    return walk;
  }

  // Prints the range deletions that overlap with the range.
  void PrintRangeDeletions(const TableReader& reader, EntryPrinter* printer) {
    for (const RangeDeletion& deletion : reader.RangeDeletions()) {
      if (!range_.Meets(deletion.begin, deletion.end, *reader.comparator())) {
        continue;
      }
      printer->Print({deletion.begin, deletion.sequence,
                      ValueType::kTypeRangeDeletion, deletion.end});
    }
  }

  static void CheckCount(uint64_t points, const TableReader& reader,
                         Report* report) {
    const TableProperties& properties = reader.properties();
    // Some files do not have this property, such as those of LevelDB.
    if (!properties.stored.contains("rocksdb.num.entries")) return;
    const auto check = [report](uint64_t expected, uint64_t found,
                                const char* what) {
      if (found == expected) return;
      report->AddFault(Status::Corruption(
          "properties say " + std::to_string(expected) + what +
          ", but there are " + std::to_string(found)));
    };
    const uint64_t found = reader.RangeDeletions().size();
    // RocksDB before 5.15 counts range deletions only among all entries. Up to
    // 5.18 it then counts them only apart.
    const uint64_t ranges =
        properties.stored.contains("rocksdb.num.range-deletions")
            ? properties.num_range_deletions
            : found;
    if (ranges == 0 || properties.num_entries != points) {
      check(properties.num_entries - ranges, points,
            " entries other than range deletions");
    }
    check(ranges, found, " range deletions");
  }

  const bool print_;
  const bool takes_databases_;
  const bool walks_;  // looks at each entry, and does not only count
  const uint64_t limit_;
  KeyRange range_;
  std::shared_ptr<const MergeOperator> merge_operator_;
  uint64_t left_;
  Workers workers_;
  bool range_printed_ = false;
  bool header_printed_ = false;
  uint64_t entries_ = 0;
};

int Run(const CommandLine& line, bool print) {
  // sst_dump scans each table of a folder.
  const bool takes_databases = print && line.has_command_word;
  Scanner scanner(print, takes_databases);
  std::string error = scanner.Prepare(line);
  if (error.empty()) error = CheckComparatorFlag();
  if (error.empty() && FLAGS_text && ChosenForm() == ReportForm::kText) {
    error = "--text goes with --json or --jsonl";
  }
  if (!error.empty()) return UsageError(error);
  const auto scan = [&scanner](const std::string& path, Report* report) {
    scanner.Scan(path, report);
  };
  if (print) {
    return RunOverFiles(
        line, "scan", scan, {},
        takes_databases ? FolderUse::kOneDatabase : FolderUse::kTables);
  }
  // The output of sst_dump's form is that of sst_dump.
  return RunOverFiles(line, "check", scan, [&scanner, &line](Report* report) {
    if (line.has_command_word) scanner.PrintVerdict(report);
  });
}

}  // namespace

int RunCheck(const CommandLine& line) { return Run(line, false); }
int RunScan(const CommandLine& line) { return Run(line, true); }

}  // namespace ashlar::tool
