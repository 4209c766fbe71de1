// CompactTables: runs a compaction as one CompactionPart.

#include "ashlar/table/compaction.h"
#include "table/compaction/compaction_part.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

Status CompactTables(const CompactionOptions& options,
                     const std::vector<CompactionRun>& runs,
                     std::vector<CompactionMemory> memory,
                     CompactionOutputs* outputs, CompactionResult* result) {
  *result = CompactionResult();
  return internal::OrMemoryLimit([&] {
    return internal::CompactionPart(options, outputs, nullptr, result)
        .Run(runs, std::move(memory));
  });
}

}  // namespace ashlar
