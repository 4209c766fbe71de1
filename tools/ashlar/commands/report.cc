// report: writes one HTML page about a table.
#include <string>
#include <string_view>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/table_report.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string PageName(const std::string& path) {
  if (!FLAGS_out.empty()) return FLAGS_out;
  std::string_view stem = path;
  if (stem.ends_with(".sst")) stem.remove_suffix(4);
  return std::string(stem) + "_report.html";
}

Status WritePage(const std::string& name, const std::string& page) {
  auto file =
      OutputFile::Create(name, {.overwrite = FLAGS_overwrite, .sync = false});
  if (!file.ok()) return file.status();
  Status status = (*file)->file()->Append(page);
  return status.ok() ? (*file)->Commit() : status;
}

void WriteReport(const std::string& path,
                 const std::vector<std::string>& inputs, Report* report) {
  const std::string name = PageName(path);
  const bool to_file = name != "-";
  if (to_file) {
    if (FLAGS_out.empty()) WarnOfLeftFiles(name);
    // Checks this before the work, not after it.
    const Status free = CheckIsFree(name, inputs);
    if (!free.ok()) {
      report->AddFault(free, FaultLine(name, free));
      return;
    }
  }
  TableReport table;
  if (!CollectTableReport(path, &table, report)) return;
  report->ShowJson(table);
  const std::string page =
      RenderPage(JsonValue::Parse(report->FileObject(table)));
  if (!to_file) {
    report->out()->Append(page);
    return;
  }
  const Status status = WritePage(name, page);
  if (!status.ok()) {
    report->AddFault(status, FaultLine(name, status));
    return;
  }
  report->FileIsDone();
  report->Show(WrittenFile{"report", "report", name});
}

}  // namespace

int RunReport(const CommandLine& line) {
  const bool to_file = !FLAGS_out.empty() && FLAGS_out != "-";
  if (FLAGS_out == "-" && (FLAGS_json || FLAGS_jsonl)) {
    return UsageError("--out=- goes with neither --json nor --jsonl");
  }
  if (!FLAGS_out.empty() && !line.inputs.empty() && !IsOneFile(line)) {
    return UsageError("--out takes the report of one file only");
  }
  if (to_file) {
    WarnOfLeftFiles(FLAGS_out);
    const Status free = CheckIsFree(FLAGS_out, line.inputs);
    if (!free.ok()) return OutputIsTaken(free);
  }
  return RunOverFiles(line, "report",
                      [&](const std::string& path, Report* report) {
                        WriteReport(path, line.inputs, report);
                      });
}

}  // namespace ashlar::tool
