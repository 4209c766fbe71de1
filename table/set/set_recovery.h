// RecoverSet: completes or undoes what earlier runs over a set left unfinished.
//
// For one thread at a time, and any number of processes.
#ifndef ASHLAR_TABLE_SET_SET_RECOVERY_H_
#define ASHLAR_TABLE_SET_SET_RECOVERY_H_

#include <string>
#include <vector>

#include "ashlar/util/status.h"
#include "table/set/set_calls.h"
#include "table/set/set_names.h"

namespace ashlar::internal {

// Completes or undoes the commits of runs that were killed, as set_commit.cc
// describes. Adds each run folder without a journal whose run has ended to
// *leftovers, unless it is null; with `clean`, removes it. Does not touch the
// files of a run that is still alive, nor files that no run made. A failure to
// do any of this is only a warning, because leftovers do not hinder other runs.
//
// To be called before a run checks that its names are free. Returns IOError if
// the set's folder cannot be listed.
Status RecoverSet(const SetNames& names, bool clean, const SetCalls& calls,
                  std::vector<std::string>* leftovers);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_SET_SET_RECOVERY_H_
