// CommitSet: makes the tables of a run the set, either all of them or none.
//
// set_commit.cc describes the protocol. set_recovery.h completes or undoes the
// commit of a run that was killed. For one thread at a time, and any number of
// processes.
#ifndef ASHLAR_TABLE_SET_SET_COMMIT_H_
#define ASHLAR_TABLE_SET_SET_COMMIT_H_

#include <string>
#include <vector>

#include "ashlar/table/table_set.h"
#include "ashlar/util/status.h"
#include "table/set/run_folder.h"
#include "table/set/set_journal.h"
#include "table/set/set_names.h"

namespace ashlar::internal {

// Moves the tables from the run folder into the set's folder, and makes them
// the set. Gives them numbers that no table in the set's folder has, and sets
// their paths to their new names. Warns of files that could not be removed.
// Requires: `tables` are complete and synced in the run folder, with the names
// `made_as` says.
//
// After an error, the old set is still the set, unless the message says that
// the new set is.
Status CommitSet(const SetNames& names, bool overwrite, RunFolder* run_folder,
                 const std::vector<std::string>& made_as,
                 std::vector<TableSetTable>* tables);

// Removes each of the tables whose file is still the one that the journal
// recorded, and adds its path to *removed. Warns of each that stays. Returns
// false if one could not be removed.
bool RemoveMarked(const OpenFolder& folder,
                  const std::vector<MarkedTable>& tables, const SetCalls& calls,
                  std::vector<std::string>* removed);

// Returns text for a message: up to four names, or else the first, the last and
// the number of names.
std::string NamesText(const std::vector<std::string>& names);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_SET_COMMIT_H_
