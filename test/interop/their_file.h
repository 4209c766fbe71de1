// Single files, written and read by RocksDB without a database.
//
// Used by rocksdb_matrix. Free functions, one thread at a time.
#ifndef ASHLAR_TEST_INTEROP_THEIR_FILE_H_
#define ASHLAR_TEST_INTEROP_THEIR_FILE_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"

namespace ashlar::interop {

// Writes with SstFileWriter and the plan's options. Not for single deletions.
Status WriteTheirExternal(const std::string& path, const Plan& plan,
                          const std::vector<Row>& rows);

// Reads every stored entry, by the raw iterator of SstFileReader.
Status ReadWithTheirs(const std::string& path, const Plan& plan,
                      std::vector<Row>* rows);

// Runs RocksDB's checksum verification and its count of entries, its raw
// iterator in both directions, and Get and MultiGet of every key and of absent
// keys. All must agree with `rows`. If the plan has a Bloom filter, the
// counters must show that RocksDB used it and that it ruled out the absent
// keys.
Status CheckWithTheirs(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_THEIR_FILE_H_
