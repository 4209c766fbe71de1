// CheckEveryEntry: checks whether a walk over all entries of a table comes to
// its end.
//
// For TableReader::CheckEntries. It reports exactly what an iterator would that
// goes from the first entry to the last: how many entries it shows, and the
// error at which it stops.
//
// Data flow. The threads of a RunWalk take runs of about readahead_size bytes
// of the file. Every thread cuts the index into the same runs, with a cursor of
// its own: it moves its cursor to the run that it claimed, reads the run in one
// piece, and passes over its blocks with the steps of an iterator
// (TableIterator::PassBlock). These compare both ends of each block with the
// separators around it. So the order from block to block is checked without the
// neighbours.
//
// Which fault is reported. It is the first fault in the order of the file,
// whichever thread comes to one first (RunWalk). Entries are counted by runs,
// so that those after the fault can be left out. If the index cannot be read
// any further, that counts as a fault after the last block that it named.
//
// Memory: a run and a decompressed block per thread.
#ifndef ASHLAR_TABLE_READ_CHECK_ENTRIES_H_
#define ASHLAR_TABLE_READ_CHECK_ENTRIES_H_

#include <cstdint>

#include "ashlar/table/read_options.h"
#include "ashlar/util/status.h"
#include "ashlar/util/worker_pool.h"
#include "table/load/run_walk.h"
#include "table/read/opened_table.h"

namespace ashlar::internal {

// Sets *entries to the number of entries up to the first fault. Returns that
// fault, ok, or Aborted if on_progress ended the check. The pool may be null.
Status CheckEveryEntry(const OpenedTable& table, const ReadOptions& options,
                       const RunWalk::OnProgress& on_progress, WorkerPool* pool,
                       uint64_t* entries);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_READ_CHECK_ENTRIES_H_
