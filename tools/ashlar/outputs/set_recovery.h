// What earlier runs over a set of tables left: finished, or named and removed.
//
// One thread at a time; any number of processes.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_RECOVERY_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_RECOVERY_H_

#include "ashlar/util/status.h"
#include "tools/ashlar/outputs/set_names.h"

namespace ashlar::tool {

// To be called before a run looks whether its names are free. Undoes or
// completes commits that were not finished, as set_commit.cc says. Warns of
// folders in which runs that live no more have named nothing yet; with `clean`
// removes them. What a living run has, and what no run of this program made,
// is left alone. What cannot be done is a warning: it is in no run's way.
//
// IOError where the folder of the set cannot be listed.
Status RecoverSet(const SetNames& names, bool clean);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_SET_RECOVERY_H_
