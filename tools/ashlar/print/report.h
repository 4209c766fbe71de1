// Report: collects what a run reports about its inputs, and its exit code.
//
// Commands pass their results to Show. Report itself prints headings, faults,
// the frame of the JSON document and the summary, so that they look the same
// everywhere. For one thread at a time.
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
  kExitFault = 1,    // the data has a fault
  kExitFailure = 2,  // the work could not be done
  kExitInterrupted = 130,
};

// Prints `ashlar: <reason>` and where to find help, and the JSON of it. Returns
// the exit code.
int UsageError(std::string_view reason);

// With --json or --jsonl, prints a document with the reason why a command did
// not begin. Each error has the members that faults of files have. `exit_code`
// is what the run will return.
void PrintRefusalJson(const Status& status, int exit_code);

// Returns whether the message begins with the path, as messages of the library
// about a file do.
bool IsAbout(const std::string& path, const Status& status);

// Returns "<path>: <Code>: <message>". Removes the path at the start of the
// message, where messages of the library have it.
FaultText FaultLine(const std::string& path, const Status& status);

// Writes the members of an error into the current JSON object. `block` is the
// block that has the fault, or null.
void WriteError(const std::string& path, const Status& status,
                const TableFault* block, JsonWriter* json);

// The form of a run's output.
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
  // Prints a result in the run's form, by PrintText(result, out()) or
  // WriteJson(result, json()).
  template <typename Result>
  void Show(const Result& result) {
    if (text()) {
      PrintText(result, &out_);
    } else {
      WriteJson(result, &json_);
    }
  }
  // Prints a result that only text has.
  template <typename Result>
  void ShowText(const Result& result) {
    if (text()) PrintText(result, &out_);
  }
  // Prints a result that only JSON has.
  template <typename Result>
  void ShowJson(const Result& result) {
    if (!text()) WriteJson(result, &json_);
  }
  // In JSON, the results between these two calls are values of an array, which
  // is the member `name`.
  void BeginList(std::string_view name) {
    if (text()) return;
    json_.Key(name);
    json_.BeginArray();
  }
  void EndList() {
    if (!text()) json_.EndArray();
  }
  // Returns the current file's object in JSON, as the document of --json would
  // have it with this result only, in any form of the run.
  template <typename Result>
  std::string FileObject(const Result& result) const {
    std::string object;
    Output out(&object);
    JsonWriter json(&out);
    WriteFileBegin(&json);
    WriteJson(result, &json);
    WriteFileEnd(&json);
    out.Flush();
    return object;
  }
  // Returns whether the run was interrupted, or its output cannot be written.
  bool MustStop() const { return Interrupted() || out_.error() != 0; }

  // To be called before and after the work on one input. Between the two, in
  // JSON, members may be written into the input's object.
  void BeginFile(const std::string& path);
  void EndFile();
  const std::string& path() const { return path_; }

  // Records that the input is a table of this version. The other arguments, if
  // known, show which RocksDB releases can read it.
  void Opened(std::optional<uint32_t> format_version,
              std::optional<ChecksumType> checksum = std::nullopt,
              const TableProperties* properties = nullptr);
  void Opened(const TableInspection& inspection) {
    Opened(inspection.format_version, inspection.checksum_type,
           inspection.properties ? &*inspection.properties : nullptr);
  }
  // Records that the input is a trace of a block cache.
  void OpenedTrace() { any_opened_ = true; }
  // Sets what JSON says about the format, for a table that is too damaged to
  // count as opened. The arguments are those of Opened.
  void SetFormat(std::optional<uint32_t> format_version,
                 std::optional<ChecksumType> checksum,
                 const TableProperties* properties);
  void AddFault(const Status& status);
  void AddFault(const TableFault& fault);
  // Adds the fault of a block of a table in a folder. Its message gets the name
  // of the table, unless the table is itself the input.
  void AddFaultIn(const std::string& table, const TableFault& fault);
  // Prints `line` instead of FaultLine.
  void AddFault(const Status& status, const FaultText& line);
  // Adds the fault of a row, with such a line.
  void AddRowFault(const Status& status, const FaultText& line) {
    AddFault(status, line);
    advice_.AddForRow(status);
  }
  // To be called if the work on the file threw std::bad_alloc. Closes what was
  // open in JSON, and adds the fault.
  void LoseMemory();
  uint64_t file_faults() const { return file_faults_; }
  // Records that the work on this file is complete, even if a signal came
  // meanwhile.
  void FileIsDone() { file_is_done_ = true; }
  // Records that a signal stopped work: the rest of a file, or other files.
  void CutShort() { cut_short_ = true; }
  bool was_cut_short() const { return cut_short_; }
  // Returns whether no file until now has a fault, and none was skipped because
  // of an interrupt.
  bool AllSound() const { return files_failed_ == 0 && !Interrupted(); }
  // Returns whether every file so far was left out by SkipFile().
  bool AllSkipped() const { return files_ == files_skipped_; }
  // Sets the member "status", which otherwise follows from the first fault.
  void SetFileStatus(std::string_view status) { file_status_ = status; }
  // Says that the file was left out, as was asked for.
  void SkipFile() {
    file_status_ = "skipped";
    ++files_skipped_;
  }
  // Sets the exit code to at least `code`, for results that are no fault of a
  // file, such as a missing key.
  void RaiseExitCode(int code);
  void AddEntries(uint64_t count) { entries_ += count; }
  // ShowTotals makes the summary print the totals of what is passed to
  // AddToTotals.
  void ShowTotals() { show_totals_ = true; }
  void AddToTotals(const TableProperties& properties);

  // To be called after the last file. From now on, members may be written next
  // to the summary. If this was not called, Finish does it.
  void BeginEnding();
  // Ends the document and the output. Returns the exit code.
  int Finish();

 private:
  struct FileError {
    Status status;
    std::optional<TableFault> block;
  };
  void BeginDocument();
  void Record(FileError error, const FaultText& line);
  void WriteFileBegin(JsonWriter* json) const;
  void WriteFileEnd(JsonWriter* json) const;
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
  size_t file_depth_ = 0;  // of JSON, inside the file's object
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
  uint64_t files_skipped_ = 0;
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
