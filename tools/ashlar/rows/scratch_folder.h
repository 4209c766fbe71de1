// The folder for scratch files (ashlar/util/scratch_file.h).
#ifndef ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FOLDER_H_
#define ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FOLDER_H_

#include <string>

#include "ashlar/util/scratch_file.h"
#include "tools/ashlar/flags/flags.h"

namespace ashlar::tool {

// Returns --tmpdir, or the user's folder.
inline std::string ScratchFolder() {
  return FLAGS_tmpdir.empty() ? DefaultScratchFolder() : FLAGS_tmpdir;
}

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_ROWS_SCRATCH_FOLDER_H_
