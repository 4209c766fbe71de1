// Measures a table's filter, by asking it for keys that are not in the table.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_FILTER_PROBE_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_FILTER_PROBE_H_

#include <cstdint>
#include <optional>

#include "ashlar/table/table_reader.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/measure/table_stats.h"

namespace ashlar::tool {

struct FilterRates {
  double bits_per_key = 0;
  // The rate that a Bloom filter with bits_per_key in lines of 512 bits would
  // have. A Ribbon filter is better.
  double bloom_rate = 0;
  uint64_t probes = 0;
  uint64_t passed = 0;
};

// Asks the filter for --filter_probes keys that are between the keys of the
// sample, or for none if the sample is empty. Returns nothing if the table has
// no filter of whole keys, or no keys.
std::optional<FilterRates> ProbeFilter(const TableReader& table,
                                       const TableStats& stats, Status* status);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_FILTER_PROBE_H_
