// ChoosePartBorders: where a compaction is divided into parts.
//
// The indexes of the inputs give anchors: user keys with the bytes before each.
// They are merged in key order, and a border is put wherever the bytes so far
// reach the next n-th of all. So parts have about equal bytes, off by what the
// inputs have between two anchors, a 128th of each. No user key is divided: a
// border is a user key, and all its versions are behind it. The borders depend
// on inputs and options alone.
#ifndef ASHLAR_TABLE_COMPACTION_PART_BORDERS_H_
#define ASHLAR_TABLE_COMPACTION_PART_BORDERS_H_

#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/util/status.h"

namespace ashlar::internal {

// Sets *borders to ascending user keys without timestamps, between
// options.start and options.end, exclusive: part i begins at border i - 1, and
// ends at border i. There are at most options.max_subcompactions parts, and so
// few that each has at least the target size of an output. Returns the errors
// of reading the indexes, NotSupported where the order of an input's keys is
// not known, MemoryLimit.
Status ChoosePartBorders(const CompactionOptions& options,
                         const std::vector<CompactionRun>& runs,
                         std::vector<std::string>* borders);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_PART_BORDERS_H_
