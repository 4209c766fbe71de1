// CommitSet: the tables of a run become the set, all of them or none.
//
// set_commit.cc has the protocol; set_recovery.h does what a run that was
// killed did not. One thread at a time; any number of processes.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_COMMIT_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_COMMIT_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/run_folder.h"
#include "tools/ashlar/outputs/set_journal.h"
#include "tools/ashlar/outputs/set_names.h"
#include "tools/ashlar/outputs/table_output.h"

namespace ashlar::tool {

// `tables` are whole and synced in the run's folder, the first as
// names.Table(1), the second as names.Table(2) and so on. Gives them numbers
// that no table in the set's folder has, which then are in their paths.
//
// After an error the set of before is in place, unless the message says that
// the new one is. What could not be removed is named by warnings.
Status CommitSet(const SetNames& names, bool overwrite, RunFolder* run_folder,
                 std::vector<MadeTable>* tables);

// Removes those of the tables that are still the files that the journal means,
// and adds their paths to *removed. Warns of each that stays. False where one
// could not be removed.
bool RemoveMarked(const OpenFolder& folder,
                  const std::vector<MarkedTable>& tables,
                  std::vector<std::string>* removed);

// Some names, for a message: all of a few, else the first, the last and their
// number.
std::string NamesText(const std::vector<std::string>& names);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_COMMIT_H_
