// Turns the flags of `compact` into the options of a compaction.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_COMPACTION_FLAGS_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_COMPACTION_FLAGS_H_

#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/compaction.h"
#include "ashlar/table/merge_operator.h"
#include "ashlar/util/rate_limiter.h"
#include "ashlar/util/writable_file_options.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

struct CompactionFlags {
  std::vector<SequenceNumber> snapshots;
  std::shared_ptr<const MergeOperator> merge_operator;  // null: no flag
  std::string start;  // user keys; empty: no bound
  std::string end;
  std::shared_ptr<RateLimiter> rate_limiter;  // of reads; null: no limit
  WritableFileOptions file;  // of the outputs, with the limit of writes
};

// Reads the flags. Returns what is wrong with them, or an empty string.
std::string ReadCompactionFlags(const CommandLine& line,
                                CompactionFlags* flags);

// Sets all that flags say: of a compaction of tables with this comparator. What
// `flags` owns must outlive the options. Returns InvalidArgument if a flag does
// not go with the comparator. The caller sets table and build options, progress
// and workers.
Status SetCompactionOptions(const CompactionFlags& flags,
                            const Comparator* comparator,
                            CompactionOptions* options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_COMPACTION_FLAGS_H_
