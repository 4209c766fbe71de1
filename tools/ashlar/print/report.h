// Report: what a run tells about its inputs, and its exit code.
//
// Commands print their own results; headings, faults, the frame of the JSON
// document and the summary are here, so that they look the same everywhere.
// One thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_REPORT_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/entry/rocksdb_release.h"
#include "ashlar/table/inspect.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/print/advice.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {

enum ExitCode : int {
  kExitOk = 0,
  kExitFault = 1,    // in the data
  kExitFailure = 2,  // the work could not be done
  kExitInterrupted = 130,
};

// `ashlar: <reason>` and where to find help; the exit code.
int UsageError(std::string_view reason);

// "<path>: <Code>: <message>", without the path that messages of the library
// begin with.
FaultText FaultLine(const std::string& path, const Status& status);

// Which of them a run makes.
enum class ReportForm : uint8_t { kText, kJson, kJsonLines };

class Report {
 public:
  Report(std::string_view command, ReportForm form, bool headings);
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;

  ReportForm form() const { return form_; }
  bool text() const { return form_ == ReportForm::kText; }
  bool headings() const { return headings_; }
  Output* out() { return &out_; }
  JsonWriter* json() { return &json_; }
  // Interrupted, or nobody can take the output.
  bool MustStop() const { return Interrupted() || out_.error() != 0; }

  // Around the work on one input. Between the two, in JSON, members of the
  // input's object may be written.
  void BeginFile(const std::string& path);
  void EndFile();
  const std::string& path() const { return path_; }

  // The input is a table of this version. The rest, where it is known, tells
  // which RocksDB reads it.
  void Opened(std::optional<uint32_t> format_version,
              std::optional<ChecksumType> checksum = std::nullopt,
              const TableProperties* properties = nullptr);
  void Opened(const TableInspection& inspection) {
    Opened(inspection.format_version, inspection.checksum_type,
           inspection.properties ? &*inspection.properties : nullptr);
  }
  void AddFault(const Status& status);
  void AddFault(const TableFault& fault);
  // With a line of its own instead of FaultLine.
  void AddFault(const Status& status, const FaultText& line);
  // Of a row, with such a line.
  void AddRowFault(const Status& status, const FaultText& line) {
    AddFault(status, line);
    advice_.AddForRow(status);
  }
  // The work on the file threw for want of memory: what it had open in JSON is
  // closed, and the fault is added.
  void LoseMemory();
  uint64_t file_faults() const { return file_faults_; }
  // The work on this file is complete, whatever signal came meanwhile.
  void FileIsDone() { file_is_done_ = true; }
  // A signal has left something undone: the rest of a file, or files.
  void CutShort() { cut_short_ = true; }
  bool was_cut_short() const { return cut_short_; }
  // Of the files until now: no fault in any, and none left out by an interrupt.
  bool AllSound() const { return files_failed_ == 0 && !Interrupted(); }
  // What "status" says, instead of what follows from the first fault.
  void SetFileStatus(std::string_view status) { file_status_ = status; }
  // For outcomes that are no fault of a file, such as a missing key.
  void RaiseExitCode(int code);
  void AddEntries(uint64_t count) { entries_ += count; }
  // The summary has totals of what AddToTotals is told of.
  void ShowTotals() { show_totals_ = true; }
  void AddToTotals(const TableProperties& properties);

  // After the last file: from here on members beside the summary may be
  // written. Finish does it where nobody did.
  void BeginEnding();
  // Ends the document and the output; the exit code.
  int Finish();

 private:
  struct FileError {
    Status status;
    std::optional<TableFault> block;
  };
  void BeginDocument();
  void Record(FileError error, const FaultText& line);
  void WriteErrors();
  void WriteSummary();
  void PrintTotals();
  int ExitCodeNow() const;

  const std::string_view command_;
  const ReportForm form_;
  const bool headings_;
  Output out_;
  JsonWriter json_;

  std::string path_;
  bool file_is_done_ = false;
  bool cut_short_ = false;
  size_t file_depth_ = 0;  // of JSON, between members of the file's object
  std::string_view file_status_;
  std::optional<uint32_t> file_format_version_;
  std::optional<RocksDBRelease> readable_by_;
  uint64_t file_faults_ = 0;
  std::vector<FileError> file_errors_;

  Advice advice_;
  int exit_code_ = kExitOk;
  bool any_opened_ = false;
  bool ending_ = false;
  uint64_t files_ = 0;
  uint64_t files_failed_ = 0;
  uint64_t files_interrupted_ = 0;
  uint64_t entries_ = 0;
  bool show_totals_ = false;
  struct Totals {
    uint64_t files = 0;
    uint64_t data_blocks = 0;
    uint64_t data_bytes = 0;
    uint64_t index_bytes = 0;
    uint64_t filter_bytes = 0;
  } totals_;
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_REPORT_H_
