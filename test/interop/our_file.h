// Files written and read by Ashlar, for comparison with RocksDB.
//
// Used by the programs of this folder. Free functions, thread-safe on different
// paths.
#ifndef ASHLAR_TEST_INTEROP_OUR_FILE_H_
#define ASHLAR_TEST_INTEROP_OUR_FILE_H_

#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/util/status.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"

namespace ashlar::interop {

// Writes with ExternalFileWriter if `external`, else with TableBuilder.
Status WriteOurFile(const std::string& path, const TableOptions& options,
                    const BuildOptions& build, bool external,
                    const std::vector<Row>& rows);

// Reads every entry with TableReader, then the range deletions as stored.
Status ReadWithOurs(const std::string& path, std::vector<Row>* rows);

// Calls VerifyChecksum, iterates in both directions, and calls Get for every
// key and for absent keys. All must agree with `rows`.
Status CheckWithOurs(const std::string& path, const std::vector<Row>& rows,
                     const std::vector<std::string>& absent);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_OUR_FILE_H_
