// The data pass of an inspection: reads and checks the data blocks that the
// index names.
//
//   in    DataBlockInputs: what the other passes found
//   out   DataFindings: what the last steps of the inspection need
//
// The blocks and their faults go into Findings, in the order of the index.
//
// Data flow. If there is a callback for blocks or entries, the calling thread
// reads and shows one block after the other. Else the threads of a RunWalk read
// runs of about readahead_size bytes of the file, 2 MiB at most. Each reads a
// run through a window of its own, and checks its blocks as one thread would:
// checksum, decompression, every entry, and the keys at both ends against the
// separators. By the latter the order from block to block is checked without
// the neighbours. What a thread finds out about data block i it writes into
// element i of a vector that was made before. When all threads are done, the
// caller goes over the vector in order, counts, and reports the faults. So the
// result does not depend on which thread did what.
//
// Filters answer late, when what they look at has been fetched. If a filter
// denies any key of a run, the run is done again, entry by entry.
//
// Who owns what. A DataWalk, and each BlockInfo of a run, belong to the thread
// that has them. The inputs do not change. Numbers of runs ascend for each
// thread, so each meets its keys in order, as a hash search index requires.
// Blobs are put in the order of their data blocks at the end, each once.
//
// Memory: a run and a decompressed block per thread.
#ifndef ASHLAR_TABLE_INSPECT_DATA_PASS_H_
#define ASHLAR_TABLE_INSPECT_DATA_PASS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "table/inspect/data_block_check.h"
#include "table/inspect/embedded_blobs.h"
#include "table/inspect/findings.h"
#include "table/inspect/inspected_file.h"

namespace ashlar::internal {

struct DataFindings {
  uint64_t num_points = 0;       // entries of the data blocks
  std::vector<FoundBlob> blobs;  // each once
  // Data blocks come first in TableInspection::blocks: this many.
  size_t num_blocks = 0;
};

// Goes as far as InspectOptions::data_blocks says. Returns Aborted if
// on_progress ended it.
Status InspectDataBlocks(const DataBlockInputs& inputs, PassReads* reads,
                         Findings* findings, DataFindings* data);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_DATA_PASS_H_
