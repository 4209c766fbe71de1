// A folder as the database that it is: one column family of it, whose tables
// are asked in the order that its MANIFEST gives. A folder without a CURRENT is
// a database of one level (table_folder.h).
//
// The database may be in use. If its writer removes a table before it is open,
// the MANIFEST is read again. Used by one thread at a time.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_DATABASE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_DATABASE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ashlar/table/database_files.h"
#include "ashlar/table/table_version.h"
#include "ashlar/util/comparator.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/inputs/key_range.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

// What a command takes a folder for.
enum class FolderUse : uint8_t {
  kTables,     // the tables in it, one by one
  kDatabases,  // a database if it has a CURRENT, or --one_database is given
  // A database, with or without a CURRENT: what the command shows of a key
  // depends on all tables.
  kOneDatabase,
};
// Returns whether the folder is an input of its own, instead of the tables in
// it. With --each_table, none is; with --recursive, only one with a CURRENT.
bool IsDatabase(const std::string& path, FolderUse use);

// The write-ahead logs of one folder, or why they were not counted.
struct UnreadLogs {
  std::string folder;
  Result<uint64_t> count;
};

class Database {
 public:
  // Reads which tables the family that --cf names has. Opens none of them.
  static Result<std::unique_ptr<Database>> Open(const std::string& folder);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // Whether the order of its tables is known. If not, their entries are to be
  // merged by sequence number.
  bool has_manifest() const;
  const DatabaseFiles& files() const;
  const Comparator* comparator() const;
  // Opens the tables whose range has one of these user keys, which come without
  // timestamps, and no others. If a table is missing and the list of tables has
  // changed, takes the database as it is then: two calls may see different
  // states of it. Requires: nothing that an earlier call returned is alive.
  Result<OpenedTables> OpenFor(std::span<const Slice> user_keys);
  // Does the same with the tables whose range may have a key of `range`.
  Result<OpenedTables> OpenRange(const KeyRange& range);
  // The chosen family. Until the next call of OpenFor or OpenRange.
  const ColumnFamilyFiles& family() const;
  // Returns where a table of it is. InvalidArgument if that is not known.
  Result<std::string> PathOf(const LiveTable& table) const;
  // Calls take(table, path) for each table of the family, level by level, until
  // the run is to stop. Adds to the report what is wrong. A table that a writer
  // has removed meanwhile is passed over, with a warning.
  void ForEachTable(Report* report,
                    const std::function<void(const LiveTable& table,
                                             const std::string& path)>& take);
  // Counts the write-ahead logs that may have entries that no table has: in the
  // folder, and in that which the database's OPTIONS file names, if any.
  std::vector<UnreadLogs> CountUnreadLogs() const;
  // Prints warnings: of what the tables do not have, of what the MANIFEST has
  // that was left out, and by which rule tables are read if there is none.
  void WarnOfTheRest() const;

 private:
  // What one reading of the MANIFEST has given. Does not move.
  struct State;

  explicit Database(std::string folder);
  // Reads the MANIFEST. After an error, the state is the old one.
  Status Load();
  Status ReadFiles(State* state) const;
  static Status Choose(State* state);
  Status MakeVersion(State* state) const;
  template <typename OpenSome>
  Result<OpenedTables> OpenWhileTheyLast(const OpenSome& open);
  std::vector<uint64_t> TableNumbers() const;
  void WarnOfMissingManifest() const;
  bool WasRemoved(const LiveTable& table, const std::string& path);
  Result<std::string> FolderOf(const LiveTable& table) const;
  Status Describe(const LiveTable& live, TableToOpen* table) const;

  const std::string folder_;
  std::unique_ptr<const State> state_;
  std::unique_ptr<TableVersion> in_range_;  // of OpenRange
};

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_DATABASE_H_
