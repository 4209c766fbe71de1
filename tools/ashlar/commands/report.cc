// report: writes one HTML page about a table or a database.
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/database.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/measure/database_report.h"
#include "tools/ashlar/measure/table_report.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/page/page_render.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string_view LastPart(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1);
}

// Returns an error if the page would replace a file of the database. Pages from
// earlier runs may be replaced.
Status CheckIsOutside(const std::string& name, const std::string& database) {
  const std::string file = RealPath(name);
  const size_t slash = std::min(file.rfind('/'), file.size());
  if (file.ends_with(".html") || !IsRegularFile(file) ||
      file.substr(0, slash) != RealPath(database)) {
    return {};
  }
  return Status::InvalidArgument(
      name +
      " is in the folder of the database, whose files are never "
      "overwritten");
}

Status WritePage(const std::string& name, const std::string& page) {
  auto file = OutputFile::Create(name, {.overwrite = FLAGS_overwrite});
  if (!file.ok()) return file.status();
  Status status = (*file)->file()->Append(page);
  return status.ok() ? (*file)->Commit() : status;
}

class Pages {
 public:
  explicit Pages(const CommandLine& line)
      : inputs_(line.inputs), named_(inputs_.begin(), inputs_.end()) {}

  void Make(const std::string& path, Report* report) {
    const std::string name = PageName(path);
    const bool to_file = name != "-";
    if (to_file) {
      if (FLAGS_out.empty()) WarnOfLeftFiles(name);
      // Checks this before the work, not after it.
      Status free = CheckIsNew(name);
      if (free.ok()) free = CheckIsFree(name, inputs_);
      if (!free.ok()) {
        report->AddFault(free, FaultLine(name, free));
        return;
      }
    }
    const std::string page = IsDatabase(path, FolderUse::kDatabases)
                                 ? DrawDatabase(path, report)
                                 : DrawTable(path, report);
    if (page.empty()) return;
    if (!to_file) {
      report->out()->Append(page);
      return;
    }
    const Status status = WritePage(name, page);
    if (!status.ok()) {
      report->AddFault(status, FaultLine(name, status));
      return;
    }
    if (const auto id = IdOf(name)) written_.emplace(*id, path);
    report->FileIsDone();
    report->Show(WrittenFile{"report", "report", name});
  }

 private:
  // The page of a table that is named is next to the table. Pages of databases,
  // and of tables in a folder that is named, are in the current folder.
  std::string PageName(const std::string& path) const {
    if (!FLAGS_out.empty()) return FLAGS_out;
    if (IsDatabase(path, FolderUse::kDatabases))
      return FolderName(path) + "_report.html";
    std::string_view stem =
        named_.contains(path) ? std::string_view(path) : LastPart(path);
    if (stem.ends_with(".sst")) stem.remove_suffix(4);
    return std::string(stem) + "_report.html";
  }

  // Returns an error if this run has written that page. Tables of several
  // folders may have one name.
  Status CheckIsNew(const std::string& name) const {
    const auto id = IdOf(name);
    const auto found = id ? written_.find(*id) : written_.end();
    if (found == written_.end()) return {};
    return Status::InvalidArgument(
        name + " is the page of " + PrintableText(found->second) +
        ", which has the same name: make one of the two with --out");
  }

  // These two return an empty page if there is nothing to show.
  static std::string DrawTable(const std::string& path, Report* report) {
    TableReport table;
    if (!CollectTableReport(path, &table, report)) return {};
    report->ShowJson(table);
    return RenderPage(JsonValue::Parse(report->FileObject(table)));
  }

  static std::string DrawDatabase(const std::string& folder, Report* report) {
    const auto database = Database::Open(folder);
    if (!database.ok()) {
      report->AddFault(database.status());
      return {};
    }
    (*database)->WarnOfTheRest();
    DatabaseReport result;
    if (!CollectDatabaseReport(folder, database->get(), &result, report)) {
      return {};
    }
    report->ShowJson(result);
    return RenderPage(JsonValue::Parse(report->FileObject(result)));
  }

  const std::vector<std::string>& inputs_;
  const std::set<std::string> named_;
  std::map<FileId, std::string> written_;  // inputs by their pages
};

// Checks whether --out may be written, before the work.
Status CheckOut(const CommandLine& line) {
  Status free = CheckIsFree(FLAGS_out, line.inputs);
  if (free.ok() && !line.inputs.empty() &&
      IsDatabase(line.inputs[0], FolderUse::kDatabases)) {
    free = CheckIsOutside(FLAGS_out, line.inputs[0]);
  }
  return free;
}

}  // namespace

int RunReport(const CommandLine& line) {
  const bool to_file = !FLAGS_out.empty() && FLAGS_out != "-";
  if (FLAGS_out == "-" && (FLAGS_json || FLAGS_jsonl)) {
    return UsageError("--out=- goes with neither --json nor --jsonl");
  }
  const bool makes_one_page =
      IsOneFile(line) || (line.inputs.size() == 1 &&
                          IsDatabase(line.inputs[0], FolderUse::kDatabases));
  if (!FLAGS_out.empty() && !line.inputs.empty() && !makes_one_page) {
    return UsageError("--out takes the report of one file or database only");
  }
  const std::string error = CheckComparatorFlag();
  if (!error.empty()) return UsageError(error);
  if (to_file) {
    WarnOfLeftFiles(FLAGS_out);
    const Status free = CheckOut(line);
    if (!free.ok()) return OutputIsTaken(free);
  }
  Pages pages(line);
  return RunOverFiles(
      line, "report",
      [&pages](const std::string& path, Report* report) {
        pages.Make(path, report);
      },
      {}, FolderUse::kDatabases);
}

}  // namespace ashlar::tool
