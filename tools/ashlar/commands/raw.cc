// raw: writes everything in a table into a file, as text.
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "tools/ashlar/cli/command_table.h"
#include "tools/ashlar/inputs/inputs.h"
#include "tools/ashlar/inputs/open_table.h"
#include "tools/ashlar/inputs/run_files.h"
#include "tools/ashlar/outputs/output_file.h"
#include "tools/ashlar/outputs/output_path.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/progress.h"
#include "tools/ashlar/print/raw_dump.h"
#include "tools/ashlar/print/results/results.h"

namespace ashlar::tool {
namespace {

std::string DumpName(const std::string& path) {
  if (!FLAGS_out.empty()) return FLAGS_out;
  std::string_view stem = path;
  if (stem.ends_with(".sst")) stem.remove_suffix(4);
  return std::string(stem) + "_dump.txt";
}

// Returns false if there is nothing in the dump to keep.
bool DumpTo(Output* out, bool escape, const std::string& path, Report* report) {
  Progress progress(path);
  TableInspection inspection;
  RawDump dump(&inspection, escape, out);
  InspectOptions options =
      InspectOptionsFromFlags(InspectOptions::DataBlocks::kRead);
  options.on_progress = [&progress](uint64_t done, uint64_t total) {
    return progress.Update(done, total);
  };
  options.on_block = [&dump](const BlockInfo& block) { dump.OnBlock(block); };
  options.on_entry = [&dump](const BlockInfo& block, const Slice& key,
                             const Slice& value) {
    dump.OnEntry(block, key, value);
  };
  if (!InspectInto(path, options, &inspection, report)) return false;
  if (inspection.magic == TableMagic::kUnknown) {
    report->SetFileStatus("not_sst");
  }
  const bool readable = !inspection.blocks.empty();
  if (readable) {
    report->Opened(inspection);
    WarnOfUnknownOrder(inspection, *report);
    dump.Finish();
  }
  for (const TableFault& fault : inspection.faults) report->AddFault(fault);
  return readable;
}

// Checks output files that are named after the inputs. Not all of these names
// can be checked before the work begins, so each is checked when its turn
// comes.
class DefaultNames {
 public:
  explicit DefaultNames(const std::vector<std::string>& inputs) {
    for (const Input& input : ExpandInputs(inputs)) {
      if (const auto id = IdOf(input.path)) inputs_.insert(*id);
    }
  }

  Status Check(const std::string& name, const std::string& path) const {
    const auto id = IdOf(name);
    if (!id) return {};
    if (inputs_.contains(*id)) {
      return Status::InvalidArgument("it is an input of this run");
    }
    const auto dump = dumps_.find(*id);
    if (dump != dumps_.end() && dump->second != path) {
      return Status::InvalidArgument("this run already dumped " + dump->second +
                                     " into it");
    }
    // These are never replaced.
    if (!IsRegularFile(name)) {
      return Status::InvalidArgument("it is a folder, device or pipe");
    }
    if (FLAGS_overwrite) return {};
    return Status::InvalidArgument("it exists; --overwrite replaces it");
  }

  void Add(const std::string& name, const std::string& path) {
    if (const auto id = IdOf(name)) dumps_[*id] = path;
  }

 private:
  std::set<FileId> inputs_;
  std::map<FileId, std::string> dumps_;  // to the input's path
};

void DumpToFile(const std::string& path, DefaultNames* default_names,
                Report* report) {
  const std::string name = DumpName(path);
  if (FLAGS_out.empty()) {
    WarnOfLeftFiles(name);
    const Status status = default_names->Check(name, path);
    if (!status.ok()) {
      report->AddFault(status, FaultLine(name, status));
      return;
    }
  }
  auto file = OutputFile::Create(name, {.overwrite = FLAGS_overwrite});
  if (!file.ok()) {
    report->AddFault(file.status(), FaultLine(name, file.status()));
    return;
  }
  Output out((*file)->file());
  if (!DumpTo(&out, false, path, report)) return;
  out.Flush();
  Status status = out.file_status();
  if (status.ok()) status = (*file)->Commit();
  if (!status.ok()) {
    report->AddFault(status, FaultLine(name, status));
    return;
  }
  report->FileIsDone();
  default_names->Add(name, path);
  report->Show(WrittenFile{"raw dump", "dump", name});
}

void Dump(const std::string& path, DefaultNames* default_names,
          Report* report) {
  if (FLAGS_out == "-") {
    DumpTo(report->out(), ChosenByteStyle() == ByteStyle::kEscaped, path,
           report);
  } else {
    DumpToFile(path, default_names, report);
  }
}

}  // namespace

int RunRaw(const CommandLine& line) {
  if (FLAGS_out == "-" && (FLAGS_json || FLAGS_jsonl)) {
    return UsageError("--out=- goes with neither --json nor --jsonl");
  }
  if (!FLAGS_out.empty() && FLAGS_out != "-" && !line.inputs.empty() &&
      !IsOneFile(line)) {
    return UsageError("--out takes the dump of one file only");
  }
  if (!FLAGS_out.empty() && FLAGS_out != "-") {
    WarnOfLeftFiles(FLAGS_out);
    const Status free = CheckIsFree(FLAGS_out, line.inputs);
    if (!free.ok()) return OutputIsTaken(free);
  }
  DefaultNames default_names(line.inputs);
  return RunOverFiles(line, "raw",
                      [&](const std::string& path, Report* report) {
                        Dump(path, &default_names, report);
                      });
}

}  // namespace ashlar::tool
