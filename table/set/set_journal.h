// The journal of a run that commits a set: it lists the new tables and those
// that they replace.
//
// It is the text file "journal" in the run folder. It is complete and synced
// before the first new table gets its name in the set's folder:
//
//   ashlar set journal 1
//   made 000004 <inode> <bytes> <time>      one line for each new table
//   replaced 000001 <inode> <bytes> <time>  one line for each old table
//   end
//
// The digits are those in the table's name. The functions are thread-safe.
#ifndef ASHLAR_TABLE_SET_SET_JOURNAL_H_
#define ASHLAR_TABLE_SET_SET_JOURNAL_H_

#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "table/set/open_folder.h"
#include "table/set/run_folder.h"
#include "table/set/set_names.h"

namespace ashlar::internal {

struct MarkedTable {
  std::string name;  // in the set's folder
  FileMark mark;
};

struct SetJournal {
  std::vector<MarkedTable> made;
  std::vector<MarkedTable> replaced;
};

// Writes and syncs the journal in the run folder. Requires: the run folder has
// no journal.
Status WriteJournal(const SetJournal& journal, const SetNames& names,
                    const RunFolder& run_folder);

// Returns the journal, or nothing if there is none. Returns InvalidArgument if
// the file is not one that WriteJournal writes.
Result<std::optional<SetJournal>> ReadJournal(const SetNames& names,
                                              const OpenFolder& run_folder);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_SET_JOURNAL_H_
