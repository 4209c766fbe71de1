// RocksDB's options for a Plan, and its Status as ours.
//
// Used by the parts of rocksdb_matrix. Free functions, one thread at a time.
#ifndef ASHLAR_TEST_INTEROP_THEIR_OPTIONS_H_
#define ASHLAR_TEST_INTEROP_THEIR_OPTIONS_H_

#include <rocksdb/options.h>
#include <rocksdb/slice.h>
#include <rocksdb/statistics.h>
#include <rocksdb/status.h>

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "test/interop/plan.h"

namespace ashlar::interop {

// Everything that affects the bytes of a table is as in plan.options.
rocksdb::Options TheirOptions(const Plan& plan);

// Same, but can use a Bloom filter whether or not the plan has one.
rocksdb::Options TheirReadOptions(const Plan& plan);

// The counters of all options from TheirOptions.
rocksdb::Statistics& TheirCounters();

// The merge operator of TheirOptions: "stringappend".
std::string TheirMergeOperatorName();

// Keeps ok. Turns any error into Corruption: "<what>: <text>".
Status FromTheirs(const std::string& what, const rocksdb::Status& status);

std::vector<rocksdb::Slice> TheirSlices(const std::vector<std::string>& keys);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_THEIR_OPTIONS_H_
