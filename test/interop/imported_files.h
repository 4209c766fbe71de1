// Files of a compaction, imported into a live RocksDB, and what it then reads.
// Free functions for one thread at a time.
#ifndef ASHLAR_TEST_INTEROP_IMPORTED_FILES_H_
#define ASHLAR_TEST_INTEROP_IMPORTED_FILES_H_

#include <rocksdb/db.h>

#include <string>
#include <vector>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "test/interop/compaction_text.h"

namespace ashlar::interop {

// What RocksDB reads.
struct AllReads {
  // At each of these, and without one.
  std::vector<const rocksdb::Snapshot*> snapshots;
  std::vector<std::string> keys;  // ascending
};

// Returns what a Get and an iterator show of the keys, as text.
Result<std::string> ReadAll(rocksdb::DB* db,
                            rocksdb::ColumnFamilyHandle* family,
                            const AllReads& reads);

// Imports the files as a new column family of the same database, each at its
// level, and reads: first as they are, and then after RocksDB has compacted all
// of them. Returns Corruption if it does not read `expected` both times.
// Snapshots are of the database, so that they are the same in both families.
Status CheckImported(rocksdb::DB* db, const rocksdb::Options& options,
                     const std::vector<CompactedFile>& files,
                     const AllReads& reads, const std::string& expected);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_IMPORTED_FILES_H_
