// build: a table from rows of text.
#include <sys/stat.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tools/ashlar/build_options.h"
#include "tools/ashlar/command_table.h"
#include "tools/ashlar/line_reader.h"
#include "tools/ashlar/open_table.h"
#include "tools/ashlar/ordered_rows.h"
#include "tools/ashlar/report.h"
#include "tools/ashlar/row_parser.h"
#include "tools/ashlar/row_sorter.h"

namespace ashlar::tool {
namespace {

DuplicateRule ChosenDuplicateRule() {
  if (FLAGS_on_duplicate == "first") return DuplicateRule::kFirst;
  if (FLAGS_on_duplicate == "last") return DuplicateRule::kLast;
  return DuplicateRule::kError;
}

class Build {
 public:
  explicit Build(SinkOptions options)
      : options_(std::move(options)), sorter_(FLAGS_memory) {}

  // ok, Aborted after SIGINT, or an error that error_line() tells.
  Status Run(const std::vector<std::string>& inputs) {
    Status status = ReadInputs(inputs);
    if (status.ok() && !FLAGS_sorted) status = AddSorted();
    if (status.ok() && sink_ == nullptr) {
      status = Begin(FLAGS_external || FLAGS_input_format != "hex");
    }
    if (!status.ok()) return status;
    status = rows_->Flush();
    if (!status.ok()) return FailAt(rows_->bad_place(), status);
    // The last moment at which nothing is left behind.
    if (Interrupted()) return Status::Aborted("interrupted");
    status = sink_->Finish();
    return status.ok() ? status : Fail(options_.path, status);
  }

  // The line for standard error.
  const std::string& error_line() const { return error_line_; }
  const TableSink& sink() const { return *sink_; }

 private:
  Status Fail(const std::string& place, const Status& status) {
    error_line_ = FaultLine(place, status);
    return status;
  }
  // Of a row: the code adds nothing there unless it is unusual.
  Status FailAt(const RowPlace& place, const Status& status) {
    std::string text(status.message());
    if (text.starts_with(options_.path + ": ")) {
      text.erase(0, options_.path.size() + 2);
    }
    if (!status.IsInvalidArgument()) {
      text = std::string(StatusCodeName(status.code())) + ": " + text;
    }
    error_line_ = place.ToString() + ": " + text;
    return status;
  }

  Status ReadInputs(const std::vector<std::string>& inputs) {
    // Rows keep pointers to the names.
    names_ = inputs.empty() ? std::vector<std::string>{"-"} : inputs;
    parser_ = NewRowParser(FLAGS_input_format);
    for (const std::string& name : names_) {
      Status status = ReadInput(name);
      if (!status.ok()) return status;
    }
    return Status();
  }

  Status ReadInput(const std::string& name) {
    LineReader reader(name, FLAGS_input_format == "csv");
    Status status = reader.Open();
    if (!status.ok()) return Fail(name, status);
    parser_->BeginInput();
    char* line;
    size_t size;
    while (reader.Next(&line, &size)) {
      constexpr uint64_t kLinesBetweenLooks = 1024;
      const RowPlace place = {&name, reader.line_number()};
      if (place.line % kLinesBetweenLooks == 0 && Interrupted()) {
        return Status::Aborted("interrupted");
      }
      status = TakeLine(line, size, place);
      if (!status.ok()) return status;
    }
    return reader.status().ok() ? reader.status() : Fail(name, reader.status());
  }

  Status TakeLine(char* line, size_t size, const RowPlace& place) {
    Row row;
    row.place = place;
    std::string reason;
    switch (parser_->Parse(line, size, &row, &reason)) {
      case RowParser::Outcome::kSkip:
        return Status();
      case RowParser::Outcome::kMalformed:
        return FailAt(place, Status::InvalidArgument(reason));
      case RowParser::Outcome::kRow:
        break;
    }
    if (sink_ == nullptr) {
      Status status = Begin(FLAGS_external || !row.has_sequence);
      if (!status.ok()) return status;
    }
    if (row.has_sequence && options_.external && !FLAGS_external) {
      return FailAt(place, Status::InvalidArgument(
                               "this row has a seq, the first has none"));
    }
    const bool at_once =
        FLAGS_sorted || row.type == ValueType::kTypeRangeDeletion;
    return at_once ? AddRow(row) : AddToSorter(row);
  }

  // The first row decides what kind of table it becomes.
  Status Begin(bool external) {
    options_.external = external;
    auto sink = TableSink::Create(options_);
    if (!sink.ok()) return Fail(options_.path, sink.status());
    sink_ = std::move(sink).value();
    rows_ = std::make_unique<OrderedRows>(&options_, ChosenDuplicateRule(),
                                          sink_.get());
    return Status();
  }

  Status AddRow(const Row& row) {
    const Status status = rows_->Add(row);
    return status.ok() ? status : FailAt(rows_->bad_place(), status);
  }

  Status AddToSorter(const Row& row) {
    if (sorter_.Add(row)) return Status();
    return FailAt(row.place,
                  Status::NotSupported("the rows so far fill --memory=" +
                                       std::to_string(FLAGS_memory) +
                                       "; this release sorts in memory only"));
  }

  Status AddSorted() {
    sorter_.Sort(*options_.table.comparator, options_.external);
    for (size_t i = 0; i < sorter_.size(); ++i) {
      Status status = AddRow(sorter_[i]);
      if (!status.ok()) return status;
      if (Interrupted()) return Status::Aborted("interrupted");
    }
    return Status();
  }

  SinkOptions options_;
  std::vector<std::string> names_;
  std::unique_ptr<RowParser> parser_;
  std::unique_ptr<TableSink> sink_;
  std::unique_ptr<OrderedRows> rows_;
  RowSorter sorter_;
  std::string error_line_;
};

void PrintSummary(const TableSink& sink, double seconds) {
  const TableProperties& p = sink.properties();
  const double raw_bytes = static_cast<double>(p.raw_key_size) +
                           static_cast<double>(p.raw_value_size);
  const double file_bytes = static_cast<double>(sink.FileSize());
  char numbers[160];
  std::snprintf(numbers, sizeof numbers,
                "%llu entries, %llu bytes, ratio %.2f, %.2f s, %.1f MB/s",
                static_cast<unsigned long long>(p.num_entries),
                static_cast<unsigned long long>(sink.FileSize()),
                file_bytes > 0 ? raw_bytes / file_bytes : 0.0, seconds,
                seconds > 0 ? raw_bytes / 1e6 / seconds : 0.0);
  PrintError("wrote " + FLAGS_out + ": " + numbers);
}

void WriteJsonSummary(const TableSink& sink, double seconds, JsonWriter* json) {
  const TableProperties& p = sink.properties();
  json->NumberMember("num_entries", p.num_entries);
  json->NumberMember("raw_key_size", p.raw_key_size);
  json->NumberMember("raw_value_size", p.raw_value_size);
  json->NumberMember("num_data_blocks", p.num_data_blocks);
  json->Key("seconds");
  json->Decimal(seconds);
}

}  // namespace

int RunBuild(const CommandLine& line) {
  SinkOptions options;
  std::string error = CheckComparatorFlag();
  if (error.empty()) error = SinkOptionsFromFlags(line, &options);
  if (!error.empty()) return UsageError(error);
  struct stat attributes;
  if (!FLAGS_overwrite && stat(FLAGS_out.c_str(), &attributes) == 0) {
    PrintError("ashlar: " + FLAGS_out + " exists; --overwrite replaces it");
    return kExitFailure;
  }
  WarnOfIdleFlags(line, options.table);
  const ChecksumType checksum = options.table.checksum;
  const auto start = std::chrono::steady_clock::now();
  Build build(std::move(options));
  const Status status = build.Run(line.inputs);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  Report report("build", FLAGS_json ? ReportForm::kJson : ReportForm::kText,
                false);
  report.BeginFile(FLAGS_out);
  if (!status.ok()) {
    report.AddFault(status, build.error_line());
    report.RaiseExitCode(kExitFailure);
  } else {
    const TableProperties& made = build.sink().properties();
    report.Opened(static_cast<uint32_t>(made.format_version), checksum, &made);
    report.AddEntries(build.sink().properties().num_entries);
    if (FLAGS_json) {
      WriteJsonSummary(build.sink(), seconds, report.json());
    } else if (!FLAGS_quiet) {
      PrintSummary(build.sink(), seconds);
    }
  }
  report.EndFile();
  return report.Finish();
}

}  // namespace ashlar::tool
