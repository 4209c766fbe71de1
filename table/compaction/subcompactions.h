// RunSubcompactions: the parts of a compaction, side by side.
//
// Data flow
//
//   caller             makes all parts: borders, options (prepare_part), a
//                      SharedOutputs for all. Then takes parts itself
//   workers            WorkerCrew: each takes the first part that nobody has
//                      begun, and runs it as a CompactionPart of its own, with
//                      its own iterators, range deletions, cutter and builder
//   SharedOutputs      a mutex around the application's CompactionOutputs: one
//                      call at a time, while several files are open. Outputs
//                      are numbered as they begin
//   caller, at the end adds up the results, and puts the numbers of the outputs
//                      in key order: part by part
//
// What is shared. Inputs are read only. Options are, but for what their
// functions do. Of the rest:
//
//   stop_      set by the part that fails first; each part looks at it every
//              4 KiB of its input. A hint, so relaxed
//   mutex_     guards the application's outputs, the next number, and the first
//              error. Never held while entries are read or written
//
// A worker that finishes its part before the caller looks at the results is
// ordered before it by the end of WorkerCrew::ForEach.
//
// All or nothing. If a part fails, those that run drop their open outputs, and
// none begins; the first error is returned. Outputs that had ended are named in
// the result, for the engine to delete. Nobody waits for a worker that does not
// come: without any the caller runs part after part.
//
// Limits. Each part has a copy of all range deletions, and one builder. A
// filter that skips keys skips those of its part only.
//
// Rejected: calls to CompactionOutputs from several threads at once. Each
// engine would then need the mutex, and End is short if syncs are left for
// later. Also: to put off End until all parts are done, in key order; an open
// file and a builder for each output would be kept until then.
//
// Tests: test/table/subcompactions_test.cc, also with -DASHLAR_SANITIZE=thread;
// test/table/compaction_property_test.cc.
#ifndef ASHLAR_TABLE_COMPACTION_SUBCOMPACTIONS_H_
#define ASHLAR_TABLE_COMPACTION_SUBCOMPACTIONS_H_

#include <string>
#include <vector>

#include "ashlar/table/compaction.h"

namespace ashlar::internal {

// As CompactTables, without memtables, in parts that begin at `borders`.
// Exceptions of the application pass through, those of other threads too.
Status RunSubcompactions(const CompactionOptions& options,
                         const std::vector<CompactionRun>& runs,
                         const std::vector<std::string>& borders,
                         CompactionOutputs* outputs, CompactionResult* result);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_COMPACTION_SUBCOMPACTIONS_H_
