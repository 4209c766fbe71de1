// Scenarios that compact tables into numbered files and into sets.
#include <array>

#include "ashlar/table/compaction.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/table/numbered_outputs.h"
#include "ashlar/table/table_set.h"
#include "ashlar/util/worker_pool.h"
#include "test/attack/fault_scenarios.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

struct CompactionForm {
  std::string name;
  bool to_set = false;
  bool direct = false;     // reads around the page cache
  uint32_t parts = 1;      // subcompactions
  bool has_pool = false;   // whose workers read and decode ahead
  uint64_t readahead = 0;  // bytes
};

// Two tables that overlap, with all kinds of entries.
void PutInputs(const TableOptions& options, const std::string& folder) {
  std::vector<Entry> older;
  std::vector<Entry> newer;
  for (int i = 0; i < 60; ++i) {
    const std::string key = "key" + std::to_string(100 + i);
    older.push_back(Value(key, 1 + i, "an older value of the key"));
    if (i % 3 == 0) newer.push_back(Operand(key, 200 + i, "operand"));
    if (i % 3 == 1) newer.push_back(Deletion(key, 200 + i));
  }
  newer.push_back(RangeDeleted("key120", 150, "key130"));
  WriteFile(folder + "/in/older.sst", BuildTable(options, older));
  WriteFile(folder + "/in/newer.sst", BuildTable(options, newer));
}

Result<std::unique_ptr<TableReader>> OpenInput(const std::string& path,
                                               bool direct) {
  auto file = direct ? OpenDirectFile(path) : OpenRandomAccessFile(path);
  if (!file.ok()) return file.status();
  return TableReader::Open(std::move(*file), {});
}

CompactionOptions OptionsOf(const CompactionForm& form,
                            const TableOptions& table) {
  static const auto merge = NewStringAppendOperator();
  static WorkerPool pool(2);
  CompactionOptions options;
  options.iterator.merge_operator = merge.get();
  options.iterator.bottommost = true;
  options.iterator.snapshots = {100};
  options.cutter.target_file_size = 700;
  options.compaction_readahead_size = form.readahead;
  options.max_subcompactions = form.parts;
  if (form.has_pool) {
    options.read.worker_pool = &pool;
    options.worker_pool = &pool;
  }
  options.table = table;
  options.build = FixedBuild();
  return options;
}

Status CompactToSet(const CompactionOptions& options,
                    const std::vector<CompactionRun>& runs,
                    const std::string& folder) {
  TableSetOptions of_set;
  of_set.path = folder + "/out/t.sst";
  of_set.overwrite = true;
  of_set.warn = Warnings::Add;
  auto set = TableSet::Create(of_set);
  if (!set.ok()) return set.status();
  CompactionResult result;
  Status status = CompactTables(options, runs, {}, set->get(), &result);
  return status.ok() ? (*set)->Commit() : status;
}

Status CompactToFiles(const CompactionOptions& options,
                      const std::vector<CompactionRun>& runs,
                      const std::string& folder) {
  uint64_t next_number = 1;
  NumberedOutputsOptions of_files;
  of_files.next_number = [&] { return next_number++; };
  of_files.path = [&](uint64_t number) {
    return folder + "/out/" + std::to_string(number) + ".sst";
  };
  NumberedOutputs outputs(of_files);
  CompactionResult result;
  Status status = CompactTables(options, runs, {}, &outputs, &result);
  if (status.ok()) static_cast<void>(outputs.Take(result));
  return status;
}

Status Compact(const CompactionForm& form, const TableOptions& table,
               const std::string& folder) {
  auto newer = OpenInput(folder + "/in/newer.sst", form.direct);
  if (!newer.ok()) return newer.status();
  auto older = OpenInput(folder + "/in/older.sst", form.direct);
  if (!older.ok()) return older.status();
  const std::vector<CompactionRun> runs = {{{newer->get(), "", ""}},
                                           {{older->get(), "", ""}}};
  const CompactionOptions options = OptionsOf(form, table);
  return form.to_set ? CompactToSet(options, runs, folder)
                     : CompactToFiles(options, runs, folder);
}

// Returns the entries of a table.
std::string EntriesOf(const std::string& bytes) {
  const auto reader = OpenBytes(bytes);
  std::vector<Entry> entries;
  if (!reader.ok() || !ReadForward(**reader, {}, &entries).ok()) {
    return "unreadable: " + bytes;
  }
  return CanonicalDump(entries) + "deleted:\n" +
         CanonicalDump(RangeDeletionsOf(**reader));
}

std::vector<CompactionForm> Forms() {
  std::vector<CompactionForm> forms;
  for (const bool to_set : {false, true}) {
    const std::string name = to_set ? "compaction to a set" : "compaction";
    forms.push_back({name, to_set});
    forms.push_back({name + ", direct", to_set, true});
    forms.push_back({name + ", readahead", to_set, false, 1, false, 600});
    forms.push_back({name + ", pool", to_set, false, 1, true});
    forms.push_back({name + ", parts", to_set, false, 3, true});
  }
  return forms;
}

}  // namespace

void AddCompactionScenarios(std::vector<FaultScenario>* scenarios) {
  const std::array<std::string, 3> systems = {"", "renameat2:EINVAL,link:EPERM",
                                              "read:short-3,write:short-3"};
  for (const CompactionForm& form : Forms()) {
    for (const FaultedTable& table : FaultedTables()) {
      for (const std::string& system : systems) {
        FaultScenario scenario = {
            Joined({form.name, table.name, system}), system,
            [&table](const std::string& folder) {
              PutInputs(table.options, folder);
            },
            [form, &table](const std::string& folder, std::string*) {
              return Compact(form, table.options, folder);
            }};
        if (form.parts > 1) scenario.shape = EntriesOf;
        scenarios->push_back(std::move(scenario));
      }
    }
  }
}

}  // namespace ashlar::testing
