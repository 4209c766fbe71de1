// Tables written and read by LevelDB, without a database and with one.
//
// Used by leveldb_test. Free functions, thread-safe on different paths. The
// caller of LevelDB's table code chooses the order of keys and the filter. Here
// they are those of its databases: internal keys, and filters of user keys.
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

// Replaces types that LevelDB does not know by values and deletions.
std::vector<Row> LevelDbRows(const LevelDbPlan& plan);

Status WriteLevelDbTable(const std::string& path, const LevelDbPlan& plan,
                         const std::vector<Row>& rows);

// Reads every entry from front to back and verifies checksums. Returns an error
// too if reading backward gives other entries.
Status ReadWithLevelDb(const std::string& path, std::vector<Row>* rows);

// A search for the newest entry of a key that is visible in a snapshot.
struct LevelDbQuestion {
  std::string user_key;
  SequenceNumber snapshot = kMaxSequenceNumber;
};
Status SeekWithLevelDb(const std::string& path,
                       const std::vector<LevelDbQuestion>& questions,
                       std::vector<std::optional<Row>>* answers);

// Writes `rows` into a new database and lets it compact itself into one table.
// The sequence numbers of the rows must be 1 to n; they give the order of the
// writes. Snapshots keep all versions.
Status MakeLevelDbDatabase(const std::string& folder, const LevelDbPlan& plan,
                           const std::vector<Row>& rows, std::string* path);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_LEVELDB_PEER_H_
