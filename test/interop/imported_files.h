// Files of a compaction, imported into a live RocksDB, and what it then reads.
// Free functions for one thread at a time.
#ifndef ASHLAR_TEST_INTEROP_IMPORTED_FILES_H_
#define ASHLAR_TEST_INTEROP_IMPORTED_FILES_H_

#include <rocksdb/db.h>

#include <set>
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
  std::set<std::string> not_got;  // keys that only an iterator reads
};

// Returns the keys that a Get of RocksDB may misread in these files: where a
// file of a sorted level ends between a merge operand and its base, the Get
// looks no further if the file has a range deletion over the key, although the
// base in the next file may be newer than that. It misreads RocksDB's own
// outputs with such an end in the same way, and an iterator does not.
Result<std::set<std::string>> KeysThatGetMisreads(
    std::vector<CompactedFile> files);

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
