// A live RocksDB: it takes in our files, and makes files by flush and
// compaction.
//
// Used by rocksdb_matrix. One database serves many plans. Each plan has its own
// column family, which is dropped afterwards. One thread at a time.
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
  // Creates a database in the folder.
  static Result<std::unique_ptr<LiveDatabase>> Open(const std::string& folder);
  ~LiveDatabase();
  LiveDatabase(const LiveDatabase&) = delete;
  LiveDatabase& operator=(const LiveDatabase&) = delete;

  // Ingests an external file over older values of some of its keys. Iterators
  // in both directions, Get and MultiGet must show VisibleState, and again
  // after a full compaction. Stores the path of the table that the compaction
  // wrote in *compacted, or an empty path if nothing was left. That table lives
  // until the next call.
  Status CheckIngested(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent,
                       std::string* compacted);

  // Same for a file with sequence numbers, by import of a column family.
  Status CheckImported(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent,
                       std::string* compacted);

  // Makes the writes of kVersions in the order of their sequence numbers, with
  // a snapshot after each so that all versions stay, and flushes. Stores the
  // path of the table in *flushed and its expected entries in *rows. The table
  // lives until the next call.
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
