// A folder as the database that it is: one column family of it, whose tables are
// asked in the order that its MANIFEST gives.
//
// The database may be in use. A table that its writer removes before it is open
// means that the MANIFEST has changed: it is then read again.
#ifndef ASHLAR_TOOLS_ASHLAR_INPUTS_DATABASE_H_
#define ASHLAR_TOOLS_ASHLAR_INPUTS_DATABASE_H_

#include <functional>
#include <memory>
#include <string>

#include "ashlar/table/database_files.h"
#include "ashlar/table/table_cache.h"
#include "ashlar/table/table_version.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

// Returns whether the folder is to be taken as a database: it has a CURRENT, and
// --each_table is not given.
bool IsDatabase(const std::string& path);

class Database {
 public:
  // Reads which tables the family that --cf names has. Opens none of them.
  static Result<std::unique_ptr<Database>> Open(const std::string& folder);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  const DatabaseFiles& files() const { return files_; }
  const ColumnFamilyFiles& family() const { return *family_; }
  const Comparator* comparator() const { return version_->comparator(); }
  const TableVersion& version() const { return *version_; }
  // Opens tables when they are first asked for.
  TableCache* tables() { return tables_.get(); }
  // The number of write-ahead logs that are not empty, and may have entries of
  // the family that no table has.
  Result<uint64_t> CountUnreadLogs() const;

 private:
  explicit Database(std::string folder) : folder_(std::move(folder)) {}
  Status Choose();
  Status MakeVersion();
  Status DescribeTable(uint64_t number, TableToOpen* table) const;

  const std::string folder_;
  DatabaseFiles files_;
  const ColumnFamilyFiles* family_ = nullptr;  // in files_
  std::map<uint64_t, const LiveTable*> by_number_;
  std::unique_ptr<TableVersion> version_;
  std::unique_ptr<TableCache> tables_;
};

// Calls `read` with the database. If it fails because a table does not exist,
// and the MANIFEST no longer lists that table, calls it again with the database
// as it is then, some times at most.
Status ReadDatabase(const std::string& folder,
                    const std::function<Status(Database* database)>& read);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_INPUTS_DATABASE_H_
