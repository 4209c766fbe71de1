// Tables written and read by LevelDB, without a database and by one.
//
// Used by leveldb_test. Free functions; thread-safe on different paths.
// LevelDB orders and filters the keys of a table as it is told: here as its
// databases tell it, by internal keys and filters of user keys.
#ifndef ASHLAR_TEST_INTEROP_LEVELDB_PEER_H_
#define ASHLAR_TEST_INTEROP_LEVELDB_PEER_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "test/interop/rows.h"

namespace ashlar::interop {

struct LevelDbPlan {
  size_t block_size = 4096;
  int restart_interval = 16;
  bool snappy = false;
  int bloom_bits = 0;  // 0: no filter
  Shape shape = Shape::kRandom;

  std::string Name() const;
  uint64_t Seed() const;
};

// Values and deletions instead of the types that LevelDB does not know.
std::vector<Row> LevelDbRows(const LevelDbPlan& plan);

Status WriteLevelDbTable(const std::string& path, const LevelDbPlan& plan,
                         const std::vector<Row>& rows);

// Every entry, front to back, checksums verified. An error also when the way
// back shows others.
Status ReadWithLevelDb(const std::string& path, std::vector<Row>* rows);

// The newest entry of each key that a snapshot sees, if there is any.
struct LevelDbQuestion {
  std::string user_key;
  SequenceNumber snapshot = kMaxSequenceNumber;
};
Status SeekWithLevelDb(const std::string& path,
                       const std::vector<LevelDbQuestion>& questions,
                       std::vector<std::optional<Row>>* answers);

// Writes `rows`, whose sequence numbers are 1 to n, into a new database in the
// order of these, all versions kept by snapshots, and lets it compact itself
// into one table.
Status MakeLevelDbDatabase(const std::string& folder, const LevelDbPlan& plan,
                           const std::vector<Row>& rows, std::string* path);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_LEVELDB_PEER_H_
