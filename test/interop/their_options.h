// RocksDB's options for a Plan, and its Status as ours.
//
// Used by the parts of rocksdb_matrix. Free functions; one thread at a time.
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

// Everything that decides the bytes of a table is as in plan.Options().
rocksdb::Options TheirOptions(const Plan& plan);

// The same, ready to use a Bloom filter whether the plan has one or not.
rocksdb::Options TheirReadOptions(const Plan& plan);

// The counters that all options of TheirOptions feed.
rocksdb::Statistics& TheirCounters();

// The merge operator of TheirOptions: "stringappend".
std::string TheirMergeOperatorName();

// ok stays ok; anything else becomes Corruption: "<what>: <text>".
Status FromTheirs(const std::string& what, const rocksdb::Status& status);

std::vector<rocksdb::Slice> TheirSlices(const std::vector<std::string>& keys);

}  // namespace ashlar::interop

#endif  // ASHLAR_TEST_INTEROP_THEIR_OPTIONS_H_
