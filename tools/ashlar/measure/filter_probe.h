// How well a table's filter does: asked for keys that are not there.
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
  // Of a Bloom filter of so many bits, in lines of 512; a Ribbon filter is
  // better.
  double bloom_rate = 0;
  uint64_t probes = 0;
  uint64_t passed = 0;
};

// Asks for --filter_probes keys that lie between those of the sample; for none
// where that is empty. Nothing where the table has no filter of whole keys, or
// no keys.
std::optional<FilterRates> ProbeFilter(const TableReader& table,
                                       const TableStats& stats, Status* status);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_FILTER_PROBE_H_
