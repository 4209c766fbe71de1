// TableSet: several tables and a manifest, which appear together or not at all.
//
// A set at the path some/t.sst has these files in the folder some/:
//
//   t-000001.sst ...   the tables
//   t-manifest.json    the manifest, which lists them: it defines the set
//
// A TableSet writes new tables into a folder aside. Commit gives all of them
// their names, and the manifest last. However the process or the machine ends,
// also by `kill -9`, the manifest is absent, the old one or the new one, and
// each table that it lists is complete. What a killed run left is undone or
// completed by the next one (RecoverTableSet).
//
// As the outputs of a compaction:
//
//   auto set = ashlar::TableSet::Create({.path = "some/t.sst"});
//   if (!set.ok()) return set.status();
//   ashlar::CompactionResult result;
//   ashlar::Status status =
//       ashlar::CompactTables(options, runs, {}, set->get(), &result);
//   if (status.ok()) status = (*set)->Commit();
//
// For bulk jobs and tools. An engine with a manifest of its own derives from
// CompactionOutputs instead. Works on local and network file systems of POSIX.
// Any number of processes may make sets of one path: they commit one after the
// other.
#ifndef ASHLAR_TABLE_TABLE_SET_H_
#define ASHLAR_TABLE_TABLE_SET_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/util/export.h"
#include "ashlar/util/file.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "ashlar/util/writable_file_options.h"

namespace ashlar {

// A table of a set, as the manifest lists it.
struct TableSetTable {
  std::string path;
  // The smallest and the largest user key, with their timestamps. If
  // largest_is_exclusive, `largest` is the end of a range deletion, which the
  // table does not reach.
  std::string smallest;
  std::string largest;
  bool largest_is_exclusive = false;
  uint64_t entries = 0;  // range deletions included
  uint64_t file_bytes = 0;
  uint32_t file_checksum = 0;  // ExtendFileChecksum of all bytes
};

// Where a set is, and how its files are written.
struct TableSetOptions {
  // The folder of the set, and the first part of its names: ".sst" at the end
  // is left out of them. The folder must exist.
  std::string path;
  // Whether the tables of a set at `path` are replaced. Their names are not
  // used again: the new tables get larger numbers. Default: Create and Commit
  // return InvalidArgument if there is a manifest or a table.
  bool overwrite = false;
  // Whether RecoverTableSet removes folders of killed runs that only take
  // space. Default: it names them.
  bool remove_leftovers = false;
  // Whether Create calls RecoverTableSet, and looks whether the names are free,
  // before it makes anything. Default: true.
  bool recover = true;
  // How the tables are written.
  WritableFileOptions file;
  // Gets sentences about what went wrong beside the work, for instance that an
  // old file could not be removed. Without end of line. Null: they are dropped.
  std::function<void(std::string_view)> warn;
  // Asked when a signal interrupts the wait for another run that commits the
  // same set. If it returns true, Commit returns Aborted. Null: waits on.
  std::function<bool()> is_cancelled;
};

// Undoes or completes what killed runs over the set left unfinished. Adds to
// *leftovers, unless it is null, the folders of killed runs that only take
// space; with remove_leftovers, removes them, and warns of each. Leaves the
// files of living runs, and those that no run made. What it cannot do is a
// warning, since leftovers do not hinder other runs. Returns IOError if the
// folder cannot be listed, or MemoryLimit. Thread-safe.
ASHLAR_EXPORT Status RecoverTableSet(const TableSetOptions& options,
                                     std::vector<std::string>* leftovers);

// Returns the tables that the manifest of the set at `path` lists, in order.
// Returns NotFound if there is no manifest, InvalidArgument if it is not one,
// IOError or MemoryLimit. If a table is then missing, a new set has taken the
// place of this one: call it again. Thread-safe.
ASHLAR_EXPORT Result<std::vector<TableSetTable>> ReadTableSet(
    const std::string& path);

// Returns the paths of the manifest and of all tables that have a name of the
// set at `path`, whether the manifest lists them or not. Returns IOError if the
// folder cannot be listed; a folder that does not exist has none. Thread-safe.
ASHLAR_EXPORT Result<std::vector<std::string>> FindTableSetFiles(
    const std::string& path);

// Different numbers may be used by different threads at once. Create, Commit
// and destruction are for one thread, while no other uses the set.
class ASHLAR_EXPORT TableSet final : public CompactionOutputs {
 public:
  // Returns InvalidArgument if the names are taken, IOError or MemoryLimit.
  static Result<std::unique_ptr<TableSet>> Create(TableSetOptions options);
  TableSet(const TableSet&) = delete;
  TableSet& operator=(const TableSet&) = delete;
  // Without Commit, removes all that was made, and warns of what stays.
  ~TableSet() override;

  // For one call of CompactTables. Its outputs are listed, and named, in the
  // order of their keys, also if subcompactions began them in another order.
  // Begin gives tables of one identity different file numbers: number + 1,
  // unless the options have one.
  Result<WritableFile*> Begin(size_t number, TableOptions* table_options,
                              BuildOptions* build_options) override;
  Status End(const CompactionOutput& output) override;
  void Drop(size_t number) override;

  // For tables that the caller builds. BeginTable opens an empty file, which
  // this object owns; EndTable syncs and closes it, and adds the table to the
  // set. The caller sets the keys and `entries`, and this object the rest.
  // These tables are listed by number, behind outputs of a compaction, and need
  // not have all numbers. A number is for one table: InvalidArgument if it is
  // used otherwise. Drop removes a file.
  Result<WritableFile*> BeginTable(size_t number);
  Status EndTable(size_t number, TableSetTable table);

  // Makes the ended tables the set. To be called once, when none is open.
  // Syncs files and folders: a set that was committed survives a crash of the
  // machine. After an error the old set is still the set, unless the message
  // says that the new set is. Returns InvalidArgument if the names are taken by
  // now or a table is open, Aborted if cancelled, IOError or MemoryLimit.
  Status Commit();

  // The tables as the manifest lists them. Empty before Commit.
  const std::vector<TableSetTable>& tables() const;
  // Returns the same, and leaves none here. Needs no memory.
  std::vector<TableSetTable> TakeTables();
  // Returns the path of the manifest.
  const std::string& manifest() const;

 private:
  struct State;
  explicit TableSet(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar

#endif  // ASHLAR_TABLE_TABLE_SET_H_
