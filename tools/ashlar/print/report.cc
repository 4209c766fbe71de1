#include "tools/ashlar/print/report.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "ashlar/util/printable.h"
#include "ashlar/util/version.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {
namespace {

// A Status has the path in printable form.
std::string_view WithoutPath(std::string_view message,
                             const std::string& path) {
  const std::string shown = PrintableText(path);
  if (message.starts_with(shown) && message.substr(shown.size(), 2) == ": ") {
    message.remove_prefix(shown.size() + 2);
  }
  return message;
}

int ExitCodeOf(const Status& status) {
  // The fault is not that of an input.
  if (IsOfNewTable(status)) return kExitFailure;
  switch (status.code()) {
    case Status::Code::kOk:
      return kExitOk;
    case Status::Code::kNotFound:
    case Status::Code::kCorruption:
      return kExitFault;
    case Status::Code::kNotSupported:
    case Status::Code::kInvalidArgument:
    case Status::Code::kIOError:
    case Status::Code::kMergeInProgress:
    case Status::Code::kAborted:
    case Status::Code::kMemoryLimit:
    case Status::Code::kIncomplete:
    case Status::Code::kTimedOut:
      break;
  }
  return kExitFailure;
}

std::string_view FileStatusOf(const Status& status) {
  if (IsOfNewTable(status)) return "io_error";
  if (status.IsCorruption()) return "corrupt";
  if (status.IsIOError()) return "io_error";
  if (status.IsMemoryLimit()) return "memory_limit";
  // For example, a folder without tables.
  if (status.IsNotFound()) return "not_sst";
  return "unsupported";
}

}  // namespace

int UsageError(std::string_view reason) {
  PrintError("ashlar: " + std::string(reason));
  PrintError("Try 'ashlar --help'.");
  const int code = FLAGS_strict ? kExitFailure : kExitFault;
  PrintRefusalJson(Status::InvalidArgument(std::string(reason)), code);
  return code;
}

void PrintRefusalJson(const Status& status, int exit_code) {
  if (!FLAGS_json && !FLAGS_jsonl && FLAGS_output_format != "jsonl") return;
  Output out(STDOUT_FILENO);
  JsonWriter json(&out);
  json.BeginObject();
  json.Member("schema", "ashlar/1");
  json.Member("tool_version", LibraryVersion());
  json.ObjectsMember(
      "errors", std::vector<Status>{status},
      [&](const Status& error) { WriteError({}, error, nullptr, &json); });
  json.NumberMember("errors_total", 1);
  json.NumberMember("exit_code", static_cast<uint64_t>(exit_code));
  json.EndObject();
  json.EndLine();
  // If this fails, the exit code says that the run failed all the same.
  out.Flush();
}

bool IsAbout(const std::string& path, const Status& status) {
  return WithoutPath(status.message(), path).size() != status.message().size();
}

FaultText FaultLine(const std::string& path, const Status& status) {
  return {path + ": ", std::string(StatusCodeName(status.code())),
          ": " + std::string(WithoutPath(status.message(), path))};
}

void WriteError(const std::string& path, const Status& status,
                const TableFault* block, JsonWriter* json) {
  json->Member("code", StatusCodeName(status.code()));
  if (block != nullptr) {
    json->Member("block", BlockKindName(block->kind));
    json->NumberMember("index", block->index);
    json->NumberMember("offset", block->offset);
    json->NumberMember("size", block->size);
  }
  json->Member("message", WithoutPath(status.message(), path));
}

Report::Report(std::string_view command, ReportForm form, bool headings)
    : command_(command),
      form_(form),
      headings_(headings),
      out_(STDOUT_FILENO),
      json_(&out_) {
  if (!text()) BeginDocument();
}

void Report::BeginDocument() {
  json_.BeginObject();
  json_.Member("schema", "ashlar/1");
  json_.Member("tool_version", LibraryVersion());
  json_.Member("command", command_);
  if (form_ == ReportForm::kJsonLines) {
    json_.EndObject();
    json_.EndLine();
    return;
  }
  json_.Key("files");
  json_.BeginArray();
}

void Report::BeginFile(const std::string& path) {
  path_ = path;
  file_status_ = {};
  file_format_version_.reset();
  readable_by_.reset();
  file_is_done_ = false;
  file_faults_ = 0;
  file_errors_.clear();
  ++files_;
  if (text()) {
    if (headings_) out_.Append("Process " + PrintableText(path) + "\n");
    return;
  }
  WriteFileBegin(&json_);
  file_depth_ = json_.depth();
}

void Report::WriteFileBegin(JsonWriter* json) const {
  json->BeginObject();
  json->Member("path", path_);
  struct stat attributes;
  if (stat(path_.c_str(), &attributes) == 0 && S_ISREG(attributes.st_mode)) {
    json->NumberMember("size", static_cast<uint64_t>(attributes.st_size));
  }
}

void Report::Opened(std::optional<uint32_t> format_version,
                    std::optional<ChecksumType> checksum,
                    const TableProperties* properties) {
  any_opened_ = true;
  const bool is_first = !file_format_version_;
  SetFormat(format_version, checksum, properties);
  if (headings_ && is_first) out_.Append("Sst file format: block-based\n");
}

void Report::SetFormat(std::optional<uint32_t> format_version,
                       std::optional<ChecksumType> checksum,
                       const TableProperties* properties) {
  // Of the tables of a database, the newest format counts.
  file_format_version_ = std::max(file_format_version_, format_version);
  if (!format_version) return;
  readable_by_ = std::max(
      readable_by_, OldestRocksDBFor(*format_version, checksum, properties));
}

void Report::AddFault(const Status& status) {
  Record({status, std::nullopt}, FaultLine(path_, status));
}

void Report::AddFault(const TableFault& fault) {
  Record({fault.status, fault}, FaultLine(path_, fault.status));
}

void Report::AddFaultIn(const std::string& table, const TableFault& fault) {
  TableFault named = fault;
  if (table != path_) {
    named.status = fault.status.WithPrefix(
        PrintableText(table.substr(table.rfind('/') + 1)));
  }
  AddFault(named);
}

void Report::AddFault(const Status& status, const FaultText& line) {
  Record({status, std::nullopt}, line);
}

void Report::Record(FileError error, const FaultText& line) {
  // An interrupt is not a fault; the exit code reports it.
  if (error.status.IsAborted() && Interrupted()) {
    file_status_ = "skipped";
    ++files_interrupted_;
    CutShort();
    return;
  }
  RaiseExitCode(ExitCodeOf(error.status));
  if (file_faults_++ == 0 && file_status_.empty()) {
    file_status_ = FileStatusOf(error.status);
  }
  advice_.Add(command_, path_, error.status, file_status_ == "not_sst");
  if (FLAGS_max_errors != 0 && file_faults_ > FLAGS_max_errors) return;
  out_.Flush();
  PrintFault(line);
  if (!text()) file_errors_.push_back(std::move(error));
}

void Report::LoseMemory() {
  if (!text()) json_.EndDownTo(file_depth_);
  AddFault(Status::OutOfMemory());
}

void Report::EndFile() {
  if (FLAGS_max_errors != 0 && file_faults_ > FLAGS_max_errors) {
    PrintError(path_ + ": " + std::to_string(file_faults_ - FLAGS_max_errors) +
               " more faults not shown (--max_errors)");
  }
  // A command that did not call FileIsDone may not have finished the file.
  if (file_status_.empty() && Interrupted() && !file_is_done_) {
    file_status_ = "skipped";
    ++files_interrupted_;
    CutShort();
  }
  const bool skipped = file_status_ == "skipped";
  if (file_status_.empty()) file_status_ = "ok";
  if (file_status_ != "ok" && !skipped) ++files_failed_;
  if (text()) {
    // On a terminal, shows each file's result when the file is done.
    if (out_.on_terminal()) out_.Flush();
    return;
  }
  WriteFileEnd(&json_);
  if (form_ == ReportForm::kJsonLines) json_.EndLine();
}

void Report::WriteFileEnd(JsonWriter* json) const {
  json->Member("status", file_status_.empty() ? "ok" : file_status_);
  if (file_format_version_) {
    json->NumberMember("format_version", *file_format_version_);
    if (readable_by_) {
      json->Member("readable_by_rocksdb", ToString(*readable_by_));
    }
  }
  json->ObjectsMember("errors", file_errors_, [&](const FileError& error) {
    WriteError(path_, error.status, error.block ? &*error.block : nullptr,
               json);
  });
  json->NumberMember("errors_total", file_faults_);
  json->EndObject();
}

void Report::RaiseExitCode(int code) {
  exit_code_ = std::max(exit_code_, code);
}

void Report::AddToTotals(const TableProperties& properties) {
  ++totals_.files;
  totals_.data_blocks += properties.num_data_blocks;
  totals_.data_bytes += properties.data_size;
  totals_.index_bytes += properties.index_size;
  totals_.filter_bytes += properties.filter_size;
}

int Report::ExitCodeNow() const {
  if (cut_short_) return kExitInterrupted;
  if (FLAGS_strict) return exit_code_;
  return any_opened_ ? kExitOk : kExitFault;
}

void Report::BeginEnding() {
  if (text() || ending_) return;
  ending_ = true;
  if (form_ == ReportForm::kJson) {
    json_.EndArray();
  } else {
    json_.BeginObject();
  }
}

int Report::Finish() {
  if (text()) {
    if (show_totals_) PrintTotals();
  } else {
    WriteSummary();
  }
  if (!out_.Flush()) {
    // If the reader closed the pipe, it needs no message.
    if (out_.error() != EPIPE) {
      const Status status =
          Status::FromErrno("write", "standard output", out_.error());
      PrintError("ashlar: " + std::string(status.message()));
      advice_.Add(command_, {}, status, false);
    }
    RaiseExitCode(kExitFailure);
  }
  if (cut_short_) return kExitInterrupted;
  if (!FLAGS_quiet) advice_.Print();
  return out_.error() != 0 ? kExitFailure : ExitCodeNow();
}

void Report::WriteSummary() {
  BeginEnding();
  json_.ObjectMember("summary", [this] {
    json_.NumberMember("files", files_);
    json_.NumberMember(
        "ok", files_ - files_failed_ - files_interrupted_ - files_skipped_);
    json_.NumberMember("failed", files_failed_);
    json_.NumberMember("skipped", files_skipped_);
    json_.NumberMember("entries", entries_);
    if (!show_totals_) return;
    json_.NumberMember("data_blocks", totals_.data_blocks);
    json_.NumberMember("data_size", totals_.data_bytes);
    json_.NumberMember("index_size", totals_.index_bytes);
    json_.NumberMember("filter_size", totals_.filter_bytes);
  });
  if (cut_short_) json_.BoolMember("interrupted", true);
  json_.NumberMember("exit_code", static_cast<uint64_t>(ExitCodeNow()));
  json_.EndObject();
  json_.EndLine();
}

void Report::PrintTotals() {
  const auto line = [this](std::string_view label, uint64_t number) {
    out_.Append("total " + std::string(label) + ": " + std::to_string(number) +
                "\n");
  };
  line("number of files", totals_.files);
  line("number of data blocks", totals_.data_blocks);
  line("data block size", totals_.data_bytes);
  line("index block size", totals_.index_bytes);
  line("filter block size", totals_.filter_bytes);
}

}  // namespace ashlar::tool
