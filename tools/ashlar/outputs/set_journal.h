// The journal of a run that commits a set: the tables that it concerns.
//
// A text file, "journal" in the run's folder, whole under its name and synced
// before the first table gets its name:
//
//   ashlar set journal 1
//   made 000004 <inode> <bytes> <time>      a line for each new table
//   replaced 000001 <inode> <bytes> <time>  a line for each of the old ones
//   end
//
// The digits are those of the table's name. Thread-safe.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_JOURNAL_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_JOURNAL_H_

#include <optional>
#include <string>
#include <vector>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/open_folder.h"
#include "tools/ashlar/outputs/set_names.h"

namespace ashlar::tool {

struct MarkedTable {
  std::string name;  // in the folder of the set
  FileMark mark;
};

struct SetJournal {
  std::vector<MarkedTable> made;
  std::vector<MarkedTable> replaced;
};

// Into the run's folder, which must have none.
Status WriteJournal(const SetJournal& journal, const SetNames& names,
                    const OpenFolder& run_folder);

// Nothing where there is none. InvalidArgument for anything that WriteJournal
// does not write.
Result<std::optional<SetJournal>> ReadJournal(const SetNames& names,
                                              const OpenFolder& run_folder);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_JOURNAL_H_
