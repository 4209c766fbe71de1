// Scenarios that write tables, sets of tables and whole files.
#include <array>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/sorted_table_writer.h"
#include "ashlar/table/table_set.h"
#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/whole_file.h"
#include "test/attack/fault_scenarios.h"
#include "test/support/folder.h"
#include "test/support/tables.h"

namespace ashlar::testing {

namespace {

// How a file is written.
struct WayToWrite {
  std::string name;
  AtomicFile::Options options;
};

std::vector<WayToWrite> WaysToWrite() {
  std::vector<WayToWrite> ways(5);
  ways[1] = {"direct", {}};
  ways[1].options.file.use_direct_writes = true;
  ways[1].options.file.writable_file_max_buffer_size = 4096;
  ways[2] = {"fsync", {}};
  ways[2].options.file.use_fsync = true;
  ways[3] = {"no sync", {}};
  ways[3].options.sync = false;
  ways[4] = {"no replacing", {}};
  ways[4].options.overwrite = false;
  return ways;
}

// File systems that lack something, or transfer little at once.
const std::vector<std::string>& FileSystems() {
  static const std::vector<std::string> plans = {
      "", "renameat2:ENOSYS", "renameat2:EINVAL,link:EPERM", "flock:ENOLCK",
      "read:short-3,write:short-3"};
  return plans;
}

// The one with transfers of a part of each read and write.
const std::string& Short() { return FileSystems().back(); }

BuildOptions BuildWith(uint32_t workers) {
  BuildOptions build = FixedBuild();
  build.workers = workers;
  return build;
}

void PutOld(const std::string& folder, const std::string& name) {
  WriteFile(folder + "/out/" + name, "what was there before");
}

// --- One file ---

Status WriteExternal(const std::string& path, const TableOptions& table,
                     uint32_t workers, const AtomicFile::Options& file) {
  auto writer = ExternalFileWriter::Open(path, table, BuildWith(workers), file);
  if (!writer.ok()) return writer.status();
  std::string key = "key00";
  for (char tens = '0'; tens < '4'; ++tens) {
    for (char ones = '0'; ones <= '9'; ++ones) {
      key[3] = tens;
      key[4] = ones;
      Status status = (*writer)->Put(key, "a value with some bytes in it");
      if (!status.ok()) return status;
    }
  }
  Status status = (*writer)->DeleteRange("key50", "key60");
  return status.ok() ? (*writer)->Finish() : status;
}

void AddExternalFiles(std::vector<FaultScenario>* scenarios) {
  for (const std::string& system : FileSystems()) {
    for (const FaultedTable& table : FaultedTables()) {
      for (const WayToWrite& way : WaysToWrite()) {
        for (const uint32_t workers : {0U, 2U}) {
          for (const bool replaces : {false, true}) {
            if (replaces && !way.options.overwrite) continue;
            // Direct writes give up if no page is ever written whole.
            if (way.options.file.use_direct_writes && &system == &Short()) {
              continue;
            }
            scenarios->push_back({Joined({"external file", table.name, way.name,
                                          workers != 0 ? "workers" : "",
                                          replaces ? "replaces" : "", system}),
                                  system,
                                  [replaces](const std::string& folder) {
                                    if (replaces) PutOld(folder, "t.sst");
                                  },
                                  [&table, way, workers](
                                      const std::string& folder, std::string*) {
                                    return WriteExternal(folder + "/out/t.sst",
                                                         table.options, workers,
                                                         way.options);
                                  },
                                  !way.options.overwrite});
          }
        }
      }
    }
  }
}

// A file of the caller, which has its name from the beginning.
Status WriteBare(const std::string& path, const TableOptions& table,
                 const WritableFileOptions& options) {
  auto file = OpenWritableFile(path, options);
  if (!file.ok()) return file.status();
  auto builder = TableBuilder::Create(table, FixedBuild(), file->get());
  Status status = builder.status();
  const std::string value(300, 'v');
  for (char c = 'a'; status.ok() && c <= 'z'; ++c) {
    status = (*builder)->Add(
        MakeInternalKey(std::string(1, c), 7, ValueType::kTypeValue), value);
  }
  if (status.ok()) status = (*builder)->Finish();
  if (status.ok()) status = (*file)->Sync();
  const Status closed = (*file)->Close();
  return status.ok() ? closed : status;
}

// The device begins to write before the file is synced, at most so many bytes a
// second, and larger pieces than the kernel takes at once.
Status WriteLarge(const std::string& path, bool strict) {
  AtomicFile::Options options;
  options.file.bytes_per_sync = 256 << 10;
  options.file.strict_bytes_per_sync = strict;
  auto file = AtomicFile::Create(path, options);
  if (!file.ok()) return file.status();
  const std::string piece(300 << 10, 'p');
  for (int i = 0; i < 8; ++i) {
    Status status = (*file)->file()->Append(piece);
    if (!status.ok()) return status;
  }
  return (*file)->Commit();
}

void AddOtherFiles(std::vector<FaultScenario>* scenarios) {
  for (const bool strict : {false, true}) {
    scenarios->push_back(
        {Joined({"large file", strict ? "strict" : ""}), "",
         [](const std::string& folder) { PutOld(folder, "large"); },
         [strict](const std::string& folder, std::string*) {
           return WriteLarge(folder + "/out/large", strict);
         }});
  }
  for (const FaultedTable& table : FaultedTables()) {
    for (const bool direct : {false, true}) {
      scenarios->push_back(
          {Joined({"bare file", table.name, direct ? "direct" : ""}), "",
           [](const std::string&) {},
           [&table, direct](const std::string& folder, std::string*) {
             WritableFileOptions options;
             options.use_direct_writes = direct;
             options.writable_file_max_buffer_size = 4096;
             // Of no interest to the judge: an error leaves what was written.
             return WriteBare(folder + "/bare.tmp.1.1", table.options, options);
           }});
    }
  }
  for (const std::string& system : FileSystems()) {
    scenarios->push_back(
        {Joined({"whole file", system}), system,
         [](const std::string& folder) {
           PutOld(folder, "whole");
           WriteFile(folder + "/in/whole", "contents");
         },
         [](const std::string& folder, std::string*) {
           std::string contents;
           Status status = ReadFileToString(folder + "/in/whole", &contents);
           if (!status.ok()) return status;
           // A file that says nothing of its contents may have any.
           return WriteStringToFile("new contents", folder + "/out/whole", {});
         }});
  }
}

// --- Sorted files and sets ---

struct SortedForm {
  bool is_sorted = false;
  bool is_set = false;
  uint32_t threads = 1;
  uint32_t workers = 0;
};

SortedTableWriterOptions OptionsOf(const SortedForm& form,
                                   const TableOptions& table,
                                   const std::string& folder) {
  SortedTableWriterOptions options;
  options.table = table;
  options.build = BuildWith(form.workers);
  options.build.target_file_size = form.is_set ? 1 : 0;
  options.table.block_size = form.is_set ? 4096 : 1024;
  options.is_sorted = form.is_sorted;
  options.memory = 1;  // the least that is possible: several runs
  options.threads = form.threads;
  options.temp_folder = folder;
  options.warn = Warnings::Add;
  return options;
}

Status WriteSorted(const SortedForm& form, const TableOptions& table,
                   const std::string& folder) {
  auto writer = SortedTableWriter::Open(folder + "/out/t.sst",
                                        OptionsOf(form, table, folder));
  if (!writer.ok()) return writer.status();
  const int count = form.is_sorted ? 12 : 120;
  const std::string value(form.is_sorted ? 900 : 2000, 'v');
  char key[] = "key000";
  for (int i = 0; i < count; ++i) {
    const int number = form.is_sorted ? i : i * 77 % count;
    key[3] = static_cast<char>('0' + number / 100);
    key[4] = static_cast<char>('0' + number / 10 % 10);
    key[5] = static_cast<char>('0' + number % 10);
    Status status = (*writer)->Put(key, value);
    if (!status.ok()) return status;
  }
  return (*writer)->Finish();
}

void AddSorted(const SortedForm& form, const FaultedTable& table, bool replaces,
               const std::string& system,
               std::vector<FaultScenario>* scenarios) {
  scenarios->push_back(
      {Joined({form.is_set ? "set" : "sorted file",
               form.is_sorted ? "" : "spilled", table.name,
               form.threads > 1 ? "threads" : "",
               form.workers != 0 ? "workers" : "", replaces ? "replaces" : "",
               system}),
       system,
       [replaces, form](const std::string& folder) {
         if (!replaces) return;
         if (!form.is_set) return PutOld(folder, "t.sst");
         SortedTableWriterOptions options;
         options.build = FixedBuild();
         options.build.target_file_size = 1;
         options.is_sorted = true;
         auto writer = SortedTableWriter::Open(folder + "/out/t.sst", options);
         Require(writer.status());
         Require((*writer)->Put("old", "value"));
         Require((*writer)->Finish());
       },
       [form, &table](const std::string& folder, std::string*) {
         return WriteSorted(form, table.options, folder);
       }});
}

void AddSortedFiles(std::vector<FaultScenario>* scenarios) {
  const std::array<SortedForm, 7> forms = {
      {{.is_sorted = true},
       {.is_sorted = true, .is_set = true},
       {.is_sorted = true, .is_set = true, .workers = 2},
       {},
       {.threads = 2},
       {.is_set = true},
       {.is_set = true, .threads = 2}}};
  for (const SortedForm& form : forms) {
    for (const FaultedTable& table : FaultedTables()) {
      for (const bool replaces : {false, true}) {
        for (const std::string& system : FileSystems()) {
          AddSorted(form, table, replaces, system, scenarios);
        }
      }
    }
  }
}

}  // namespace

void AddWritingScenarios(std::vector<FaultScenario>* scenarios) {
  AddExternalFiles(scenarios);
  AddOtherFiles(scenarios);
  AddSortedFiles(scenarios);
}

}  // namespace ashlar::testing
