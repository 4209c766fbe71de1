// Where a command may write.
#ifndef ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_PATH_H_
#define ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_PATH_H_

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/util/status.h"

namespace ashlar::tool {

// Device and number: the same for all names of a file.
using FileId = std::pair<dev_t, ino_t>;
// Nothing where there is no such file.
std::optional<FileId> IdOf(const std::string& path);
// Not a folder, a device, a pipe, or nothing at all.
bool IsRegularFile(const std::string& path);

// InvalidArgument for a folder, for the file of one of the inputs, and unless
// there is --overwrite for any other name that is taken.
Status CheckIsFree(const std::string& path,
                   const std::vector<std::string>& inputs);
// Says so; the exit code.
int OutputIsTaken(const Status& status);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_OUTPUTS_OUTPUT_PATH_H_
