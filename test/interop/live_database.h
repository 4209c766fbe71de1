// A live RocksDB: takes files of ours in, and makes files by flush and
// compaction.
//
// Used by rocksdb_matrix. One database serves many plans, each in a column
// family of its own that is dropped afterwards. One thread at a time.
#ifndef ASHLAR_TEST_INTEROP_LIVE_DATABASE_H_
#define ASHLAR_TEST_INTEROP_LIVE_DATABASE_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/util/result.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"

namespace ashlar::interop {

class LiveDatabase {
 public:
  // A new one in the folder.
  static Result<std::unique_ptr<LiveDatabase>> Open(const std::string& folder);
  ~LiveDatabase();
  LiveDatabase(const LiveDatabase&) = delete;
  LiveDatabase& operator=(const LiveDatabase&) = delete;

  // Ingests an external file over older values of some of its keys. Iterators
  // both ways, Get and MultiGet must show what VisibleState says; again after
  // a full compaction. *compacted: the table that the compaction wrote, empty
  // when nothing was left; it lives until the next call.
  Status CheckIngested(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent,
                       std::string* compacted);

  // The same for a file with sequence numbers, by import of a column family.
  Status CheckImported(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent,
                       std::string* compacted);

  // Does what rows of kVersions say, in the order of their sequence numbers,
  // each under a snapshot so that all versions stay, and flushes.
  // *flushed: the table, until the next call; *rows: what it must hold.
  Status MakeVersions(const Plan& plan, std::vector<Row>* rows,
                      std::string* flushed);

  // Releases the older half of the snapshots of MakeVersions and compacts.
  Status CompactVersions(std::string* compacted);

 private:
  struct State;
  explicit LiveDatabase(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_LIVE_DATABASE_H_
