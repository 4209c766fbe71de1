// OneFamily: a live RocksDB with one column family, which each check creates
// again. CheckSeeds: the main function of programs that check random seeds in
// it.
//
// Used by the programs of this folder that need a RocksDB database. One thread
// at a time.
#ifndef ASHLAR_TEST_INTEROP_ONE_FAMILY_H_
#define ASHLAR_TEST_INTEROP_ONE_FAMILY_H_

#include <rocksdb/db.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "test/interop/plan.h"

namespace ashlar::interop {

// Internal keys outside all keys of a table, and its sequence numbers.
struct FileBounds {
  std::string smallest;
  std::string largest;
  SequenceNumber smallest_seqno = kMaxSequenceNumber;
  SequenceNumber largest_seqno = 0;
};

// Returns what CreateColumnFamilyWithImport needs to know of a file.
rocksdb::LiveFileMetaData FileToImport(const std::string& path, int level,
                                       const FileBounds& bounds);

class OneFamily {
 public:
  static Result<std::unique_ptr<OneFamily>> Open(const std::string& folder);
  OneFamily(const OneFamily&) = delete;
  OneFamily& operator=(const OneFamily&) = delete;
  ~OneFamily() { Drop(); }

  rocksdb::DB* operator->() const { return db_.get(); }
  rocksdb::ColumnFamilyHandle* handle() const { return handle_; }

  // Both drop the previous column family and its snapshots.
  Status Create(const Plan& plan);
  Status Import(const Plan& plan, const std::string& path,
                const FileBounds& bounds);
  void Drop();

  // Protects the current versions from compaction until the column family is
  // dropped.
  const rocksdb::Snapshot* TakeSnapshot() {
    snapshots_.push_back(db_->GetSnapshot());
    return snapshots_.back();
  }
  // Releases the older half of the snapshots.
  void ReleaseHalf();

  Status Flush();
  Status Compact();
  // Stores the path of the only table, or an empty path if there is none. More
  // than one table is an error.
  Status OnlyTable(std::string* path) const;

 private:
  explicit OneFamily(std::unique_ptr<rocksdb::DB> db) : db_(std::move(db)) {}
  void ReleaseFirst(size_t count);

  const std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* handle_ = nullptr;
  std::vector<const rocksdb::Snapshot*> snapshots_;  // oldest first
};

// Checks one seed. The folder is for its files.
using SeedCheck = std::function<Status(const std::string& folder,
                                       OneFamily* family, uint64_t seed)>;

// The main function: <program> [<count> [<first seed>]]. Prints the failing
// seeds and returns the exit code.
int CheckSeeds(int argc, char** argv, const SeedCheck& check);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_ONE_FAMILY_H_
