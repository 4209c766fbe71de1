// CountBuiltBlock: counts a block that a builder has stored.
//
// Only the emit thread counts blocks, in the order of the file. What threads of
// a ring measure, the time of compression, they add themselves (HistogramTimer
// in read_counters.h). Thread-safe.
#ifndef ASHLAR_TABLE_COUNTERS_BUILD_COUNTERS_H_
#define ASHLAR_TABLE_COUNTERS_BUILD_COUNTERS_H_

#include <cstdint>

#include "ashlar/table/statistics.h"

namespace ashlar::internal {

enum class StoredForm : uint8_t {
  kCompressed,
  kRejected,  // it would have shrunk too little
  kBypassed,  // there is no codec
};

// `statistics` may be null: nothing is counted. Sizes are in bytes, without the
// trailer, before compression and as stored.
void CountBuiltBlock(const Statistics* statistics, StoredForm form,
                     uint64_t raw_bytes, uint64_t stored_bytes);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COUNTERS_BUILD_COUNTERS_H_
