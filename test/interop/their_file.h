// Single files, written and read by RocksDB without a database.
//
// Used by rocksdb_matrix. Free functions; one thread at a time.
#ifndef ASHLAR_TEST_INTEROP_THEIR_FILE_H_
#define ASHLAR_TEST_INTEROP_THEIR_FILE_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"

namespace ashlar::interop {

// By SstFileWriter, with the options of the plan. No single deletions.
Status WriteTheirExternal(const std::string& path, const Plan& plan,
                          const std::vector<Row>& rows);

// Every entry as it is stored, by the raw iterator of SstFileReader.
Status ReadWithTheirs(const std::string& path, const Plan& plan,
                      std::vector<Row>* rows);

// RocksDB's checksum verification and count of entries, its raw iterator both
// ways, Get and MultiGet of every key and of absent ones: all must agree with
// `rows`. The counters must show that a Bloom filter, if the plan has one,
// was asked and ruled the absent keys out.
Status CheckWithTheirs(const std::string& path, const Plan& plan,
                       const std::vector<Row>& rows,
                       const std::vector<std::string>& absent);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_THEIR_FILE_H_
