// Compares the bytes of our files with RocksDB's. It is the strongest check
// there is.
//
// Used by rocksdb_matrix. Free functions, thread-safe on different paths.
#ifndef ASHLAR_TEST_INTEROP_COMPARE_FILES_H_
#define ASHLAR_TEST_INTEROP_COMPARE_FILES_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "test/interop/plan.h"
#include "test/interop/rows.h"

namespace ashlar::interop {

// Sums over all compared files.
struct ByteCounts {
  uint64_t files = 0;
  uint64_t identical_files = 0;  // from the first byte to the last
  uint64_t identical_data = 0;   // every data block, as stored
  uint64_t identical_index = 0;
  uint64_t filters = 0;  // of the kind that we write
  uint64_t identical_filters = 0;
  // Property name, and the number of files in which it differs.
  std::map<std::string, uint64_t> properties;
};

// Rebuilds the RocksDB file at `their_path` at `our_path`, from the plan's
// options, the rows and the identity of their file, and compares the two.
// Returns an error if:
// - the data blocks are cut elsewhere, or blocks differ before compression;
// - the filter differs, from format 5 on, where RocksDB writes the same kind;
// - a property differs;
// - all of that is equal but the files are not.
Status CompareBytes(const std::string& their_path, const std::string& our_path,
                    const Plan& plan, const std::vector<Row>& rows,
                    ByteCounts* counts);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_COMPARE_FILES_H_
