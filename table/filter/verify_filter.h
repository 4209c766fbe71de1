// VerifyFilter: proves that a filter is one of the hashes that it was made of.
//
// For TableOptions::detect_filter_construct_corruption. One pass over the
// collected hashes, after the payload is built, answers two questions. Their
// sum shows whether they are still the hashes that came; and the payload must
// match each of them. So it finds a hash that changed before or while the
// filter was built, and a filter that lost a hash. It does not find bits that
// are set without need: these cost false positives, but hide no key.
//
// Thread-safe.
#ifndef ASHLAR_TABLE_FILTER_VERIFY_FILTER_H_
#define ASHLAR_TABLE_FILTER_VERIFY_FILTER_H_

#include <string>
#include <string_view>

#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/filter/hash_collector.h"
#include "util/sync/worker_crew.h"

namespace ashlar::internal {

// Returns ok, or Corruption that says which of the two is wrong. Workers of the
// crew share the work. Requires: `hashes` is guarded, and `payload` was built
// of it.
Status VerifyFilter(const HashCollector& hashes, const Slice& payload,
                    const WorkerCrew& crew);

// Returns an error of FilterBitsBuilder::Finish with the names of the file and
// of the filter in front. The filter has no place in the file yet.
Status LocateBadFilter(const Status& cause, const std::string& file_name,
                       std::string_view filter);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_FILTER_VERIFY_FILTER_H_
