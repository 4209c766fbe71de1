// RecoverSet: completes or undoes what earlier runs over a set left unfinished.
//
// For one thread at a time, and any number of processes.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_RECOVERY_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_RECOVERY_H_

#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/set_names.h"

namespace ashlar::tool {

// Completes or undoes the commits of runs that were killed, as set_commit.cc
// describes. Warns of each run folder without a journal whose run has ended;
// with `clean`, removes it. Does not touch the files of a run that is still
// alive, nor files that no run of this program made. A failure to do any of
// this is only a warning, because leftovers do not hinder other runs.
//
// To be called before a run checks that its names are free. Returns IOError if
// the set's folder cannot be listed.
Status RecoverSet(const SetNames& names, bool clean);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_RECOVERY_H_
